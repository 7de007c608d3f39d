# What is stored in an unknown way is not written again as zeros. A column whose
# type is not known is left out as a whole, which is said, and in the new trace.
unknown=$(dirname "$0")/../format/unknown
analyze compact -q -o new.ctr "$unknown/encoding.ctr" 2>&1 | sed 's,[^ ]*/unknown/,,'
ls
for command in compact cut recover merge; do
	analyze $command -q -o $command.ctr "$unknown/type.ctr" 2>&1 |
		sed 's,[^ ]*/unknown/,,'
	analyze check $command.ctr
	analyze info $command.ctr | grep 'left out'
done
analyze compact -q -o again.ctr compact.ctr
analyze info again.ctr | grep 'left out'
