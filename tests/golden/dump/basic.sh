cd "$FIX" && analyze dump basic.ctr
