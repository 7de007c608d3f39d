cd "$FIX" && analyze folded nameless.ctr
