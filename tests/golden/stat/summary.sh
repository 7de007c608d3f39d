cd "$FIX" && analyze stat --summary pmu.ctr
