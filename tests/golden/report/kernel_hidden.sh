cd "$FIX" && analyze report -s dso -g none hidden.ctr
