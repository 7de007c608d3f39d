cd "$FIX" && analyze syscalls --csv --json calls.ctr
