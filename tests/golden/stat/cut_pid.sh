analyze cut -q --time 1700ms, --pid 4242 -o c.ctr "$FIX/clients.ctr" && analyze stat c.ctr
