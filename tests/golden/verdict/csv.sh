cd "$FIX" && analyze verdict --media 400 --csv media.ctr
