cd "$FIX" && analyze report --json empty.ctr
