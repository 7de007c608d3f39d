cd "$FIX" && analyze folded basic.ctr > /dev/full
