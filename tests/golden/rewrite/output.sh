cp "$FIX/basic.ctr" in.ctr
for c in recover cut compact merge; do
	analyze $c in.ctr
	echo "$c: $?"
	analyze $c -q -o in.ctr in.ctr
	echo "$c: $?"
	analyze $c -q -o none/new.ctr in.ctr
done
cmp in.ctr "$FIX/basic.ctr" && echo 'the input is as it was'
ls
