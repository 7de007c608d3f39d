# What is left out of a damaged trace, or of one without an end, is said by what
# is made of it, and by what is made of that; twice where it happens twice.
cp "$FIX/flipped.ctr" "$FIX/first.ctr" "$FIX/fourth.ctr" .
says() {
	echo "$1:"
	analyze report "$1.ctr" 2>/dev/null | grep '^# Note'
	analyze info "$1.ctr" | grep 'recovered ' | grep -v '^note'
}
for how in merge cut compact; do
	analyze $how -q -o $how.ctr flipped.ctr 2>/dev/null
	echo "$how: $?"
	says $how
done
analyze merge -q -o both.ctr first.ctr flipped.ctr 2>/dev/null
says both
analyze recover -o recover.ctr compact.ctr >recover.txt
says recover
head -c -10 compact.ctr >short.ctr
analyze compact -q -o again.ctr short.ctr 2>/dev/null
says again
# So does what several cuts were made of, one behind the other or side by side.
analyze cut -q --cpu 0 -o one.ctr first.ctr
analyze cut -q --comm app -o two.ctr one.ctr
says two
analyze cut -q --cpu 1 -o three.ctr fourth.ctr
analyze merge -q -o four.ctr two.ctr three.ctr
says four
echo 'read as one:'
analyze report one.ctr three.ctr | grep '^# Note'
analyze compact -q -o five.ctr one.ctr three.ctr
says five
analyze report --json two.ctr | grep -o '"notes":[^]]*]'
analyze report --json both.ctr | grep -o '"recovered":[^]]*]'
