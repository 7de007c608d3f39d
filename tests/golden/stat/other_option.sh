cd "$FIX" && analyze stat --symbol main counters.ctr
