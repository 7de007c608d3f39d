cd "$FIX" || exit
new=../in/new.ctr
for how in '-e syscalls:sys_enter_openat' '-e sched:*' '-C 0'; do
	analyze cut -q -o "$new" $how points.ctr || continue
	analyze check -s "$new" >/dev/null || echo "check $?"
	analyze dump $how points.ctr >"../in/before"
	analyze dump "$new" | cmp - "../in/before" && echo "$how: $(wc -l <"../in/before") rows"
done
analyze info --json "$new" >/dev/null && echo info
