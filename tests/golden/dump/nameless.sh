cd "$FIX" && analyze dump nameless.ctr
