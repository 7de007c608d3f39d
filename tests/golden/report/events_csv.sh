cd "$FIX" && analyze report --csv events.ctr
