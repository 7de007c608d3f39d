cd "$FIX" && analyze stat -x, runs.ctr
