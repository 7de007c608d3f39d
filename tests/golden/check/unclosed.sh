cd "$FIX" && analyze check unclosed.ctr
