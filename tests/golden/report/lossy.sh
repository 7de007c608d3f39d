cd "$FIX" && analyze report -g none --no-children -s dso lossy.ctr
