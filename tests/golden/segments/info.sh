cd "$FIX" && analyze info first.ctr second.ctr fourth.ctr | grep -v ^size | head -11
