cd "$FIX" && analyze verdict --media 600 media.ctr
