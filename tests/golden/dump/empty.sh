cd "$FIX" && analyze dump empty.ctr
