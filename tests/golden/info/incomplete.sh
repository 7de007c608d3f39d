cd "$FIX" && analyze info incomplete.ctr
