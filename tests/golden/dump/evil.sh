cd "$FIX" && analyze dump evil.ctr
