cd "$FIX" && analyze stat --by client --csv clients.ctr
