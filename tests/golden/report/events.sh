cd "$FIX" && analyze report events.ctr
