cd "$FIX" && analyze folded -q events.ctr
