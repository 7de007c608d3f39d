cd "$FIX" && analyze stat --csv --json counters.ctr
