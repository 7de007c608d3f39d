cd "$FIX" && analyze folded recursion.ctr
