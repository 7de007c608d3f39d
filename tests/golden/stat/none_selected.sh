cd "$FIX" && analyze stat --time @300, counters.ctr
