#!/usr/bin/env bash
# What is read while it is recorded: rec stat -I prints each interval as it comes,
# analyze stat --follow shows it of any recording, and nothing is missing or twice.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system

# rows FILE: the lines of intervals, without the padding of columns, which are as
# wide as what was known by then.
rows() { grep -E '^ +[0-9]+\.[0-9]{9} ' "$1" | tr -s ' ' | sort; }
# stamped: each line behind the seconds since the epoch when it came.
stamped() {
	local line
	while IFS= read -r line; do
		printf '%s %s\n' "$EPOCHREALTIME" "$line"
	done
}
# came_before FILE N TIME: N lines of intervals had come by then.
came_before() {
	[ "$(awk -v t="$3" '$1 < t && $2 ~ /^[0-9]+[.][0-9]+$/' "$1" |
		wc -l)" -ge "$2" ]
}

"$rec" stat -a -I 200 -e context-switches,cpu-clock -o s.ctr -- sleep 2 \
	2> >(stamped >live.txt)
sleep 0.2
ended=$EPOCHREALTIME
that 'rec stat -I prints while it counts' came_before live.txt 4 \
	"$(awk -v t="$ended" 'BEGIN { printf "%.6f", t - 1 }')"
sed 's/^[^ ]* //' live.txt >live.rows
"$analyze" stat s.ctr >whole.txt
same 'each interval of the trace, once' "$(rows live.rows)" "$(rows whole.txt)"
that 'and how long they were at the end' grep -q '^# Intervals of pmu: asked 200' \
	live.rows
"$rec" stat -a -I 200 --csv -e context-switches -- sleep 1 2>live.csv
same 'as CSV, with one line of names' "$(grep -c '^time,value' live.csv)" 1

"$rec" stat -a -I 200 -e sched:sched_switch --filter 'prev_prio > 1' -- \
	sleep 0.5 2>live.txt
that 'what limits it stands at the end' \
	grep -q "^# Note: of .* the filter 'prev_prio > 1'" live.txt

# A recording with samples is followed, too; the -o of a trace that ends.
"$rec" -q -a -F 99 -I 100 -e cpu-clock,msr/tsc/ --duration 3 -o f.ctr &
wait_for 5 test -s f.ctr
exits 'a recording is followed to its end' 0 \
	timeout 20 "$analyze" stat --follow f.ctr
cp out.txt followed.txt
wait
"$analyze" stat f.ctr >whole.txt
that 'it has intervals' test "$(rows whole.txt | wc -l)" -ge 20
same 'as the finished trace has them' "$(rows followed.txt)" "$(rows whole.txt)"
"$analyze" stat --csv f.ctr | sort >whole.csv
"$analyze" stat --follow --csv f.ctr | sort >followed.csv
that 'of a trace that has ended it is all of it' cmp whole.csv followed.csv

# The recorder dies: nobody writes any more.
"$rec" -q -a -I 100 -e context-switches -o k.ctr &
pid=$!
wait_for 5 test -s k.ctr
timeout 20 "$analyze" stat --follow k.ctr >killed.txt 2>killed.err &
follower=$!
sleep 2
kill -KILL $pid
wait $pid 2>/dev/null
wait $follower
same 'a recorder that was killed ends it' $? 0
says_in() { grep -qE "$2" "$1"; }
that 'which is said' says_in killed.err 'not closed|unfinished chunk'
"$analyze" stat k.ctr >whole.txt 2>/dev/null
same 'with all that was saved' "$(rows killed.txt)" "$(rows whole.txt)"

# ^C is rec's, which ends well.
setsid "$rec" stat -a -I 100 -e context-switches 2>int.txt &
pid=$!
wait_for 5 grep -q context-switches int.txt
kill -INT -- -$pid
wait $pid
that 'after ^C the rest is printed' grep -q '^# Intervals of pmu' int.txt
"$rec" stat -a -I 100 -e context-switches 2>left.txt &
pid=$!
wait_for 5 grep -q context-switches left.txt
kill -KILL $pid
wait $pid 2>/dev/null
no_followers() { ! pgrep -f "$analyze stat --follow" >/dev/null; }
that 'and nobody is left behind where rec was killed' wait_for 5 no_followers

# Who uses the GPU now.
if [ -e "$support/nvml_4.so" ]; then
	export COLTRACE_NVML=$support/nvml_4.so
	export COLTRACE_NVML_SCRIPT='gpus=1;utilization=70/10'
	"$rec" -q --gpu -I 100 --duration 4 -o g.ctr >/dev/null 2>&1 &
	wait_for 5 test -s g.ctr
	timeout 20 "$analyze" stat --follow --by device g.ctr >by.txt
	wait
	that 'who uses the GPU, anew each second' test \
		"$(grep -c '^# Busy: of [01]\.[0-9]* s' by.txt)" -ge 2
	that 'with how busy it is' grep -qE '^ *70\.00' by.txt
else
	skip 'who uses the GPU' 'no stand-in for NVML here'
fi

"$rec" -q -F 99 -o none_of.ctr -- "$samples/spin" 1 0.1 >/dev/null
for o in --summary --json --per-run --time=10%,20%; do
	exits "not with ${o%%=*}" 2 "$analyze" stat --follow "$o" s.ctr
done
exits 'a pipe cannot be followed' 2 "$analyze" stat --follow /dev/stdin
exits 'nor standard input' 2 "$analyze" stat --follow -
exits 'what has no readings says so' 3 "$analyze" stat --follow none_of.ctr
exits 'as without' 3 "$analyze" stat none_of.ctr
exits 'and what has none of a GPU' 3 "$analyze" stat --by client s.ctr
says 'with what would help' 'no readings of a GPU .*rec --gpu'
exits 'nor what is not there' 7 "$analyze" stat --follow none.ctr
says 'which is said' 'none\.ctr'
echo text >text.ctr
exits 'nor what is no trace' 6 "$analyze" stat --follow text.ctr
finish
