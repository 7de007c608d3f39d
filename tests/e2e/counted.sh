#!/usr/bin/env bash
# A program does a thing exactly N times: so many rows there are, by event and
# by thread, whether it is recorded as a child, by -p or with the whole system.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3
two_cpus() { [ "$(nproc)" -ge 2 ]; }

cat >counted.py <<'EOF'
"""counted.py KIND TRUTH: reads dump --json; says nothing where every thread of
the truth ("TID COUNT" a line) has as many rows, else what is wrong."""
import collections, json, sys

kind, truth = sys.argv[1], open(sys.argv[2])
want = {int(t): int(n) for t, n in (l.split() for l in truth if " " in l)}
rows = [json.loads(l) for l in sys.stdin]
rows = [r for r in rows if "event" in r]
got = collections.Counter()
if kind == "getppid":
    for r in rows:
        if r["event"] == "syscalls:sys_enter_getppid":
            got[r["tid"]] += 1
elif kind == "switch":
    last = {}
    for r in rows:
        call = r["event"].rpartition("_")[2]
        if call in ("getppid", "getsid"):
            last[r["tid"], call] = r["time"]
    for r in rows:
        if r["event"] == "sched:sched_switch":
            tid = r["fields"]["prev_pid"]
            if tid in want and (last[tid, "getppid"] < r["time"]
                                < last[tid, "getsid"]):
                got[tid] += 1
elif kind == "fork":
    for r in rows:
        if r["event"] == "sched:sched_process_fork":
            got[r["fields"]["parent_pid"]] += 1
if not want:
    print("no truth")
for tid, n in want.items():
    if got[tid] != n:
        print(f"thread {tid}: {got[tid]} rows, did it {n} times")
EOF

# counted NAME KIND FILE: the rows of FILE are those of truth.txt.
counted() {
	local wrong lost
	wrong=$("$analyze" dump --json "$3" 2>dump.err |
		python3 counted.py "$2" truth.txt 2>&1)
	"$analyze" info --json "$3" >info.json 2>/dev/null
	lost=$(json info.json 'sum(e["lost"] for e in d["events"])')
	if [ -z "$wrong" ] && [ "$lost" = 0 ]; then
		ok "$1"
	else
		not_ok "$1" "$wrong (lost: $lost) $(head -3 dump.err)"
	fi
}

# While it is recorded as a process, to begin when rec has begun. 1: rec did not.
by_pid() { # KIND N OPTIONS...
	local kind=$1 n=$2 pid
	shift 2
	rm -f go
	mkfifo go
	"$samples/count" "$kind" "$n" wait <go >truth.txt &
	pid=$!
	exec 9>go
	wait_for 10 test -s truth.txt
	"$rec" -v "$@" -o pid.ctr -p "$pid" 2>rec.err &
	if ! wait_for 10 grep -q 'recording' rec.err; then
		exec 9>&-
		kill $! 2>/dev/null
		wait
		return 1
	fi
	echo >&9
	exec 9>&-
	wait
}

# all_ways KIND N EVENTS...: as a child, by -p, with the whole system.
all_ways() {
	local kind=$1 n=$2 check=$1
	shift 2
	[ "$kind" = apart ] && check=switch
	exits "$kind: recorded as a child" 0 "$rec" "$@" -o child.ctr -- \
		"$samples/count" "$kind" "$n"
	cp out.txt truth.txt
	counted "$kind: as a child, rows = $n" $check child.ctr

	exits "$kind: recorded with the system" 0 "$rec" -a "$@" -o all.ctr -- \
		"$samples/count" "$kind" "$n"
	cp out.txt truth.txt
	counted "$kind: with the system, rows = $n" $check all.ctr

	if ! by_pid "$kind" "$n" "$@"; then
		not_ok "$kind: by -p" "$(cat rec.err)"
		return
	fi
	# The kernel may tell of what a thread does twice or not at all while it moves
	# it to another CPU: one of 150 runs that begin so, fewer with others at work.
	if wrong_by_pid "$kind" $check; then
		echo "# $kind: once more"
		by_pid "$kind" "$n" "$@"
	fi
	counted "$kind: by -p, rows = $n" $check pid.ctr
}
begins() {
	"$analyze" dump -e syscalls:sys_enter_getppid pid.ctr 2>/dev/null |
		grep -c getppid
}
wrong_by_pid() { # KIND CHECK
	case $1 in
	apart) [ "$(begins)" != 2 ] ;;
	fork) [ -n "$("$analyze" dump --json pid.ctr 2>/dev/null |
		python3 counted.py "$2" truth.txt)" ] ;;
	*) false ;;
	esac
}

all_ways getppid 8000 -e syscalls:sys_enter_getppid
all_ways getppid 8000 -e 'syscalls:sys_enter_getpp*'
all_ways switch 8000 -e sched:sched_switch -e syscalls:sys_enter_getppid \
	-e syscalls:sys_enter_getsid
if two_cpus; then
	all_ways apart 8000 -e sched:sched_switch \
		-e syscalls:sys_enter_getppid -e syscalls:sys_enter_getsid
else
	skip 'switches between two CPUs' 'one CPU here'
fi
all_ways fork 1000 -e sched:sched_process_fork
# As on machines with many CPUs, where several threads drain.
all_ways fork 1000 --drain-threads 2 -g -e sched:sched_process_fork

# Page faults, one a fresh page.
exits 'page faults are recorded' 0 "$rec" -e page-faults -c 1 -g -o faults.ctr \
	-- "$samples/pages" 5000
same 'exactly 5000 faults in touch()' \
	"$("$analyze" folded faults.ctr 2>/dev/null |
		awk '/;touch[; ]/ { s += $NF } END { print s + 0 }')" 5000
finish
