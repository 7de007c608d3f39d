cd "$FIX" && analyze frames basic.ctr
