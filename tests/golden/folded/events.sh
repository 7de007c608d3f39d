cd "$FIX" && analyze folded events.ctr
