cd "$FIX" && analyze report -s sym --no-children -g none halves.ctr
