cd "$FIX" && analyze folded -C 1-3 basic.ctr
