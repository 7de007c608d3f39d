cd "$FIX" && analyze check flipped.ctr
