(cat "$FIX/basic.ctr"; echo) > x.ctr; analyze report -g none -s dso x.ctr
