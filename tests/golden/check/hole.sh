cd "$FIX" && analyze check hole.ctr
