cd "$FIX" && analyze check basic.ctr
