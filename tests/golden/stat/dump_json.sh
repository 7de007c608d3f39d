cd "$FIX" && analyze dump --json -e cycles,mem-loads pmu.ctr
