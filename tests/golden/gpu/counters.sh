cd "$FIX" && analyze gpu counters.ctr
