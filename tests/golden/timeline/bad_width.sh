analyze timeline --width 399 -o a.svg "$FIX/basic.ctr"
