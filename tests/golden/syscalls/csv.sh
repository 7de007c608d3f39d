cd "$FIX" && analyze syscalls --by call,fd,cmd,thread,process,comm,error --stacks --csv calls.ctr
