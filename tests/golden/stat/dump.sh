cd "$FIX" && analyze dump pmu.ctr
