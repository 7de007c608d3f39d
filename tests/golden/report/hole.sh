cd "$FIX" && analyze report -g none hole.ctr
