cd "$FIX" && analyze verdict media.ctr
