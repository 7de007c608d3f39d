#!/usr/bin/env bash
# What perf records here is imported: line by line what perf script prints of it,
# row by row what perf report shows.
. "$(dirname "$0")/lib.sh"
need_root
need_tool python3
has_perf || skip_all "$perf_why"
text=$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms)
case $text in '' | *[!0]*) ;; *) skip_all 'kallsyms shows no addresses' ;; esac

# record NAME OPTIONS...: NAME.data. With the build-id of all that is mapped, as
# by that alone code is named.
record() {
	local name=$1
	shift
	perf record --no-bpf-event -q -N --buildid-mmap -o "$name.data" "$@" \
		>"$name.why" 2>&1
}
compare() { # compare TITLE HOW PERF OURS [TEXT]
	local title=$1
	shift
	if python3 "$here/importcmp.py" "$@" >cmp.txt 2>&1; then
		ok "$title ($(tail -n 1 cmp.txt))"
	else
		not_ok "$title" "$(cat cmp.txt)"
	fi
}
# imported NAME: NAME.ctr; and as perf script prints it, with $more options.
more=''
imported() {
	local name=$1 broken
	broken=$(perf script -D -i "$name.data" 2>/dev/null |
		python3 "$here/brokenchains.py")
	exits "$name is imported" 0 "$rec" import -o "$name.ctr" "$name.data" ||
		return
	# shellcheck disable=SC2086 # options
	perf script --max-stack 4096 $more -i "$name.data" >"$name.perf" 2>/dev/null
	# shellcheck disable=SC2086
	"$analyze" dump $more "$name.ctr" >"$name.ours" 2>"$name.err" ||
		not_ok "$name is dumped" "$(cat "$name.err")"
	compare "$name: dump is perf script" script "$name.perf" "$name.ours" \
		"$text" "$broken"
}
# same_as_perf NAME OPTIONS...
same_as_perf() {
	if record "$@"; then
		imported "$1"
	else
		skip "$1" "perf cannot: $(grep -m1 . "$1.why")"
	fi
}

# -- perf script ---------------------------------------------------------------

same_as_perf chains -g -F 999 -e cpu-clock -- "$samples/deep"
same_as_perf flat -F 999 -e cpu-clock -- "$samples/deep"
same_as_perf system -a -g -F 199 -e cpu-clock -- sleep 0.3
same_as_perf several -g -F 499 -e cpu-clock,page-faults,task-clock -- \
	"$samples/deep"
same_as_perf pages -c 1 -e page-faults -- "$samples/deep"
same_as_perf group -a -c 2000000 \
	-e '{cpu-clock,page-faults,context-switches}:S' -- sleep 0.3
same_as_perf packed -z -g -F 999 -e cpu-clock -- "$samples/deep"
same_as_perf tracepoints -g -e 'sched:sched_switch,sched:sched_wakeup' \
	-e 'syscalls:sys_enter_write,syscalls:sys_exit_write' -- \
	sh -c 'for i in 1 2 3 4 5; do /bin/echo $i; done >/dev/null'
same_as_perf scheduler -a -e 'sched:*' -- sleep 0.3
# Programs that execute others, and code without frame pointers.
exec_all='for i in 1 2 3 4 5 6 7 8 9; do /bin/true; ls / | sort | sed s/a/b/; done
	python3 -c "print(sum(len(str(i)) for i in range(100000)))"'
same_as_perf execs -a -g -F 4999 -e cpu-clock -- sh -c "$exec_all"
same_as_perf mixed -g -e cpu-clock -e sched:sched_switch -- "$samples/deep"
more=--show-switch-events
same_as_perf switches --switch-events -g -F 199 -e cpu-clock -- "$samples/deep"
more=

# Frames of a dump of the stack are unwound by perf, from files; not here.
if record dwarf --call-graph dwarf,4096 -F 99 -e cpu-clock -- \
	"$samples/deep"; then
	exits 'dwarf is imported' 0 "$rec" import -q -o dwarf.ctr dwarf.data
	perf script -F comm,tid,time,period,event -i dwarf.data \
		>dwarf.perf 2>/dev/null
	"$analyze" dump -F comm,tid,time,period,event dwarf.ctr >dwarf.ours
	compare 'dwarf: dump is perf script, but for stacks' script dwarf.perf \
		dwarf.ours
fi

# -- Names ---------------------------------------------------------------------

