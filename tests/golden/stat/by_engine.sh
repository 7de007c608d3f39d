cd "$FIX" && analyze stat --by engine clients.ctr
