cd "$FIX" && analyze info --json lossy.ctr
