cd "$FIX" && analyze report -g none epochs.ctr
