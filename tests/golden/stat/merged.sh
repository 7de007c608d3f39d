analyze merge -q -o m.ctr "$FIX/counters.ctr" "$FIX/pmu.ctr" && analyze stat m.ctr | grep -v "^# Note"
