cd "$FIX" && analyze flamegraph --palette mauve basic.ctr 2>&1 | sed "s/(there is:.*/(there is: …/"
