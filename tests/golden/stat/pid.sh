cd "$FIX" && analyze stat --pid 4242 clients.ctr
