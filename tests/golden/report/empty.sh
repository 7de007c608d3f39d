cd "$FIX" && analyze report empty.ctr
