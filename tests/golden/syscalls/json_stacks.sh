cd "$FIX" && analyze syscalls --stacks --json --comm viewer calls.ctr
