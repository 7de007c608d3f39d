analyze flamegraph --folded stacks.txt "$FIX/basic.ctr" 2>err || exit
analyze folded --all "$FIX/basic.ctr" | cmp - stacks.txt
analyze flamegraph -o other.svg "$FIX/basic.ctr" 2>err
cmp flamegraph.svg other.svg && ls
