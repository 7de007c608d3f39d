cd "$FIX" && analyze verdict --media 400 --json media.ctr
