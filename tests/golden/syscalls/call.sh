cd "$FIX" && analyze syscalls calls.ctr
