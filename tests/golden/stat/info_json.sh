cd "$FIX" && analyze info --json clients.ctr
