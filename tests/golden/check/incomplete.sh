cd "$FIX" && analyze check incomplete.ctr
