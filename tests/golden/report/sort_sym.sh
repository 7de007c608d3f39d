cd "$FIX" && analyze report -s sym --no-children basic.ctr
