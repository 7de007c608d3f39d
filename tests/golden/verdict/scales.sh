cd "$FIX" && analyze verdict --media 800 media.ctr
