cd "$FIX" && analyze stalls basic.ctr
