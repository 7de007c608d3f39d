cd "$FIX" && analyze check epochs.ctr
