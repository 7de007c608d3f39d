cd "$FIX" && analyze report -s dso -g none early.ctr
