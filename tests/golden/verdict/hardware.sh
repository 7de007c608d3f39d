cd "$FIX" && analyze verdict --media 100 media.ctr
