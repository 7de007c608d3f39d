cd "$FIX" && analyze syscalls --by cmd --stacks --pid 100 calls.ctr
