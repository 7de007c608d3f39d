#!/usr/bin/env bash
# perf and rec look at the same tracepoints at the same time: what `analyze dump`
# prints for them must be what `perf script` prints.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events
need_tool python3
has_perf || skip_all "$perf_why"
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null
[ -d $tracing/events ] || skip_all "no tracefs"

exists() { [ -d "$tracing/events/${1%%:*}" ]; }

# both REC_EVENTS PERF_EVENTS SHELL: records what the words are, into b.ctr and
# b.data, and prints both. 1: rec failed; 2: perf did, which it does at times.
both() {
	local e ours=() theirs=()
	for e in $1; do exists "$e" && ours+=(-e "$e"); done
	for e in $2; do exists "$e" && theirs+=(-e "$e"); done
	"$rec" -q -a "${ours[@]}" -o b.ctr -- perf record -BN -q -m 8M \
		-k CLOCK_MONOTONIC -a "${theirs[@]}" -o b.data -- \
		sh -c "$3" >rec.txt 2>&1 || return 1
	perf script -i b.data -F comm,tid,cpu,time,event,trace >theirs.txt \
		2>perf.txt || return 2
	"$analyze" dump -F comm,tid,cpu,time,event,trace b.ctr >ours.txt \
		2>ours.err
}

compare() { # NAME
	if python3 "$here/payloadcmp.py" theirs.txt ours.txt >cmp.txt 2>&1; then
		ok "$1: $(tail -n 1 cmp.txt)"
	else
		not_ok "$1" "$(cat rec.txt cmp.txt)"
	fi
}

check() { # NAME, then as both()
	local name=$1 rc
	shift
	both "$@"
	rc=$?
	[ $rc -ne 2 ] || { both "$@"; rc=$?; }
	case $rc in
	0) compare "$name" ;;
	2) skip "$name" "perf script failed: $(tail -n 1 perf.txt)" ;;
	*) not_ok "$name" "$(cat rec.txt)" ;;
	esac
}

busy='sleep 0.05; ls -R /etc/apt >/dev/null; sleep 0.05'
load='for i in 1 2 3; do ls -R /etc/apt >/dev/null; sleep 0.02; done
	dd if=/dev/zero of=f bs=64k count=10 oflag=sync 2>/dev/null
	(sleep 5 & kill $!)
	python3 -c "
import socket
s = socket.socket()
s.bind((\"127.0.0.1\", 0))
s.listen()
c = socket.create_connection(s.getsockname())
d, _ = s.accept()
c.send(b\"x\" * 9000)
d.recv(99)
c.close()
d.close()"
	sleep 0.1'

set -f # the events are patterns for rec, not for the shell
all='sched:* raw_syscalls:* block:* irq:* task:* signal:* tcp:* timer:*'
check 'payloads of many tracepoints' "$all" "$all" "$load"

check 'payloads with names of functions' 'kmem:*' 'kmem:*' "$busy"

# rec opens one event for all of them and a number tells which.
calls='openat read close mmap newfstatat'
their_calls=$(for c in $calls; do
	echo "syscalls:sys_enter_$c syscalls:sys_exit_$c"
done)
check 'system calls told apart by their number' 'syscalls:*' "$their_calls" \
	"$busy"

# libtraceevent does not understand all formats; perf's fallback is ours, too.
odd=jbd2:jbd2_run_stats
commit='for i in 1 2 3 4; do
	dd if=/dev/zero of=f bs=64k count=1 oflag=sync 2>/dev/null
	sleep 0.05
done'
if exists $odd && both $odd $odd "$commit" && [ -s theirs.txt ]; then
	compare 'a format that cannot be printed with'
	run "$analyze" info --json b.ctr
	same 'and info names it' "$(json out.txt 'd["unusable_formats"]')" \
		"['$odd']"
	run "$analyze" dump b.ctr
	says 'and dump warns of it' $odd
else
	skip 'a format that cannot be printed with' "none happened here"
fi
finish
