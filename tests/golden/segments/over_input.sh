cp "$FIX/first.ctr" "$FIX/second.ctr" . && analyze flamegraph -o second.ctr first.ctr second.ctr; cmp second.ctr "$FIX/second.ctr"
