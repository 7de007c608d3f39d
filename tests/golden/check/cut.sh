cd "$FIX" && analyze check cut.ctr
