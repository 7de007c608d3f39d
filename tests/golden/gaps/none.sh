cd "$FIX" && analyze gaps basic.ctr
