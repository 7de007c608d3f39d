# What two files of one boot both recorded is there twice in what is made of
# them, which is said then and in the new trace. second.ctr recorded from 10 to 30
# ms behind 100 s, alone.ctr from 20 to 24; first.ctr from 0 to 10, and second.ctr
# went on from it.
cp "$FIX/first.ctr" "$FIX/second.ctr" "$FIX/alone.ctr" "$FIX/elsewhere.ctr" .
head_of() {
	analyze report "$1" 2>/dev/null | grep '^# Note'
}
analyze merge -q -o new.ctr alone.ctr first.ctr second.ctr
echo $?
head_of new.ctr
analyze compact -q -o small.ctr new.ctr
head_of small.ctr
analyze compact -q -o joined.ctr alone.ctr second.ctr
head_of joined.ctr
echo 'of two boots:'
analyze merge -q -o boots.ctr elsewhere.ctr alone.ctr
head_of boots.ctr
echo 'parts, one row of which is in both:'
analyze cut -q --time ,@100.002 -o a.ctr first.ctr
analyze cut -q --time @100.002, -o b.ctr first.ctr
analyze merge -q -o both.ctr a.ctr b.ctr
head_of both.ctr
