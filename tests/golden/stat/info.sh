cd "$FIX" && analyze info clients.ctr | grep -v "^size"
