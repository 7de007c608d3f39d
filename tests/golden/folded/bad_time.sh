cd "$FIX" && analyze folded --time 5 basic.ctr
