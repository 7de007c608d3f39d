# What no file recorded stays so in what is made of several.
cd "$FIX" || exit
new=../in/new.ctr
analyze report first.ctr fourth.ctr | grep 'not recorded'
for how in merge cut compact; do
	analyze $how -q -o "$new" first.ctr fourth.ctr || continue
	echo "$how:"
	analyze report "$new" | grep 'Not recorded'
	analyze info "$new" | grep '^unrecorded'
done
analyze report --json "$new" | grep -o '"not_recorded":[^]]*]'
analyze merge -q -o "$new" first.ctr second.ctr
analyze report "$new" | grep -c 'Not recorded'
analyze cut -q -o no/x first.ctr
