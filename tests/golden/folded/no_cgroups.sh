cd "$FIX" && analyze folded --cgroup x basic.ctr
