cd "$FIX" && analyze report -g none incomplete.ctr
