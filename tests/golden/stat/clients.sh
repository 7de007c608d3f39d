cd "$FIX" && analyze stat clients.ctr
