cd "$FIX" && analyze report -g none nameless.ctr
