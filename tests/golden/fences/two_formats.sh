cd "$FIX" && analyze fences --csv --json basic.ctr
