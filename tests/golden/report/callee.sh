cd "$FIX" && analyze report -g callee basic.ctr
