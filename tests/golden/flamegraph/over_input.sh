# The trace is never what is written over, by whatever name it comes.
cp "$FIX/basic.ctr" t.ctr
ln t.ctr hard.svg
ln -s t.ctr soft.svg
for output in t.ctr ./t.ctr hard.svg soft.svg; do
	analyze flamegraph -o $output t.ctr
	echo $?
done
analyze flamegraph -o t.ctr - < t.ctr
echo $?
cmp t.ctr "$FIX/basic.ctr" && ls
