cd "$FIX" && analyze dump --json evil.ctr
