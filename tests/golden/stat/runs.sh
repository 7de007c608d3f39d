cd "$FIX" && analyze stat runs.ctr
