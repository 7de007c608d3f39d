cd "$FIX" && analyze folded --symbol "q*" basic.ctr
