cd "$FIX" && analyze dump points.ctr
