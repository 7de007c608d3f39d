cd "$FIX" && analyze dump -F comm,pid,tid,time,trace -e syscalls:sys_enter_openat,odd:odd points.ctr
