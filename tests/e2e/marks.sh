#!/usr/bin/env bash
# Marks: what is said by `rec mark`, written to trace_marker or printed by the
# command is in the recordings that run, at its time, and nothing that the
# command prints is changed by it. And where a process is: in which namespace
# and group.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3
need_tool setpriv

# Where every user finds it.
mkdir -m 777 open
cp "$rec" "$analyze" "$samples/spin" open/
chmod 755 open/*
bin=$work/open/rec
cd open || exit 1
plain() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
# Others may record on this machine meanwhile, but not as this user.
lonely() { setpriv --reuid=4242 --regid=4242 --clear-groups "$@"; }

# marks FILE SOURCE: their texts, a line each.
marks() {
	"$analyze" dump --json "$1" 2>/dev/null | python3 -c '
import json, sys
for line in sys.stdin:
    d = json.loads(line)
    if "mark" in d and d["source"] == sys.argv[1]:
        print(d["mark"])' "$2"
}
monotonic() { python3 -c 'import time; print(time.monotonic_ns())'; }
# begin FILE OPTIONS...: a recording in the background; its pid in $pid.
begin() {
	local file=$1
	shift
	rm -f "$file"
	"$@" -q -F 99 -o "$file" 2>"$file.err" &
	pid=$!
	wait_for 10 listens "$pid" || not_ok "a recording begins" \
		"$(cat "$file.err")"
}
sockets() { # of a recorder
	find /run/coltrace /run/user/*/coltrace /tmp/coltrace-* \
		-name "$1-*" -printf '%f\n' 2>/dev/null
}
listens() { [ -n "$(sockets "$1")" ]; }
end() { # end PID
	kill -INT "$1"
	wait "$1"
}

exits 'nobody listens' 1 lonely "$bin" mark hello
says 'and it says so' 'no recording is running'
exits 'a mark without a text' 125 "$bin" mark
exits 'an empty one' 125 "$bin" mark ''
exits 'one that is too long' 125 "$bin" mark "$(printf '%5000s' x)"

# -- rec mark -----------------------------------------------------------------

begin a.ctr "$bin" -a
first=$pid
begin b.ctr "$bin" -a
second=$pid
sleep 0.3
before=$(monotonic)
exits 'a mark is taken' 0 "$bin" mark a text of several words
after=$(monotonic)
exits 'by one of two' 0 "$bin" mark --pid "$second" only b
exits 'by none with another number' 1 "$bin" mark --pid 1 nobody
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	"$bin" mark "series $i" || break
done
same 'twenty in a row' "$i" 20
exits 'bytes of any kind' 0 "$bin" mark $'\xff\x01 "quoted"\n# fake'
# The network namespace does not matter.
if unshare -n true 2>/dev/null; then
	exits 'from another network namespace' 0 unshare -n "$bin" mark far
fi
sleep 0.3
end $first
end $second
same 'both recordings have it' \
	"$(marks a.ctr command | grep -c '^a text of several words$')/$(
		marks b.ctr command | grep -c '^a text of several words$')" 1/1
same 'one has what was for it alone' \
	"$(marks a.ctr command | grep -c 'only b')/$(marks b.ctr command |
		grep -c 'only b')" 0/1
same 'all twenty are there, in order' \
	"$(marks a.ctr command | sed -n 's/^series //p' | tr '\n' ' ')" \
	'1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 '
same 'a text makes no line of its own' \
	"$("$analyze" dump a.ctr 2>/dev/null | grep -c '^# fake')" 0
"$analyze" info --json a.ctr >info.json 2>/dev/null
at=$(json info.json '[m["time"] for m in d["marks"]["first"]
	if m["mark"].startswith("a text")][0]')
that 'its time is that of the call' test "$at" -ge "$before" -a \
	"$at" -le "$after"
"$analyze" dump --json a.ctr 2>/dev/null | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
times = [r["time"] for r in rows]
kinds = ["mark" in r for r in rows]
at = kinds.index(True)
sys.exit(not (times == sorted(times) and 0 < at and not all(kinds[at:])))'
that 'and it stands at its time among the samples' test $? -eq 0
that 'the list of marks is in info' grep -q 'a text of several words (rec mark' \
	<("$analyze" info a.ctr 2>/dev/null)
"$analyze" dump --time 'mark:series 1,mark:series 2' a.ctr 2>/dev/null |
	grep -o 'mark: series .*[0-9] ' >between.txt
same 'a part from one mark to another' "$(tr '\n' ';' <between.txt)" \
	'mark: series 1 ;mark: series 2 ;'
same 'no socket is left' "$(sockets $first) $(sockets $second)" ' '

# A burst is slowed down, and nothing that was taken is lost.
begin c.ctr "$bin" -a
python3 - "$(sockets $pid)" <<'PY' >sent.txt
import socket, struct, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.settimeout(10)
s.connect("/run/coltrace/" + sys.argv[1])
n = 0
end = time.monotonic() + 1.5
while time.monotonic() < end:
    s.send(b"ctr mark" + struct.pack("<Q", time.monotonic_ns()) + b"flood")
    n += 1
