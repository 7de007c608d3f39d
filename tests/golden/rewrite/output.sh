cp "$FIX/basic.ctr" in.ctr
for c in recover cut compact merge; do
	analyze $c in.ctr
	echo "$c: $?"
	analyze $c -q -o in.ctr in.ctr
	echo "$c: $?"
	analyze $c -q -o none/new.ctr in.ctr 2>&1 | sed 's/[0-9]*\.tmp/PID.tmp/'
done
cmp in.ctr "$FIX/basic.ctr" && echo 'the input is as it was'
ls
