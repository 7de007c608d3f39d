cd "$FIX" && analyze flamegraph -o - incomplete.ctr | grep -o 'recording[^<]*'
