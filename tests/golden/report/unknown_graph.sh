cd "$FIX" && analyze report --call-graph=foo basic.ctr
