cd "$FIX" && analyze folded evil.ctr
