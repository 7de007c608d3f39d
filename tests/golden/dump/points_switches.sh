cd "$FIX" && analyze dump --show-switch-events -e sched:sched_switch points.ctr
