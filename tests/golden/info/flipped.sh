cd "$FIX" && analyze info flipped.ctr
