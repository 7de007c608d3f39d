analyze compact -q -o c.ctr "$FIX/pmu.ctr" && analyze stat --csv c.ctr >a && analyze stat --csv "$FIX/pmu.ctr" | cmp - a && echo same
