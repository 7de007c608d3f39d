cd "$FIX" && analyze stat --per-run runs.ctr
