cd "$FIX" && analyze report --no-children -g none -n basic.ctr
