cd "$FIX" && analyze stat basic.ctr
