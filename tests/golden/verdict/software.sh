cd "$FIX" && analyze verdict --media 200 media.ctr
