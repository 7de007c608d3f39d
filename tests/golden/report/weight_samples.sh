cd "$FIX" && analyze report --weight samples -g none events.ctr
