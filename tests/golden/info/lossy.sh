cd "$FIX" && analyze info lossy.ctr
