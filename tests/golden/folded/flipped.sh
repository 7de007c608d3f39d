cd "$FIX" && analyze folded flipped.ctr
