cd "$FIX" && analyze folded --comm "worker 12" basic.ctr
