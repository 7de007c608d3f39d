cat "$FIX/basic.ctr" "$FIX/evil.ctr" > x.ctr; analyze check x.ctr
