cd "$FIX" && analyze stat --comm game clients.ctr
