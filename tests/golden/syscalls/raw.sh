cd "$FIX" && analyze syscalls --by call,fd points.ctr
