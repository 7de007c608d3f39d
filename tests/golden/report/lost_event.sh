cd "$FIX" && analyze report -e page-faults eventless.ctr
