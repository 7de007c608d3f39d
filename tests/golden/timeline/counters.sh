cd "$FIX" && analyze timeline -q --lanes counters -o - clients.ctr | sed -n '/^"texts"/,/^<.script>/p'
