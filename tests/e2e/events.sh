#!/usr/bin/env bash
# Events in all their spellings are asked of the kernel as perf asks, recorded
# where they belong, and left quickly.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3
tracing=/sys/kernel/tracing
[ -r $tracing/events/sched ] ||
	mount -t tracefs nodev $tracing 2>/dev/null ||
	skip_all 'no tracefs here'

# -- The same attr as perf -----------------------------------------------------

# What both ask for; perf leaves guests out or not by rules of its own.
shared='type|config|\{ sample_period, sample_freq \}|inherit|pinned|exclusive|
exclude_user|exclude_kernel|exclude_hv|exclude_idle|freq|precise_ip|
exclude_host|bp_type|\{ bp_addr, config1 \}|\{ bp_len, config2 \}|
sample_max_stack'
# Lines of attrs or of perf evlist -v without names, shared keys only; patterns
# come in another order.
asked() {
	grep -v '^#' | sed 's/^.*: type:/type:/' | while IFS= read -r line; do
		printf '%s\n' "$line" | grep -oE \
			"(^|, )($(printf '%s' "$shared" | tr -d '\n')): [^,]*" |
			tr -d '\n'
		echo
	done | sort
}
same_as_perf() { # same_as_perf TEXT
	local ours perfs
	if ! perf record --no-bpf-event -BN -q -o p.data -e "$1" -- true \
		>perf.txt 2>&1; then
		skip "'$1' as perf" "perf cannot: $(grep -m1 . perf.txt)"
		return
	fi
	perfs=$(perf evlist -v -i p.data 2>/dev/null | asked)
	ours=$("$support/attrs" "$1" 2>&1)
	# attrs opens a thread, perf a command: the same, but for what follows.
	same "'$1' is what perf asks for" "$(printf '%s\n' "$ours" | asked)" \
		"$perfs"
}
if has_perf; then
	for e in cpu-clock cpu-clock:u task-clock:k page-faults cs:uk faults \
		cpu-clock:D cpu-clock:e cpu-clock:I dummy:H \
		cpu-clock/period=2000000/ faults/freq=33/ \
		cpu-clock/max-stack=5/ cpu-clock/period=1000000,name=tick/u \
		software/config=2/ software/config=0x2,period=3/u \
		mem:0x1000 mem:0x1000:w:u mem:0x1000/8:rw:u mem:0x1000:x:u \
		sched:sched_switch sched:sched_switch:k \
		sched:sched_switch/call-graph=no/ 'sched:sched_w*' 'irq:*' \
		'{cpu-clock,faults}' '{cpu-clock,faults}:u' \
		'{cpu-clock:k,faults}:u' '{cpu-clock,faults}:S' \
		'cs,{cpu-clock,faults},task-clock' syscalls:sys_enter_openat; do
		same_as_perf "$e"
	done
else
	skip 'the same attrs as perf' "$perf_why"
fi

# -- What is recorded ----------------------------------------------------------

rows() { # rows FILE EVENT: its rows, 0 where it has none
	"$analyze" info --json "$1" >info.json 2>/dev/null || return
	json info.json "sum(e['rows'] for e in d['events']
		if e['name'] == '$2' or '$2' == '*')"
}
cat >calls.py <<'EOF'
import os
for i in range(1000):
    os.getpgid(0)
EOF
exits 'a tracepoint by name' 0 "$rec" -e syscalls:sys_enter_getpgid \
	-o a.ctr -- python3 calls.py
same 'is counted to the row' "$(rows a.ctr syscalls:sys_enter_getpgid)" 1000
exits 'a pattern of system calls' 0 "$rec" -e 'syscalls:sys_*_getpgid' \
	-o b.ctr -- python3 calls.py
same 'has rows of entry and exit' "$(rows b.ctr '*')" 2000
exits 'a filter' 0 "$rec" -e 'syscalls:*' --filter 'id == 121' -o c.ctr -- \
	python3 calls.py
"$analyze" report c.ctr >report.txt
that 'and the head of a report says so' \
	grep -q "^# Note: of 'syscalls:sys_enter_\*' .* the filter 'id == 121'" report.txt
if [ "$(uname -m)" = x86_64 ]; then # where getpgid is 121
	same 'lets pass what it says' "$(rows c.ctr '*')" 2000
fi
exits 'a filter of fields that are not there' 125 "$rec" \
	-e sched:sched_switch --filter 'nobody > 1' -o d.ctr -- true
says 'names those that are' 'fields: common_type, .*next_prio\)'
exits 'a period of its own' 0 "$rec" -e faults/period=1/ -c 100000 \
	-o e.ctr -- "$samples/pages" 2000
that 'goes before that of all' [ "$(rows e.ctr faults/period=1/)" -ge 2000 ]
exits 'a period' 0 "$rec" -e faults -c 100 -o p.ctr -- "$samples/pages" 20000
n=$(rows p.ctr faults)
that "is a row for so many" [ $((n >= 190 && n <= 202)) -eq 1 ]
same 'and weighs so much' "$("$analyze" dump -F period p.ctr | tr -d ' ' | sort -u)" 100
exits 'a frequency for a tracepoint' 0 "$rec" -F 50 -e sched:sched_switch -a \
	-o q.ctr -- "$samples/count" switch 2000
says 'says that not each event is a row' \
	"'sched:sched_switch' is sampled, as -F asks"

