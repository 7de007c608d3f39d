cd "$FIX" && analyze syscalls --by file calls.ctr
