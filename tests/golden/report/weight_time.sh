cd "$FIX" && analyze report --weight time events.ctr
