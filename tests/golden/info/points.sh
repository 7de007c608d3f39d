cd "$FIX" && analyze info points.ctr
