cd "$FIX" && analyze report -s pid,comm --csv basic.ctr
