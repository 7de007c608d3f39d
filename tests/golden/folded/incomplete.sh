cd "$FIX" && analyze folded incomplete.ctr