for junk in (b"", b"x", b"ctr mark", b"\xff" * 9000, b"READY=1"):
    s.send(junk)
print(n)
PY
sleep 0.3
end $pid
same 'all of a flood that was taken is there' \
	"$(marks c.ctr command | grep -c flood)" "$(cat sent.txt)"
that "and it is slowed down ($(cat sent.txt) in 1.5 s)" \
	test "$(cat sent.txt)" -lt 2500

# A killed recorder leaves its socket: no recording, and it is cleared away.
begin d.ctr "$bin" -a
kill -9 $pid
wait $pid 2>/dev/null
killed=$pid
listens $killed || not_ok 'a killed recorder leaves its socket'
exits 'a killed recorder is none' 1 "$bin" mark --pid $killed hello
begin d.ctr "$bin" -a
same 'what it left is removed' "$(sockets $killed)" ''
end $pid

# -- Users --------------------------------------------------------------------

if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ]; then
	skip 'marks of ordinary users' 'perf_event_paranoid is over 2'
else
	rm -rf /tmp/coltrace-65534
	begin e.ctr "$bin" -a
	root_pid=$pid
	plain "$bin" -q -F 99 -e cpu-clock:u -o f.ctr -- ./spin 1 30 2>f.err &
	wait_for 10 sh -c 'ls -A /tmp/coltrace-65534 2>/dev/null | grep -q .' ||
		not_ok 'a user can record' "$(cat f.err)"
	user_pid=$(find /tmp/coltrace-65534 -type s -printf '%f\n')
	user_pid=${user_pid%%-*}
	exits 'a user reaches the own recording' 0 plain "$bin" mark from user
	exits 'and no other' 1 plain "$bin" mark --pid $root_pid intruder
	exits 'root reaches all' 0 "$bin" mark from root
	sleep 0.3
	kill -INT "$user_pid"
	wait_for 10 sh -c "! kill -0 $user_pid 2>/dev/null"
	exits 'a user whose recording ended' 1 plain "$bin" mark late
	end $root_pid
	same 'the user has both' \
		"$(marks f.ctr command | grep '^from ' | tr '\n' ';')" \
		'from user;from root;'
	same 'root has its own' \
		"$(marks e.ctr command | grep '^from ' | tr '\n' ';')" \
		'from root;'
	rm -rf /tmp/coltrace-65534
fi

# -- trace_marker -------------------------------------------------------------

tracing=/sys/kernel/tracing
instances() { find $tracing/instances -name "coltrace-$1-*" | wc -l; }
if [ ! -e $tracing/options/copy_trace_marker ]; then
	skip 'trace_marker' 'this kernel does not copy it'
	exits 'without it the recording goes on' 0 \
		"$bin" --trace-marker -F 99 -o g.ctr -- true
	says 'and says so' 'trace_marker is not recorded'
else
	begin g.ctr "$bin" -a --trace-marker
	wait_for 5 sh -c "[ -d $tracing/instances/coltrace-$pid-0 ]"
	before=$(monotonic)
	echo 'from the kernel' >$tracing/trace_marker
	after=$(monotonic)
	printf 'two\nlines' | dd of=$tracing/trace_marker bs=100 status=none
	echo -n x >$tracing/instances/coltrace-$pid-0/trace_marker
	for i in $(seq 300); do echo "m $i"; done |
		while read -r l; do echo "$l"; done >$tracing/trace_marker
	sleep 0.3
	end $pid
	same 'lines of trace_marker are marks' \
		"$(marks g.ctr trace_marker | grep -c '^from the kernel$')" 1
	same 'several lines of one write are one' \
		"$(marks g.ctr trace_marker | grep -A1 '^two' | tr '\n' ';')" \
		'two;lines;'
	same 'none of 300 is lost' \
		"$(marks g.ctr trace_marker | grep -c '^m [0-9]*$')" 300
	at=$("$analyze" info --json g.ctr 2>/dev/null >info.json &&
		json info.json '[m["time"] for m in d["marks"]["first"]
			if m["mark"] == "from the kernel"][0]')
	that 'its time is that of the write' test "$at" -ge "$before" -a \
		"$at" -le "$after"
	same 'the trace instance is removed' "$(instances $pid)" 0
	begin h.ctr "$bin" -a --trace-marker
	wait_for 5 sh -c "[ -d $tracing/instances/coltrace-$pid-0 ]"
	kill -9 $pid
	wait $pid 2>/dev/null
	same 'a killed recorder leaves one' "$(instances $pid)" 1
	exits 'the next recording' 0 "$bin" -q -F 99 -o h.ctr -- ./spin 1 1
	same 'removes it' "$(instances $pid)" 0
	exits 'without permission the recording goes on' 0 \
		plain "$bin" -e cpu-clock:u --trace-marker -o i.ctr -- ./spin 1 1
	says 'and says so' 'trace_marker is not recorded'
	that 'also in the file' grep -q 'note.trace_marker' \
		<("$analyze" info i.ctr 2>/dev/null)
