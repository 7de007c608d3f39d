cd "$FIX" && analyze report -s sym --json -g none halves.ctr | tail -n +3
