cd "$FIX" && analyze stat --by process counters.ctr
