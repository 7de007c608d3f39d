cd "$FIX" && analyze report elsewhere.ctr first.ctr | head -4
