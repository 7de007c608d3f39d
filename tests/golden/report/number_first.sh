cd "$FIX" && analyze report -s sym -g 30,caller basic.ctr
