cd "$FIX" && analyze stat pmu.ctr
