cd "$FIX" && analyze fences basic.ctr
