cd "$FIX" && analyze stat --summary --csv clients.ctr
