cd "$FIX" && analyze report recursion.ctr
