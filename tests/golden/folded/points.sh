cd "$FIX" && analyze folded -e syscalls:sys_enter_openat points.ctr
