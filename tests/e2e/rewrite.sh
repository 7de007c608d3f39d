#!/usr/bin/env bash
# New traces out of live ones: what is cut, pressed, put together or saved says
# what the recordings said.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events

all_rows() { # all_rows FILE... [SELECTION]
	"$analyze" dump --show-switch-events "$@" 2>/dev/null
}
same_rows() { # same_rows TEXT NEW OLD... [SELECTION]
	text=$1 new=$2
	shift 2
	all_rows "$@" >old.txt
	all_rows "$new" >new.txt
	if ! [ -s old.txt ]; then
		not_ok "$text" 'there are no rows'
	elif cmp -s old.txt new.txt; then
		ok "$text"
	else
		not_ok "$text" "$(diff old.txt new.txt | head -5)"
	fi
}
# What a report says but for its head, which names the file.
body() { "$analyze" report "$@" 2>/dev/null | grep -v '^# \(Trace\|Note\|Loss\|Samples from\|Segments\)'; }
same_report() { # same_report TEXT NEW OLD... [SELECTION]
	text=$1 new=$2
	shift 2
	body "$@" >old.txt
	body "$new" >new.txt
	that "$text" cmp -s old.txt new.txt
}

# Not -F 999, which samples tracepoints too and may leave a call out.
"$rec" -q -a -g --switch-events -e cpu-clock/freq=999/,sched:sched_switch,sched:sched_waking,'syscalls:sys_enter_*' \
	-o live.ctr --duration 2s -- sh -c "for i in 1 2 3 4 5 6 7 8; do '$samples/pages' 2000; '$samples/spin' 20 & done >/dev/null; wait"
that 'there is a recording' [ -s live.ctr ]

exits 'compact' 0 "$analyze" compact -o small.ctr live.ctr
exits 'it is sound' 0 "$analyze" check small.ctr
same_rows 'compact: the same rows' small.ctr live.ctr
same_report 'compact: the same report' small.ctr live.ctr
that 'compact: fewer bytes' [ "$(stat -c %s small.ctr)" -lt "$(stat -c %s live.ctr)" ]
same 'compact: for its owner only' "$(stat -c %a small.ctr)" 600

cuts() { # cuts NAME SELECTION...
	name=$1
	shift
	exits "cut $name" 0 "$analyze" cut "$@" -o cut.ctr live.ctr
	exits "cut $name: sound" 0 "$analyze" check cut.ctr
	same_rows "cut $name: the rows of the selection" cut.ctr live.ctr "$@"
	same_report "cut $name: the report of the selection" cut.ctr live.ctr "$@"
	that "cut $name: fewer bytes" [ "$(stat -c %s cut.ctr)" -lt "$(stat -c %s live.ctr)" ]
}
cuts 'of a time' --time 20%,50%
cuts 'of a command' --comm pages
cuts 'of an event' -e sched:sched_switch
cuts 'of a system call' -e 'syscalls:sys_enter_m*'
cuts 'of a CPU' -C 0
exits 'a cut of a cut' 0 "$analyze" cut --comm pages -o once.ctr live.ctr
exits 'a cut of a cut, second' 0 "$analyze" cut -C 0 -o twice.ctr once.ctr
same_rows 'a cut of a cut: both selections' twice.ctr live.ctr --comm pages -C 0
that 'a cut has nothing of other commands' [ "$("$analyze" dump once.ctr -F comm | sort -u | grep -vc pages)" = 0 ]

# Through pipes, with nothing else in between.
"$analyze" cut -q --comm pages -o - - <live.ctr | "$analyze" compact -q -o - - >piped.ctr
same_rows 'through pipes' piped.ctr live.ctr --comm pages

