#!/usr/bin/env bash
# Files that were cut off or damaged give what they have, and say what they lack:
# those of perf and trace-cmd, texts, and the trace made of them.
# Beside others: it reads files, and trace-cmd asks for none.
. "$(dirname "$0")/lib.sh"
need_tool python3
shared=${SHARED:-$root/../shared}
gpu=$shared/data/gpu/stable

rows() { # rows FIELD-VALUE: lines of dump that have it
	"$analyze" dump x.ctr 2>/dev/null | grep -cF -e "$1"
}
change() { # change FROM TO OFFSET: another byte there
	python3 - "$@" <<'P'
import sys
b = bytearray(open(sys.argv[1], 'rb').read())
b[int(sys.argv[3])] ^= 0x40
open(sys.argv[2], 'wb').write(b)
P
}

# -- Texts ---------------------------------------------------------------------

for i in {1..2000}; do
	printf 'prog 7 [000] %d.000000: 1 cpu-clock: \n' "$i"
	printf '\t    55d0c8a0 main+0x10 (/bin/prog)\n\n'
done >whole.txt
exits 'a text' 0 "$rec" import -q -o x.ctr whole.txt
same 'has its samples' "$(rows cpu-clock)" 2000
# Sample 1501 begins in line 4501; its frame is of nothing then.
python3 - <<'P'
t = open('whole.txt', 'rb').read().split(b'\n')
t[4500] = t[4500].replace(b'1501.', b'\0.')
open('zero.txt', 'wb').write(b'\n'.join(t))
P
exits 'one with a byte of zero' 0 "$rec" import -q -o x.ctr zero.txt
says 'says in which line' "'zero.txt': 2 lines left out; the first is line 4501"
says 'and why' 'it has a byte of zero'
same 'and has the others' "$(rows cpu-clock)" 1999
"$analyze" report x.ctr >report.txt 2>/dev/null
that 'reports repeat it' grep -q '^# .*byte of zero' report.txt
printf 'main;f;g 3\nmain;\0f 4\nmain;h 5\n' >zero.folded
exits 'folded stacks' 1 "$rec" import -q -o y.ctr zero.folded
says 'where the first look meets it' 'byte of zero at offset 16'
{
	seq 4000 | sed 's/.*/main;f&;g 1/'
	printf 'main;\0f 4\nmain;h 5\n'
} >zero.folded
exits 'and far behind that' 0 "$rec" import -q -o y.ctr zero.folded
says 'it is a line' '1 line left out; the first is line 4001'

printf 'It came; it saw; it won in 47\nThen it left; that was 46\n' >prose.txt
exits 'prose is no stack' 1 "$rec" import -q -o y2.ctr prose.txt
says 'and what would be one is said' 'folded stacks, whose lines end with a count'
yes 'It was late; nobody came.' | head -n 2000 | tr '\n' ' ' >prose.txt
exits 'nor in one long line' 1 "$rec" import -q -o y2.ctr prose.txt
that 'there is no trace' [ ! -e y2.ctr ]

# -- perf.data -----------------------------------------------------------------

if [ ! -d "$gpu" ]; then
	skip 'files of others' "no $gpu"
	finish
fi
# In its records; behind these are all the features.
head -c 300000 "$gpu/causes.perf.data" >cut.data
exits 'a perf.data without its end' 0 "$rec" import -q -o x.ctr cut.data
says 'says where its records end' "'cut.data': record at offset [0-9]+"
says 'and what it lacks' 'missing: formats of tracepoints, .*names of events'
says 'and what that means' 'tracepoints have only numbers, and no fields'
same 'and has them by number' "$(("$(rows 'tracepoint 3')" > 1000))" 1
# In its last section.
head -c 586540 "$gpu/causes.perf.data" >cut.data
exits 'without its clock' 0 "$rec" import -q -o x.ctr cut.data
says 'that is all it lacks' 'missing: clock$'

# -- trace.dat -----------------------------------------------------------------

# The second section of options, which says where records are, is cut off.
dat=$gpu/flip.trace.dat
head -c 61440 "$dat" >cut.dat
exits 'a trace.dat without its end' 0 "$rec" import -q -o x.ctr cut.dat
says 'has the CPUs that it has' 'of 2 CPUs there are those of 1'
if command -v trace-cmd >/dev/null; then
	"$analyze" dump -F cpu,event,trace x.ctr 2>/dev/null |
		grep -c '\[000\]' >n.txt
	trace-cmd report "$dat" 2>/dev/null | grep -c ' \[000\] ' >want.txt
	same 'with all their records' "$(cat n.txt)" "$(cat want.txt)"
fi
"$rec" import -q -o x.ctr "$dat"
"$analyze" dump x.ctr >want.txt 2>/dev/null
head -c 64400 "$dat" >cut.dat
exits 'cut behind them' 0 "$rec" import -q -o x.ctr cut.dat
says 'it has all' 'of 2 CPUs there are those of 2'
"$analyze" dump x.ctr 2>/dev/null >all.txt
that 'and they are the same' cmp -s all.txt want.txt
head -c 30000 "$dat" >cut.dat
exits 'before them' 6 "$rec" import -q -o y3.ctr cut.dat
says 'it says in what it ends' \
	'cut short at offset 30000, in its kallsyms, bytes [0-9]+ to [0-9]+'
says 'and that there is nothing' 'no records'
that 'which makes no trace' [ ! -e y3.ctr ]

# -- The trace -----------------------------------------------------------------

"$rec" import -q -o whole.ctr "$gpu/causes.perf.data"
size=$(stat -c %s whole.ctr)
"$analyze" check -s whole.ctr >check.txt
all=$(sed -n 's/.* \([0-9]*\) rows,.*/\1/p' check.txt)
change whole.ctr hurt.ctr $((size / 2))
run "$analyze" recover -o saved.ctr hurt.ctr
same 'a damaged chunk is recovered' "$rc" 0
numbers=$(sed -n 's/.*kept: \([0-9]*\) rows of events, \([0-9]*\) def.*/\1 \2/p
s/.*at least \([0-9]*\) rows of events and \([0-9]*\) def.*/\1 \2/p' out.txt |
	tr '\n ' '++')
same 'what is kept and what is missing is all' "$((${numbers}0))" "$all"
head -c $((size * 98 / 100)) whole.ctr >hurt.ctr
run "$analyze" recover -o saved.ctr hurt.ctr
same 'one that is cut off is recovered' "$rc" 0
that 'where it is not known what is missing that is said' \
	grep -qE 'what was in 1 damaged place, bytes [0-9]+ to [0-9]+, is not' \
	out.txt
that 'and that the file has no end' grep -q 'the file has no end' out.txt
same 'but not that nothing is' "$(grep -c 'nothing is missing' out.txt)" 0
"$analyze" report saved.ctr >report.txt 2>/dev/null
that 'reports repeat it' grep -q '^# Note: recovered: .* is not known' report.txt
run "$analyze" recover -o saved.ctr whole.ctr
that 'of a whole one nothing is missing' grep -q 'nothing is missing' out.txt
finish
