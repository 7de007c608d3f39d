cd "$FIX" && analyze folded --kernel basic.ctr
