cd "$FIX" && analyze report --no-children -s dso,sym nameless.ctr
