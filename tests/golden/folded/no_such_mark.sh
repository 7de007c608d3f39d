cd "$FIX" && analyze folded --time mark:go, basic.ctr
