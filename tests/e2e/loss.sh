#!/usr/bin/env bash
# Where the kernel cannot hand over what happened, rows and counted loss are
# together exactly what happened, also at the very end of the recording.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3

calls='syscalls:sys_enter_getppid'
n=200000 # of one thread; the other does twice as many

# adds_up NAME FILE: rows + lost = 3 N, and some of each.
adds_up() {
	local rows lost
	"$analyze" info --json "$2" >info.json 2>/dev/null
	rows=$(json info.json 'sum(e["rows"] for e in d["events"])')
	lost=$(json info.json 'sum(e["lost"] for e in d["events"])')
	same "$1: $rows rows and $lost lost are all" \
		$((rows + lost)) $((3 * n))
	that "$1: some were lost" [ "$lost" -gt 0 ]
}

exits 'recorded with rings of a page' 0 "$rec" -m 1 -e $calls -o small.ctr -- \
	"$samples/count" getppid $n
adds_up 'rings of a page' small.ctr
says 'the loss is said at the end' '[0-9]+ samples were lost'

# begin FILE: rec -p of a waiting program; 9 lets it go.
begin() {
	rm -f go
	mkfifo go
	"$samples/count" getppid $n wait <go >truth.txt &
	prog=$!
	exec 9>go
	wait_for 10 test -s truth.txt
	"$rec" -v -m 4 -e $calls -o "$1" -p $prog 2>rec.err &
	recorder=$!
	wait_for 10 grep -q 'recording' rec.err
}
go() {
	echo >&9
	exec 9>&-
}

begin stopped.ctr
kill -STOP $recorder
go
wait $prog
kill -CONT $recorder
wait $recorder
adds_up 'rec stopped until all was over' stopped.ctr

begin paused.ctr
go
sleep 0.05
kill -STOP $recorder
sleep 0.3
kill -CONT $recorder
wait $prog $recorder
adds_up 'rec stopped for a while' paused.ctr
finish
