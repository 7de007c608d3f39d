cd "$FIX" && analyze stat --json runs.ctr
