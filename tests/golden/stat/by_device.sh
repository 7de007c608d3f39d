cd "$FIX" && analyze stat --by device clients.ctr
