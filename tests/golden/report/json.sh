cd "$FIX" && analyze report --json basic.ctr
