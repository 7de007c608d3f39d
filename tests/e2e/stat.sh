#!/usr/bin/env bash
# Counts of rec stat and rec -I against those of perf stat, which looks at the
# same process at the same time.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events
need_tool python3

# total FILE NAME: of its first run.
total() {
	python3 "$here/countertotals.py" "$1" |
		awk -v n="$2" '$1 == n && $5 < 2 { print $6 }'
}
# near NAME GOT WANT PERCENT MORE: apart by no more than that, and MORE.
near() {
	if awk -v a="$2" -v b="$3" -v p="$4" -v m="$5" 'BEGIN {
		d = a < b ? b - a : a - b
		exit !(a != "" && b > 0 && d <= b * p / 100 + m) }'; then
		ok "$1 ($2, $3)"
	else
		not_ok "$1" "'$2', not '$3'"
	fi
}

# Both attach to a stopped process, which then does its work and ends.
together() { # together EVENTS COMMAND...
	local events=$1 pid
	shift
	# shellcheck disable=SC2016 # of the shell that stops itself
	sh -c 'kill -STOP $$; exec "$@"' sh "$@" >/dev/null &
	pid=$!
	wait_for 5 grep -q '^State:.*T (stopped)' "/proc/$pid/status"
	"$rec" stat -q -o both.ctr -e "$events" -p $pid 2>rec.err &
	local ours=$!
	perf stat -x, -o perf.txt -e "$events" -p $pid 2>perf.err &
	local theirs=$!
	wait_for 10 opened $ours "$events" && wait_for 10 opened $theirs "$events"
	kill -CONT $pid
	wait $pid $ours $theirs
}
# All its descriptors are there.
opened() {
	local n
	n=$(find "/proc/$1/fd" -lname 'anon_inode:\[perf_event\]' 2>/dev/null |
		wc -l)
	[ "$n" -ge "$(tr ',' '\n' <<<"$2" | wc -l)" ]
}
theirs() { awk -F, -v n="$1" '$3 == n { print $1 }' perf.txt; }

if has_perf; then
	together page-faults,minor-faults,context-switches "$samples/pages" 5000
	for e in page-faults minor-faults; do
		same "$e are those of perf stat" "$(total both.ctr $e)" \
			"$(theirs $e)"
	done
	near 'context switches are' "$(total both.ctr context-switches)" \
		"$(theirs context-switches)" 0.5 2
	together msr/tsc/,task-clock "$samples/spin" 1 1
	for e in msr/tsc/ task-clock; do
		near "$e is that of perf stat" "$(total both.ctr $e)" \
			"$(theirs $e | awk -v e=$e \
				'{ print e == "task-clock" ? $1 * 1e6 : $1 }')" 0.5 0
	done
else
	skip 'the counts of perf stat' "$perf_why"
fi

# Counted by the sample itself.
exits 'a run is counted' 0 "$rec" stat -q -o a.ctr -e page-faults -- \
	"$samples/pages" 1000
exits 'another run is counted' 0 "$rec" stat -q -o b.ctr -e page-faults -- \
	"$samples/pages" 6000
a=$(total a.ctr page-faults) b=$(total b.ctr page-faults)
near 'exactly 5000 faults more' "$((b - a))" 5000 0.2 0

# On two CPUs in turn: what it did on each, and no share of it.
if [ "$(nproc)" -ge 2 ]; then
	cat >moves.py <<-'END'
	import mmap, os
	for cpu in 0, 1:
	    os.sched_setaffinity(0, {cpu})
	    m = mmap.mmap(-1, 4096 * 5000)
	    for i in range(5000):
	        m[i * 4096] = 1
	END
	on_cpu() { awk -F, -v c="CPU$1" '$1 == c && /page-faults/ { print $2 }' \
		moves.txt; }
	exits 'a task that moves is counted on each CPU' 0 "$rec" stat -x, -A \
		--log-fd 3 -e page-faults -- taskset -c 0 python3 moves.py \
		3>moves.txt
	exits 'and as a whole' 0 "$rec" stat -x, --log-fd 3 -e page-faults -- \
		taskset -c 0 python3 moves.py 3>whole.txt
	that 'on the second one all that it did there' \
		[ $((($(on_cpu 1) - 5000) / 500)) -eq 0 ]
	near 'both make the whole' $(($(on_cpu 0) + $(on_cpu 1))) \
		"$(cut -d, -f1 whole.txt)" 2 0
else
	skip 'a task that moves' 'one CPU only'
fi
exits 'a name that stands twice is counted twice' 0 "$rec" stat -x, --log-fd 3 \
	-e page-faults,page-faults -- "$samples/pages" 1000 3>twice.txt
same 'each with all of it' "$(cut -d, -f1,3 twice.txt | sed 's/,/ /')" \
	"$(f=$(head -n 1 twice.txt | cut -d, -f1)
	printf '%s page-faults\n%s page-faults#2' "$f" "$f")"
exits 'system calls by a pattern' 0 "$rec" stat -x, --log-fd 3 \
	-e 'syscalls:sys_enter_getp[gp]id' -- "$samples/count" getppid 777 \
	3>calls.txt >count.txt
same 'are one event each, with all of its calls' \
	"$(cut -d, -f1,3 calls.txt | tr '\n' ' ')" \
	'0,syscalls:sys_enter_getpgid 2331,syscalls:sys_enter_getppid '
exits 'a CPU that is not there' 125 "$rec" stat -C 4095 -- true
says 'is named' 'CPU 4095: it is not online'

exits "the command's status is rec's" 3 "$rec" stat -q -o c.ctr -- sh -c 'exit 3'
exits 'a command that is not there' 127 "$rec" stat -q -o c.ctr -- ./none
exits 'what cannot be counted takes nothing with it' 0 "$rec" stat \
	-e cycles,page-faults -- true
says 'and is said' '<not supported>|cycles'
exits 'each of several runs' 0 "$rec" stat -q -r 3 -o r.ctr -e page-faults -- true
same 'has counts of its own' "$(python3 "$here/countertotals.py" r.ctr |
	awk '$1 == "page-faults" && $6 > 0' | wc -l)" 3

# By a grid: nothing drifts, and what was missed is said.
exits 'readings each 10 ms' 0 "$rec" -I 10 -a -e cpu-clock -q -o i.ctr \
	--duration 3s
if python3 "$here/countertotals.py" --grid 10000000 i.ctr >grid.txt; then
	ok "they keep to their grid: $(cat grid.txt)"
else
	not_ok 'they keep to their grid' "$(cat grid.txt)"
fi

# Counted beside samples.
exits 'samples and counts together' 0 "$rec" -I 50 -F 999 -g \
	-e cpu-clock,msr/tsc/ -q -o s.ctr -- "$samples/spin" 1 1
"$analyze" check s.ctr >/dev/null 2>&1
same 'the file is whole' $? 0
that 'what cannot be sampled was counted' \
	[ "$(total s.ctr msr/tsc/)" -gt 1000000 ]
rows=$("$analyze" info --json s.ctr 2>/dev/null |
	python3 -c 'import json, sys
print(sum(e["rows"] for e in json.load(sys.stdin)["events"]))')
that 'what can be was sampled' [ "${rows:-0}" -gt 10 ]
finish