fi

# -- Standard output ----------------------------------------------------------

exits 'without a command there is no output' 125 \
	"$bin" -a --mark-from-stdout x
exits 'a bad expression' 125 "$bin" --mark-from-stdout 'a(b' -- true
says 'is named' "'a\(b'"
cat >talk.py <<'PY'
import os, random, sys
random.seed(7)
blob = bytearray()
n = 0
while len(blob) < 10 << 20:
    if random.random() < 0.01:
        n += 1
        blob += b"phase %d\n" % n
    else:
        blob += random.randbytes(random.randrange(300)).replace(b"p", b"q")
        if random.random() < 0.5:
            blob += b"\n"
blob += b"phase last"
open("want.bin", "wb").write(blob)
at = 0
while at < len(blob):
    m = random.randrange(1, 100000)
    os.write(1, blob[at:at + m])
    at += m
PY
"$bin" -q -F 99 -o j.ctr --mark-from-stdout '^phase [0-9la]' -- \
	python3 talk.py >got.bin 2>j.err
that 'ten binary megabytes pass unchanged' cmp want.bin got.bin
python3 - <<'PY' >want.txt
import re
for line in open("want.bin", "rb").read().split(b"\n"):
    if re.match(rb"phase [0-9la]", line):
        print(line[:4096].decode("latin1"))
PY
marks j.ctr stdout >got.txt
that "each line that matches is a mark ($(wc -l <want.txt))" \
	cmp want.txt got.txt
"$bin" -q -F 99 -o k.ctr --mark-from-stdout x -- \
	sh -c 'printf "no end"; sleep 2; echo' | {
	read -r -t 1 -N 6 early
	echo "$early" >early.txt
	cat >/dev/null
}
same 'part of a line is passed on at once' "$(cat early.txt)" 'no end'
"$bin" -q -F 99 -o l.ctr --mark-from-stdout y -- yes 2>l.err | head -1 >y.txt
same 'a reader that leaves ends the command as without rec' \
	"${PIPESTATUS[0]}/$(cat y.txt)" 141/y
run "$analyze" check l.ctr
that 'and the file is whole' test $rc -eq 0
exits "the command's status" 3 \
	"$bin" -q -F 99 -o m.ctr --mark-from-stdout x -- sh -c 'echo x; exit 3'
same 'a mark of its last moment' "$(marks m.ctr stdout)" x
run timeout 10 "$bin" -q -F 99 -o n.ctr --mark-from-stdout x -- \
	sh -c 'echo x; sleep 20 & exit 4'
that 'a child that keeps the pipe does not hold it up' test $rc -eq 4
"$bin" -q -F 99 -o - --mark-from-stdout x -- sh -c 'echo x' 2>o.err >o.ctr
same 'the trace itself on standard output' \
	"$(marks o.ctr stdout)/$(grep -vF rec: o.err)" x/x

# -- Where a process is -------------------------------------------------------

# where FILE: "COMMAND PID_NS CGROUP" of its busiest process.
where() {
	"$analyze" report -g none -s comm,pid_ns,cgroup --json "$1" 2>/dev/null \
		>where.json &&
		json where.json '"{command} {pid_ns} {cgroup}".format(
			**d["events"][0]["rows"][0])'
}
cgroup=$(sed -n 's/^0:://p' /proc/self/cgroup)
if ! unshare -p -f --mount-proc true 2>/dev/null; then
	skip 'pid namespaces' 'none can be made here'
else
	unshare -p -f --mount-proc ./spin 1 20 &
	outer=$!
	wait_for 5 pgrep -P $outer >/dev/null
	inner=$(pgrep -P $outer)
	later "kill $outer $inner 2>/dev/null"
	exits 'a process of a container' 0 "$bin" -q -F 999 -p "$inner" \
		--duration 500ms -o p.ctr
	same 'is recorded' "$("$analyze" dump --json p.ctr 2>/dev/null |
		python3 -c 'import json, sys
print(*{json.loads(l)["pid"] for l in sys.stdin})')" "$inner"
	ns=$(readlink "/proc/$inner/ns/pid" | tr -dc 0-9)
	same 'in its namespace and group' "$(where p.ctr)" "spin $ns $cgroup"
	exits 'the whole machine' 0 "$bin" -q -F 999 -a --duration 500ms -o q.ctr
	same 'shows it there, too' "$("$analyze" report -g none --csv \
		-s pid,pid_ns --pid "$inner" q.ctr 2>/dev/null |
		grep -c ",$ns\$\|,$ns,")" 1
	# From inside, its number is another one.
	exits 'from inside' 0 unshare -p -f --mount-proc "$bin" -q -F 999 \
		-o r.ctr -- ./spin 1 1
	that 'its namespace is the inner one' test \
		"$(where r.ctr | cut -d' ' -f2)" != \
		"$(readlink /proc/self/ns/pid | tr -dc 0-9)"
fi
finish
