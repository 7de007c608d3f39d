cd "$FIX" && analyze gpu media.ctr
