cd "$FIX" && analyze report -g flat basic.ctr
