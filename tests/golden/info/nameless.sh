cd "$FIX" && analyze info nameless.ctr
