cd "$FIX" && analyze report -e page-faults --no-children -g none events.ctr
