cd "$FIX" && analyze folded -e context-switches events.ctr
