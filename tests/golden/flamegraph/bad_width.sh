cd "$FIX" && analyze flamegraph --width 3 -o - basic.ctr
