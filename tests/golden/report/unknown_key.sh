cd "$FIX" && analyze report -s cpu basic.ctr
