# A part tells from when to when it was recorded, rows or not, so that there is no
# hole between two that adjoin. second.ctr recorded from 10 to 30 ms behind 100 s;
# the row of thread 1002 is at 20 ms, those of thread 1000 are from 22 ms on.
cp "$FIX/second.ctr" "$FIX/alpha.ctr" "$FIX/beta.ctr" .
covers() {
	analyze info "$1" 2>>said | grep '^covers'
}
part() {
	analyze cut -q "$@" second.ctr && covers "$2"
}
holes() {
	for how in merge compact; do
		analyze $how -q -o "$how.ctr" "$@" || continue
		echo "$how of $*:"
		covers $how.ctr
		analyze report $how.ctr | grep 'Not recorded'
	done
	analyze report "$@" | grep -o 'read as one\|[^ ]* ms between.*'
}
part -o a.ctr --tid 1002 --time ,@100.0205
part -o b.ctr --tid 1000 --time @100.0205,
part -o late.ctr --tid 1000 --time @100.0225,@200
part -o pid.ctr --tid 1002
echo 'of a part, what both were to have:'
analyze cut -q -o aa.ctr --time @100.015,@100.025 a.ctr && covers aa.ctr
for how in compact recover; do
	analyze $how -o new.ctr a.ctr >said && covers new.ctr
done
holes b.ctr a.ctr
echo '2 ms between what they cover:'
holes a.ctr late.ctr
echo 'of another machine, whose clock is moved by 4.99997 s:'
analyze cut -q -o beta1.ctr --time @100.001,@100.003 beta.ctr 2>said
analyze merge -q -o moved.ctr alpha.ctr beta1.ctr
covers moved.ctr
analyze info moved.ctr 2>>said | grep '^source.1.\(covers\|shift_ns\)'
echo 'of a part of what was merged:'
analyze cut -q -o of.ctr --time ,@100.0202 merge.ctr && covers of.ctr
