cd "$FIX" && analyze dump --json points.ctr
