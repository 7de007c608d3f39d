cd "$FIX" && analyze report --json --no-children -g none evil.ctr
