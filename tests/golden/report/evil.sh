cd "$FIX" && analyze report -s comm,sym evil.ctr
