cd "$FIX" && analyze report -s tid,dso -g none basic.ctr
