cd "$FIX" && analyze flamegraph --no-script --width 400 -o - lossy.ctr
