cd "$FIX" && analyze gpu --csv nvidia.ctr
