cd "$FIX" && analyze dump events.ctr
