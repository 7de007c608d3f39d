cd "$FIX" && analyze stat -e rcs1-busy counters.ctr
