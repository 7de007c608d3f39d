cd "$FIX" && analyze report -e sched:sched_switch,odd:odd points.ctr
