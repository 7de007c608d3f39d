cd "$FIX" && analyze report --json -s sym --no-children -g callee,30 basic.ctr
