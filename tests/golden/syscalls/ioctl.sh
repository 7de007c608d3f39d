cd "$FIX" && analyze syscalls --by fd,cmd calls.ctr
