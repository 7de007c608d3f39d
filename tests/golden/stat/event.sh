cd "$FIX" && analyze stat -e "*-busy/" counters.ctr
