cd "$FIX" && analyze folded cut.ctr
