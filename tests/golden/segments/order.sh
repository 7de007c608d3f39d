cd "$FIX" && analyze report second.ctr first.ctr | head -12
