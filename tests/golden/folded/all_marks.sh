cd "$FIX" && analyze folded --all nameless.ctr
