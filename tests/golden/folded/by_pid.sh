cd "$FIX" && analyze folded --pid 1000 --tid 1001,1002 basic.ctr
