cd "$FIX" && analyze info clients.ctr
