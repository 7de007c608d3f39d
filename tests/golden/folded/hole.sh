cd "$FIX" && analyze folded hole.ctr
