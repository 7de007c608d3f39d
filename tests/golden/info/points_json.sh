cd "$FIX" && analyze info --json points.ctr
