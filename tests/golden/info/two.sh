cat "$FIX/basic.ctr" "$FIX/evil.ctr" > x.ctr; analyze info x.ctr | head -6; analyze info --json x.ctr | grep -o '"ending.*damaged_places":[0-9]*'
