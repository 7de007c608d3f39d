cd "$FIX" && analyze stat --by client clients.ctr
