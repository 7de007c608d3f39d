cd "$FIX" && analyze info empty.ctr
