cd "$FIX" && analyze stat --csv counters.ctr
