cd "$FIX" && analyze info unclosed.ctr
