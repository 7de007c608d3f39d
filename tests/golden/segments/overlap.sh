cd "$FIX" && analyze report alone.ctr second.ctr | head -4
