cd "$FIX" && analyze folded --pid 5 basic.ctr
