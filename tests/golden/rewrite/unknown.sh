# What is stored in an unknown way is not written again as zeros. A column whose
# type is not known is left out as a whole, which is said, and in the new trace.
# What is merged names its sources: they lie at the same path everywhere.
mkdir in
cp "$(dirname "$0")/../format/unknown/encoding.ctr" \
	"$(dirname "$0")/../format/unknown/type.ctr" in
analyze compact -q -o new.ctr in/encoding.ctr 2>&1 | sed 's,in/,,'
ls
for command in compact cut recover merge; do
	analyze $command -q -o $command.ctr in/type.ctr 2>&1 | sed 's,in/,,'
	analyze check $command.ctr
	analyze info $command.ctr | grep 'left out'
done
analyze compact -q -o again.ctr compact.ctr
analyze info again.ctr | grep 'left out'
