cd "$FIX" && analyze stat --time 1.5s, counters.ctr
