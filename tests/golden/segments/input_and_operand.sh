cd "$FIX" && analyze report -i first.ctr second.ctr
