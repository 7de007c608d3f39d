cd "$FIX" && analyze report fourth.ctr second.ctr | head -4
