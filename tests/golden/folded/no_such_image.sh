cd "$FIX" && analyze folded --image libm basic.ctr
