cd "$FIX" && analyze report basic.ctr
