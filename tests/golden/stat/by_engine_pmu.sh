cd "$FIX" && analyze stat --by engine counters.ctr
