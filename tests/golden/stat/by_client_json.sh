cd "$FIX" && analyze stat --by client --json clients.ctr
