cd "$FIX" && analyze gpu --json nvidia.ctr
