cd "$FIX" && analyze syscalls --by fd --json calls.ctr
