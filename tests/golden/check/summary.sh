cd "$FIX" && analyze check --summary hole.ctr
