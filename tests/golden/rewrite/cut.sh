cd "$FIX" || exit
new=../in/new.ctr
for how in '--time 2ms,5ms' '--tid 1001' '-C 1' '--image libc.so.6' '--symbol hash' '--through parse'; do
	analyze cut -q -o "$new" $how basic.ctr || continue
	analyze check -s "$new" >/dev/null || echo "check $?"
	analyze dump $how basic.ctr >"../in/before"
	analyze dump "$new" | cmp - "../in/before" && echo "$how: $(grep -c '^[^	]' "../in/before") rows"
done
analyze report "$new" | grep '^# Note'
