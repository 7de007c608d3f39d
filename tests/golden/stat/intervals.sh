cd "$FIX" && analyze stat counters.ctr
