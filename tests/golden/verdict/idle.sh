cd "$FIX" && analyze verdict --media 500 media.ctr
