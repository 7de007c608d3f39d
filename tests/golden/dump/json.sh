cd "$FIX" && analyze dump --json nameless.ctr
