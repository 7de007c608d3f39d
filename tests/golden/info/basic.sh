cd "$FIX" && analyze info basic.ctr
