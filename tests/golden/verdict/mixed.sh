cd "$FIX" && analyze verdict --media 400 media.ctr