exits 'what is only counted' 125 "$rec" -e msr/tsc/ -o f.ctr -- true
if [ -d /sys/bus/event_source/devices/msr ]; then
	says 'can be read beside' '\{cpu-clock,msr/tsc/\}:S'
	exits 'as a member of a group' 0 "$rec" -a \
		-e '{cpu-clock,msr/tsc/}:S' -o f.ctr -- "$samples/spin" 0.3
	that 'has rows' [ "$(rows f.ctr msr/tsc/)" -gt 0 ]
fi

exits 'a group that cannot be' 125 "$rec" -e '{cpu-clock,faults:D}' \
	-o m.ctr -- true
says 'is explained' "'faults:D' can be recorded, but not in this group"
exits 'a weak one is taken apart' 0 "$rec" -e '{cpu-clock,faults:D}:W' \
	-o m.ctr -- true
exits 'switches without a tracepoint' 0 "$rec" -e cpu-clock --switch-events \
	-o n.ctr -- sleep 0.1
that 'have rows of their own' [ "$("$analyze" dump --show-switch-events n.ctr \
	2>/dev/null | grep -c PERF_RECORD_SWITCH)" -ge 2 ]

# -- Of whom -------------------------------------------------------------------

cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$cgroups" ] && mkdir "$cgroups/e2e.$$" 2>/dev/null; then
	later "rmdir $cgroups/e2e.$$"
	sh -c 'echo $$ >"$1/cgroup.procs"; exec "$2" 3' sh \
		"$cgroups/e2e.$$" "$samples/spin" &
	exits 'a cgroup is recorded' 0 "$rec" -a -e cpu-clock -F 500 \
		-G "e2e.$$" --duration 0.5 -o g.ctr
	that 'which has rows' [ "$(rows g.ctr cpu-clock)" -gt 0 ]
	same 'and nobody else has' "$("$analyze" report --sort comm --csv g.ctr \
		2>/dev/null | tail -n +2 | grep -vc spin)" 0
	kill %% 2>/dev/null
	wait
else
	skip 'a cgroup is recorded' 'no cgroup2 to make a group in'
fi

of_nobody() { [ "$(stat -c %u "/proc/$1" 2>/dev/null)" = 65534 ]; }
setpriv --reuid=65534 --clear-groups "$samples/spin" 3 &
wait_for 5 of_nobody $!
exits 'a user is recorded' 0 "$rec" -u 65534 -e cpu-clock -F 500 \
	--duration 0.5 -o h.ctr
that 'who has rows' [ "$(rows h.ctr cpu-clock)" -gt 0 ]
kill %% 2>/dev/null
wait

cat >threads.py <<'EOF'
import threading, time, sys
threading.stack_size(65536)
for i in range(2000):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print("ready", flush=True)
time.sleep(60)
EOF
python3 threads.py >threads.txt &
threads=$!
if wait_for 20 grep -q ready threads.txt; then
	begin=$(date +%s%N)
	exits '2000 threads are recorded' 0 "$rec" -p $threads -e cpu-clock \
		--duration 0.1 -o i.ctr
	ms=$((($(date +%s%N) - begin) / 1000000))
	that "in less than 5 s: $ms ms" [ $ms -lt 5000 ]
	exits 'where descriptors do not suffice' 125 setpriv --inh-caps=-all \
		--bounding-set=-all bash -c 'ulimit -n 1024 && exec "$@"' bash \
		"$rec" -p $threads -e cpu-clock --duration 0.1 -o i.ctr
	says 'one message says so' 'too many open files: .* ulimit -n'
else
	skip '2000 threads are recorded' 'this machine does not start them'
fi
kill $threads
wait 2>/dev/null

# -- The end -------------------------------------------------------------------

begin=$(date +%s%N)
exits 'all of sched is recorded' 0 "$rec" -a -q -e 'sched:*' -o j.ctr -- true
ms=$((($(date +%s%N) - begin) / 1000000))
# Half a second on an idle machine; this one may be busy.
that "and left at once: $ms ms" [ $ms -lt 1500 ]
begin=$(date +%s%N)
"$rec" -a -q -e 'sched:*' -o - -- true | cat >k.ctr
ms=$((($(date +%s%N) - begin) / 1000000))
that "a pipe is closed as soon: $ms ms" [ $ms -lt 1500 ]
# What closes them holds nothing of ours: no file of this folder, no pipe.
held=$(find /proc/[0-9]*/fd -lname "$work/*" 2>/dev/null | grep -v "/$$/")
same 'nothing holds a file' "$held" ''
that 'the rest ends by itself' wait_for 60 no_recorders

# -- A CPU that goes and comes back --------------------------------------------

online=/sys/devices/system/cpu/cpu1/online
if [ -w $online ] && [ "$(cat $online)" = 1 ]; then
	later "echo 1 >$online"
	"$rec" -a -v -e cpu-clock -F 200 --duration 5 -o l.ctr 2>l.err &
	wait_for 20 grep -q ': recording$' l.err
	sleep 1
	echo 0 >$online
	sleep 0.3
	echo 1 >$online
	# An idle CPU may have nothing to tell.
	taskset -c 1 timeout 2 sh -c 'while :; do :; done' &
	wait
	lost=$("$analyze" info l.ctr 2>&1 | grep -ci 'offline')
	that 'a gap of a CPU is told' [ "$lost" -ge 1 ]
	"$analyze" dump l.ctr 2>/dev/null >dump.txt
	that "and it is recorded again ($(tail -n 2 l.err | tr '\n' ' '))" \
		[ "$(grep -c '\[001\]' dump.txt)" -gt 0 ]
else
	skip 'a gap of a CPU is told' 'CPU 1 cannot go offline here'
fi
finish
