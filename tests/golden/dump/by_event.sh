cd "$FIX" && analyze dump -e cpu-clock --time 0s,0.5ms events.ctr
