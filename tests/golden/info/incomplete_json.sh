cd "$FIX" && analyze info --json incomplete.ctr
