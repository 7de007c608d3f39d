cd "$FIX" && analyze stat --table runs.ctr
