cd "$FIX" && analyze dump epochs.ctr
