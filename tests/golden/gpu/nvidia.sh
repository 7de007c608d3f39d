cd "$FIX" && analyze gpu nvidia.ctr
