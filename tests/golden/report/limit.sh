cd "$FIX" && analyze report --percent-limit 20 basic.ctr
