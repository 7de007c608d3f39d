cd "$FIX" && analyze folded epochs.ctr
