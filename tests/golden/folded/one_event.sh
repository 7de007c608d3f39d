cd "$FIX" && analyze folded -e page-faults events.ctr
