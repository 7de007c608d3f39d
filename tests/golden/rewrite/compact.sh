cd "$FIX" || exit
new=../in/new.ctr
for f in basic epochs evil events lossy points; do
	analyze compact -q -o "$new" $f.ctr
	analyze check -s "$new" >/dev/null
	echo "$f: check $?"
	analyze dump --show-switch-events $f.ctr >"../in/before"
	analyze dump --show-switch-events "$new" | cmp - "../in/before" && echo "$f: the same rows"
done
analyze compact -q -o "$new" epochs.ctr
analyze info "$new" | grep -E '^(epochs|hostname)'
