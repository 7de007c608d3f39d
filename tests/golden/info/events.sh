cd "$FIX" && analyze info events.ctr
