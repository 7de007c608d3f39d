cd "$FIX" && analyze gpu clients.ctr
