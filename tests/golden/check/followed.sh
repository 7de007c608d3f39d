(cat "$FIX/basic.ctr"; echo) > x.ctr; analyze check x.ctr
