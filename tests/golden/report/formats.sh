cd "$FIX" && analyze report --csv --json basic.ctr
