cd "$FIX" && analyze verdict --media 300 media.ctr
