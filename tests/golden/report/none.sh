cd "$FIX" && analyze report -g none basic.ctr
