cd "$FIX" && analyze report --csv --no-children evil.ctr
