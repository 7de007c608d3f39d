cd "$FIX" && analyze info --json evil.ctr
