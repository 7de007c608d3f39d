#!/usr/bin/env bash
# Ways to begin and to end a recording: attached, by CPU, for a time, by a
# signal, through a pipe. Each leaves a whole file and no process.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3

whole() { # whole NAME FILE: closed, sound, with samples
	run "$analyze" check "$2"
	if [ $rc -ne 0 ]; then
		not_ok "$1" "check: exit $rc: $out $err"
		return
	fi
	rows=$("$analyze" info --json "$2" 2>/dev/null >info.json &&
		json info.json 'sum(e["rows"] for e in d["events"])')
	if [ "${rows:-0}" -gt 0 ]; then
		ok "$1 ($rows rows)"
	else
		not_ok "$1" "no rows"
	fi
}
cpus_of() { # the CPUs that a file has samples of
	"$analyze" dump "$1" 2>/dev/null |
		sed -nE 's/^[^	].*\[0*([0-9]+)\].*/\1/p' | sort -un | tr '\n' ' '
}
threads_of() { # the pids or tids of a file's samples
	"$analyze" dump --json "$1" 2>/dev/null | python3 -c '
import json, sys
print(*sorted({json.loads(l)[sys.argv[1]] for l in sys.stdin}))' "$2"
}

"$samples/spin" 2 60 &
load=$!
later "kill $load 2>/dev/null"

exits 'system-wide, around a command' 0 \
	"$rec" -a -F 999 -o a.ctr -- sleep 0.5
whole 'its file is whole' a.ctr
exits 'for a time' 0 "$rec" -a -F 999 --duration 500ms -o b.ctr
whole 'its file is whole' b.ctr
exits 'attached to a process' 0 \
	"$rec" -p $load -F 999 --duration 700ms -o c.ctr
whole 'its file is whole' c.ctr
same 'only that process' "$(threads_of c.ctr pid)" "$load"
same 'and both its busy threads' "$(threads_of c.ctr tid | wc -w)" 2
tid=$(ls /proc/$load/task | tail -n 1)
exits 'attached to a thread' 0 \
	"$rec" -t "$tid" -F 999 --duration 500ms -o d.ctr
same 'only that thread' "$(threads_of d.ctr tid)" "$tid"
exits 'one CPU' 0 "$rec" -C 0 -F 999 --duration 500ms -o e.ctr
same 'only that CPU' "$(cpus_of e.ctr)" '0 '
exits 'a late start' 0 \
	"$rec" -a -F 999 -D 400 -o f.ctr -- sleep 0.8
# From 0.4 s on: a recording that sampled from the start would have 0.8 s.
span=$("$analyze" info --json f.ctr 2>/dev/null >info.json && json info.json \
	'max(e["last_ns"] for e in d["events"]) - min(e["first_ns"] for e in d["events"])')
that "and it is late (${span:-0} ns)" test "${span:-999999999}" -lt 600000000

# -- Signals ------------------------------------------------------------------

for s in INT TERM; do
	rm -f g.ctr
	"$rec" -q -a -F 999 -o g.ctr 2>g.err &
	pid=$!
	sleep 0.8
	kill -$s $pid
	if ! wait_for 5 sh -c "! kill -0 $pid 2>/dev/null"; then
		not_ok "SIG$s ends it" 'still there after 5 s'
		kill -9 $pid
	fi
	wait $pid
	that "SIG$s is an end as asked for" test $? -eq 0
	whole "SIG$s: the file is whole" g.ctr
done
# Ctrl-C at a terminal reaches the command too; its status is passed on.
run timeout -s INT 1 "$rec" -q -F 999 -o h.ctr -- "$samples/spin" 1 20
whole "interrupted with its command: the file is whole" h.ctr

# -- Pipes --------------------------------------------------------------------

"$rec" -q -F 999 -g -o - -- "$samples/hot" 2 2>/dev/null >i.bin
# The command's own words must not get into the trace.
"$rec" -q -F 999 -g -o - -- sh -c "\"$samples/hot\" 2 >/dev/null" 2>pipe.err |
	"$analyze" report - >i.txt 2>i.err
same 'rec | analyze' "${PIPESTATUS[*]}" '0 0'
that 'names hot' grep -qw hot i.txt
"$rec" -q -F 999 -a -o - 2>j.err | head -c 1000 >/dev/null &
pipe=$!
wait_for 10 sh -c "! kill -0 $pipe 2>/dev/null"
that 'a pipe closed by its reader ends rec' test $? -eq 0
wait $pipe 2>/dev/null

# -- After all that -----------------------------------------------------------

wait_for 3 no_recorders || true
same 'no process of ours is left' "$(recorders)" ''
same 'a file is for its owner alone' "$(stat -c %a a.ctr)" 600

# A long-lived child of the command does not hold the recording up.
run timeout 10 "$rec" -q -F 99 -o k.ctr -- sh -c 'sleep 3 & exit 4'
that 'ends with its command' test $rc -eq 4
finish
