cd "$FIX" && analyze info epochs.ctr
