cd "$FIX" && analyze verdict --media 42 basic.ctr
