cd "$FIX" && analyze check empty.ctr
