cd "$FIX" && analyze syscalls basic.ctr