cp "$samples/deep" passing
if record passing -g -F 999 -e cpu-clock -- ./passing &&
	perf buildid-cache --add ./passing >passing.why 2>&1 &&
	[ -d "$HOME/.debug" ]; then
	mv passing gone
	exits 'of a file that is gone' 0 "$rec" import -q -o p.ctr passing.data
	that "names come from perf's cache" \
		[ "$("$analyze" dump p.ctr | grep -c layer)" -gt 100 ]
	mv "$HOME/.debug" "$HOME/.away"
	"$rec" import -q -o p.ctr passing.data
	same 'and without it from nowhere' \
		"$("$analyze" dump p.ctr | grep -c layer)" 0
	cp "$samples/demo" passing
	"$rec" import -q -o p.ctr passing.data
	same 'nor from another file at its path' \
		"$("$analyze" dump p.ctr | grep -c '(.*passing)')" \
		"$("$analyze" dump p.ctr | grep -c '\[unknown\] (.*passing)')"
else
	skip 'names from the cache of perf' "perf keeps none: $(cat passing.why)"
fi

# -- Ways in -------------------------------------------------------------------

"$analyze" dump chains.ctr >want.txt 2>/dev/null
as_before() { # as_before NAME TRACE
	"$analyze" dump "$2" >got.txt 2>/dev/null
	if cmp -s want.txt got.txt; then ok "$1"; else
		not_ok "$1" "$(diff want.txt got.txt | head -n 5)"
	fi
}
"$rec" import -q - -o in.ctr <chains.data && as_before 'from standard input' in.ctr
"$rec" import -q -o - - <chains.data 2>/dev/null | cat >out.ctr
as_before 'to standard output' out.ctr
for z in gzip xz 'zstd -q'; do
	need=${z%% *}
	command -v "$need" >/dev/null || { skip "from $need" "no $need here"; continue; }
	$z -c <chains.data >packed.bin
	"$rec" import -q -o z.ctr packed.bin && as_before "from $need" z.ctr
	# shellcheck disable=SC2002 # a pipe, not a file
	cat packed.bin | "$rec" import -q -o z.ctr - &&
		as_before "from $need through a pipe" z.ctr
done
if perf record -q -N --buildid-mmap -g -F 999 -e cpu-clock -o - -- \
	"$samples/deep" 2>/dev/null >pipe.data; then
	imported pipe
else
	skip 'pipe mode' 'perf cannot'
fi

# -- analyze, on the fly -------------------------------------------------------

run "$analyze" dump chains.data
same 'analyze reads it at once' "$rc" 0
says 'and says what it does' "importing 'chains.data' \(perf.data\)"
that 'as what was imported' cmp -s out.txt want.txt
run "$analyze" dump -q chains.data
same 'quietly, too' "$rc $err" '0 '
cp "$analyze" "$work/analyze" # no rec beside it
run env PATH=/nonexistent "$work/analyze" report chains.data
same 'without rec it is no trace' "$rc" 6
says 'and that is said' 'not a coltrace file'
run env PATH="$(dirname "$rec")" "$work/analyze" dump chains.data
same 'rec is found in PATH' "$rc" 0
# shellcheck disable=SC2002 # a pipe, not a file
cat chains.data | "$analyze" dump - >out.txt 2>err.txt
that 'analyze reads it from a pipe' cmp -s out.txt want.txt
that 'and says so' grep -q "importing '(standard input)' (perf.data)" err.txt
that 'or from where standard input stands' cmp -s want.txt - \
	< <("$analyze" dump - <chains.data 2>/dev/null)
printf 'rubbish' | "$analyze" dump - >out.txt 2>err.txt
same 'what nobody knows there is no trace' $? 6
that 'nor called one' grep -q '(standard input): not a coltrace file' err.txt

# -- Several -------------------------------------------------------------------

"$analyze" dump flat.ctr >flat.txt 2>/dev/null
run "$analyze" dump -F time chains.data flat.data
same 'several files are read as one' "$rc $(grep -c . out.txt)" \
	"0 $(cat want.txt flat.txt | grep -c 'cpu-clock: ')"
if record first -k CLOCK_MONOTONIC -F 99 -e cpu-clock -- "$samples/deep" &&
	record second -k CLOCK_MONOTONIC -F 99 -e cpu-clock -- \
		"$samples/deep"; then
	exits 'several files become one trace' 0 \
		"$rec" import -q -o both.ctr first.data second.data
	"$analyze" info --json both.ctr >both.json
	same 'which says of what' "$(json both.json \
		"[d['machine']['source.%d.file' % i] for i in (0, 1)]")" \
		"['first.data', 'second.data']"
	same 'and has all their rows' \
		"$("$analyze" dump -F time both.ctr | grep -c .)" \
		"$({ perf script -F time -i first.data
			perf script -F time -i second.data; } 2>/dev/null |
			grep -c .)"
