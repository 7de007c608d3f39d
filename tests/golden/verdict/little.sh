cd "$FIX" && analyze verdict --media 700 media.ctr
