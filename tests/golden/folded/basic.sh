cd "$FIX" && analyze folded basic.ctr
