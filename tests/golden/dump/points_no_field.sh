cd "$FIX" && analyze dump -F comm,colour points.ctr
