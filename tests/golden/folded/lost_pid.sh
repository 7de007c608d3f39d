cd "$FIX" && analyze folded --pid 2000 eventless.ctr
