cd "$FIX" && analyze folded --all halves.ctr
