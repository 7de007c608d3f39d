cd "$FIX" && analyze stat --csv pmu.ctr