# A recording whose recorder was killed, and one that was damaged.
"$rec" -q -a -g -F 999 -o killed.ctr --duration 20s 2>/dev/null &
killed=$!
sleep 2.5
disown $killed
kill -9 $killed
wait_for 10 no_recorders
exits 'the killed one is not closed' 6 "$analyze" check killed.ctr
exits 'recover the killed one' 0 "$analyze" recover -o saved.ctr killed.ctr
that 'what was kept is told' grep -q 'kept: [1-9][0-9]* rows' out.txt
exits 'it is sound and closed' 0 "$analyze" check saved.ctr
same_rows 'recover: the same rows' saved.ctr killed.ctr
that 'reports say that it was recovered' grep -q '^# Note: recovered: the trace was' <("$analyze" report saved.ctr 2>/dev/null)
cp live.ctr hurt.ctr
size=$(stat -c %s hurt.ctr)
for part in 3 5 8; do
	dd if=/dev/urandom of=hurt.ctr bs=1 count=200 seek=$((size * part / 10)) conv=notrunc 2>/dev/null
done
exits 'recover a damaged one' 0 "$analyze" recover -o saved.ctr hurt.ctr
that 'what was lost is told' grep -q 'damaged: [0-9]* bytes at offset' out.txt
exits 'what is left is sound' 0 "$analyze" check saved.ctr
same_rows 'recover: what can be read of the damaged one' saved.ctr hurt.ctr

# Two recordings of one machine need no moving.
"$rec" -q -a -g -e cpu-clock/freq=499/,sched:sched_switch -o one.ctr --duration 0.7s
"$rec" -q -a -g -e cpu-clock/freq=499/,sched:sched_waking,sched:sched_switch -o two.ctr --duration 0.7s
exits 'merge two recordings' 0 "$analyze" merge -o both.ctr one.ctr two.ctr
that 'of one machine: no times are moved' bash -c '! grep -q "moved" out.txt'
exits 'merged: sound' 0 "$analyze" check both.ctr
# Their tables have different numbers, so that they cannot be read as one as they
# are; one was recorded behind the other.
all_rows one.ctr >old.txt
all_rows two.ctr >>old.txt
that 'merged: the rows of both' cmp -s old.txt <(all_rows both.ctr)

# What the boot id says is another machine, which is moved by what its clocks
# say: here by nothing, and exactly so.
echo 11111111-2222-3333-4444-555555555555 >boot_id
if unshare -um sh -c "mount --bind boot_id /proc/sys/kernel/random/boot_id && hostname far &&
	'$rec' -q -a -g -e cpu-clock/freq=499/,sched:sched_switch -o far.ctr --duration 0.7s" 2>/dev/null; then
	exits 'merge two machines' 0 "$analyze" merge -o hosts.ctr one.ctr far.ctr
	that 'how far times were moved is told' grep -q 'far.*times moved by [+-][0-9.]* [num]*s, uncertain by' out.txt
	exits 'of two machines: sound' 0 "$analyze" check hosts.ctr
	moved=$("$analyze" info hosts.ctr | awk '$1 == "source.1.shift_ns" { print $2 < 0 ? -$2 : $2 }')
	that 'clocks of one machine are less than 1 ms apart' [ "$moved" -lt 1000000 ]
	"$analyze" report -s source --no-children -g none hosts.ctr -e "cpu-clock*" 2>/dev/null | grep -v '^#' >hosts.txt
	same 'rows are told apart by their machine' "$(awk 'NF { print $2 }' hosts.txt | sort | tr '\n' ' ')" \
		"$(printf '%s\n' far "$(hostname)" | sort | tr '\n' ' ')"
fi

# An end by a signal leaves nothing behind, and never the input changed.
before=$(cksum <live.ctr)
for signal in INT TERM; do
	timeout -s $signal 0.05 "$analyze" compact -Z 19 -o gone.ctr live.ctr >/dev/null 2>&1
	rm -f gone.ctr
	that "nothing is left behind after $signal" [ -z "$(find . -name 'gone.ctr*')" ]
done
exits 'no input is written over' 2 "$analyze" compact -o ./live.ctr live.ctr
same 'the input is as it was' "$(cksum <live.ctr)" "$before"
finish
