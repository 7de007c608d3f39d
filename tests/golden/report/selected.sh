cd "$FIX" && analyze report --comm app --time 0,3ms -g none basic.ctr
