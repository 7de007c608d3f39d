cd "$FIX" && analyze folded empty.ctr
