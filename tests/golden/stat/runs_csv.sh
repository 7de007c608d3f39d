cd "$FIX" && analyze stat --csv --per-run runs.ctr
