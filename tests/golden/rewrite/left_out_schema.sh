# Of tables whose schema is damaged no row is met: that is damage, too.
cp "$(dirname "$0")/../format/damaged/schema.ctr" .
analyze info schema.ctr >info.txt
echo "info: $?"
for how in merge cut compact; do
	analyze $how -q -o $how.ctr schema.ctr
	echo "$how: $?"
	analyze report "$how.ctr" 2>/dev/null | grep '^# Note'
done
