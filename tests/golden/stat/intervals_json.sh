cd "$FIX" && analyze stat --json counters.ctr
