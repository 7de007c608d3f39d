cd "$FIX" && analyze report first.ctr fourth_open.ctr | head -4
