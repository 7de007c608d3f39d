cd "$FIX" && analyze folded -e page-faults --weight time events.ctr