else
	skip 'several files become one trace' 'perf cannot'
fi
exits 'where their clocks do not compare there is none' 7 \
	"$rec" import -q -o other.ctr chains.data flat.data
says 'and that is why' 'no readings of its clocks'

# -- A signal ------------------------------------------------------------------

mkfifo slow
"$rec" import -q -o slow.ctr slow 2>slow.err &
pid=$!
exec 3>slow
cat chains.perf >&3 # all but what a pipe holds was read then
kill -INT $pid
wait $pid
same 'a signal ends an import' $? 130
exec 3>&-
that 'and that is said' grep -q 'interrupted (Interrupt)' slow.err
"$analyze" info --json slow.ctr >slow.json 2>/dev/null
same 'in the trace, too' "$(json slow.json \
	"d['machine']['ended_by'], 'interrupted' in d['machine']['incomplete']")" \
	"('signal', True)"
"$analyze" dump -F -cpu slow.ctr 2>/dev/null | grep cpu-clock: |
	head -n 100 >slow.txt
grep cpu-clock: chains.perf | head -n 100 >perf.txt
that 'which has what was read until then' diff -b slow.txt perf.txt

# -- What cannot be used -------------------------------------------------------

head -c 100 chains.data >cut.data
exits 'a head alone is of no use' 6 "$rec" import -o cut.ctr cut.data
says 'whose fault that is' "'cut.data'"
that 'and there is no trace' [ ! -e cut.ctr ]
run "$analyze" report cut.data
same 'analyze passes it on' "$rc" 6
head -c 20000 chains.data >half.data
exits 'half of it is kept' 0 "$rec" import -o half.ctr half.data
says 'with a warning' 'warning: .half.data'
exits 'which reports repeat' 0 "$analyze" report half.ctr
says 'at their head' 'incomplete'
printf '\1\2\3' >other.bin
exits 'what nobody knows is refused' 1 "$rec" import -o other.ctr other.bin
says 'with how it begins' "'other.bin'.*01 02 03"
: >empty.bin
exits 'nothing is nothing' 6 "$rec" import -o other.ctr empty.bin
says 'and called empty' "'empty.bin' is empty"
exits 'no file is no import' 125 "$rec" import -o other.ctr nothing.data
that 'none of them left a trace' [ ! -e other.ctr ]

# -- Nothing of this machine ---------------------------------------------------

perf record -q -BN -g -F 999 -e cpu-clock -o bare.data -- "$samples/deep" \
	>/dev/null 2>&1
exits 'without a build-id' 0 "$rec" import -q -o bare.ctr bare.data
"$analyze" dump -F ip,sym bare.ctr >bare.txt 2>/dev/null
same 'nothing has a name' "$(grep -c layer bare.txt)" 0
"$analyze" info bare.ctr >info.txt 2>/dev/null
same 'and no boot id is told' \
	"$(grep -c "$(cat /proc/sys/kernel/random/boot_id)" info.txt)" 0

# -- perf report ---------------------------------------------------------------

for name in chains several tracepoints; do
	[ -f $name.ctr ] || continue
	starts=$(perf script -i $name.data -F comm,ip,sym,symoff 2>/dev/null |
		awk '/^[^\t]/ { comm = $1; first = 1; next }
		!first && /\+0x0$/ { print comm, $2 }
		{ first = 0 }' | sort -u | wc -l)
	for how in --children --no-children; do
		# shellcheck disable=SC2086
		for e in $("$analyze" info --json $name.ctr | python3 -c '
import json, sys
for e in json.load(sys.stdin)["events"]: print(e["name"])'); do
			perf report -i $name.data $how -g none --stdio \
				-s comm,dso,sym --percent-limit 0 \
				2>/dev/null | awk -v e="$e" '
				/^# Samples:/ { on = index($0, "\x27" e "\x27") }
				on' >$name.perf
			"$analyze" report $how -g none -s comm,dso,sym \
				--percent-limit 0 -e "$e" $name.ctr \
				>$name.ours 2>/dev/null
			compare "$name: report $how of $e is perf report" \
				report $name.perf $name.ours "$starts"
		done
	done
done
finish
