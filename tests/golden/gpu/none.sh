cd "$FIX" && analyze gpu basic.ctr
