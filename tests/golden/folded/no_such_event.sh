cd "$FIX" && analyze folded -e cpu-clok events.ctr
