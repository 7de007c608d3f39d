cd "$FIX" && analyze syscalls --by process --time 0s,10ms calls.ctr
