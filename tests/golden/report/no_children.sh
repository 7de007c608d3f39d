cd "$FIX" && analyze report --no-children basic.ctr
