#!/usr/bin/env bash
# rec list has perf list's names, and what it calls usable can be recorded; the
# verdicts of rec doctor are what truly works, as root and as a plain user, at
# each level of perf_event_paranoid.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3
need_tool setpriv

mkdir -m 777 open
cp "$rec" "$samples/spin" open/ # where every user finds it
chmod 755 open/rec open/spin
bin=$work/open/rec
cd open || exit 1
plain() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
monitor() {
	plain --inh-caps=+perfmon --ambient-caps=+perfmon "$@"
}
as_root() { "$@"; }

# names KIND [WORD...]: as rec has them, and their aliases.
names() {
	local kind=$1
	shift
	"$bin" list --json "$@" 2>/dev/null | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["version"] == 1
for e in d["events"]:
    if e["kind"] == sys.argv[1]:
        print(" OR ".join(n for n in (e["name"], e["alias"]) if n))' "$kind" |
		sort
}
# perf_names KIND-IN-BRACKETS [WORD...]: as perf has them.
perf_names() {
	local kind=$1
	shift
	perf list --no-desc "$@" 2>/dev/null |
		sed -n "s/^  \(.*[^ ]\) *\[$kind\]\$/\1/p" | sort
}
compare() { # compare NAME OURS PERFS
	if [ -z "$3" ]; then
		skip "$1" 'perf lists none'
	elif [ "$2" = "$3" ]; then
		ok "$1: $(printf '%s\n' "$2" | wc -l)"
	else
		not_ok "$1" "$(diff <(printf '%s\n' "$2") \
			<(printf '%s\n' "$3") | head -20)"
	fi
}
if command -v perf >/dev/null; then
	compare 'software events as perf list has them' "$(names software)" \
		"$(perf_names 'Software event')"
	compare 'PMU events as perf list has them' "$(names pmu)" \
		"$(perf_names 'Kernel PMU event')"
	if [ -r /sys/kernel/tracing/events/sched ]; then
		compare 'tracepoints as perf list has them' \
			"$(names tracepoint)" "$(perf_names 'Tracepoint event')"
		for glob in 'sched:*' 'block:block_rq_*' 'sched:sched_switch' \
			'*fault*' 'sched_wak'; do
			compare "tracepoints of $glob" \
				"$(names tracepoint "$glob")" \
				"$(perf_names 'Tracepoint event' "$glob")"
		done
	fi
	compare 'the word sw' "$(names software sw)" \
		"$(perf_names 'Software event' sw)"
	compare 'part of a name' "$(names software fault)" \
		"$(perf_names 'Software event' fault)"
else
	skip 'names as perf list has them' 'no perf here'
fi

best=$(for _ in 1 2 3 4 5; do
	at=$(date +%s%N)
	"$bin" list tracepoint >/dev/null 2>&1
	echo $((($(date +%s%N) - at) / 1000000))
done | sort -n | head -1)
case $(cat "$B/flags.stamp" 2>/dev/null) in
*fsanitize*) skip 'all tracepoints in 200 ms' 'built with sanitizers' ;;
*) that "all tracepoints in 200 ms ($best)" test "$best" -lt 200 ;;
esac

# What is called usable is recorded, what is not is refused.
usable() { # usable WHO
	"$1" "$bin" list --json sw hw 2>/dev/null | python3 -c '
import json, sys
for e in json.load(sys.stdin)["events"]:
    print(e["name"], "usable" if e["usable"] else "needs")'
}
for who in as_root plain; do
	wrong=
	while read -r event verdict; do
		# Sampled needs a program of BPF to feed it.
		[ "$event" = bpf-output ] && continue
		rm -f x.ctr
		if "$who" "$bin" -q -e "$event" -c 100000 -o x.ctr -- true \
			2>err.txt; then
			[ "$verdict" = usable ] && continue
			# A user's part of what happens in the kernel is taken,
			# and empty.
			grep -q 'user space only' <("$who" "$bin" -e "$event" \
				-c 1 -o x.ctr -- true 2>&1) && continue
		else
			[ "$verdict" = needs ] && continue
		fi
		wrong="$wrong $event($verdict)"
	done < <(usable $who)
	same "$who: what is usable and what is not" "$wrong" ''
done

# -- rec doctor ---------------------------------------------------------------

sleep 300 &
roots=$!
# Without the function: a shell of its own would stand between.
setpriv --reuid=65534 --regid=65534 --clear-groups sleep 300 &
plains=$!
later "kill $roots $plains 2>/dev/null"

# verdicts WHO: "ABILITY VERDICT" lines.
verdicts() {
	"$1" "$bin" doctor --json >doctor.json 2>/dev/null
	json doctor.json "'\n'.join(a['id'] + ' ' + a['verdict']
		for a in d['abilities'])"
}
verdict() { verdicts "$1" | sed -n "s/^$2 //p"; }
try_own_user() { "$1" "$bin" -q -e cpu-clock:u -o x.ctr -- true; }
try_own_kernel() { "$1" "$bin" -q -e cpu-clock:k -o x.ctr -- true; }
try_system() { "$1" "$bin" -q -a --duration 50ms -o x.ctr; }
try_other_users() {
	local pid=$roots
	[ "$1" = as_root ] && pid=$plains
	"$1" "$bin" -q -e cpu-clock:u -p $pid --duration 50ms -o x.ctr
}
try_kernel_names() {
	"$1" grep -m 1 ' [tT] ' /proc/kallsyms | grep -qv '^0*0 '
}
# perf judges by itself, with a copy where the user can read it.
try_tracepoints() {
	HOME=$work/open "$1" perf record --no-bpf-event -q -e sched:sched_process_exec \
		-o perf.x -- true
}
try_gpu() { "$1" "$bin" -q --gpu --duration 50ms -o x.ctr; }
try_hardware() { "$1" "$bin" -q -e cycles:u -o x.ctr -- true; }

judge() { # judge WHO LEVEL
	local a v works
	while read -r a v; do
		if [ "$a" = tracepoints ] && ! command -v perf >/dev/null; then
			continue
		fi
		rm -rf x.ctr perf.x
		works=no
		"try_$(echo "$a" | tr - _)" "$1" >try.txt 2>&1 </dev/null &&
			works=yes
		case $v in
		yes | partly | later) said=yes ;;
		*) said=$v ;;
		esac
		if [ "$said" = $works ]; then
			ok "$1 at $2: $a: $v"
		else
			not_ok "$1 at $2: $a: $v" "it works: $works
$(tail -3 try.txt)"
		fi
	done < <(verdicts "$1")
}

paranoid=/proc/sys/kernel/perf_event_paranoid
was=$(cat $paranoid)
later "echo $was >$paranoid"
for level in 2 1 0 -1; do
	echo $level >$paranoid || break
	for who in as_root plain; do
		judge $who $level
	done
done
echo 2 >$paranoid
if monitor true 2>/dev/null; then
	judge monitor 2
fi

# The commands it proposes mend: each sysctl makes a "no" a "yes".
for a in own-kernel system; do
	echo 2 >$paranoid
	plain "$bin" doctor --json >doctor.json
	cmd=$(json doctor.json "[m['command'] for a in d['abilities'] \
if a['id'] == '$a' for m in a['mends'] \
if m['command'].startswith('sysctl')][0]")
	# shellcheck disable=SC2086 # a command line
	if command -v sysctl >/dev/null && $cmd >/dev/null; then
		same "$cmd mends $a" "$(verdict plain $a)" yes
	else
		skip "the mend of $a" 'no sysctl here'
	fi
done
echo 2 >$paranoid
if command -v setcap >/dev/null; then
	plain "$bin" doctor --json >doctor.json
	cmd=$(json doctor.json "d['setcap_for_all']")
	# shellcheck disable=SC2086 # a command line
	if $cmd 2>/dev/null; then
		for a in own-kernel system other-users kernel-names; do
			same "setcap mends $a" "$(verdict plain $a)" yes
		done
		setcap -r "$bin"
	else
		skip 'setcap mends' 'this file system takes no capabilities'
	fi
fi
echo "$was" >$paranoid

# A filter in front of the system call, as a container has it.
case $(uname -m) in
x86_64) nr=298 ;;
aarch64) nr=241 ;;
*) nr= ;;
esac
filtered() {
	python3 - $nr "$@" <<-'END'
	import ctypes, os, struct, sys
	libc = ctypes.CDLL(None)
	code = [(0x20, 0, 0, 0), (0x15, 0, 1, int(sys.argv[1])),
	        (6, 0, 0, 0x00050001), (6, 0, 0, 0x7fff0000)]
	bytes = b"".join(struct.pack("HBBI", *c) for c in code)
	keep = ctypes.create_string_buffer(bytes)
	class Program(ctypes.Structure):
	    _fields_ = [("n", ctypes.c_ushort), ("at", ctypes.c_void_p)]
	program = Program(len(code), ctypes.addressof(keep))
	if libc.prctl(38, 1, 0, 0, 0) or \
	   libc.prctl(22, 2, ctypes.byref(program)):
	    sys.exit(77)
	os.execv(sys.argv[2], sys.argv[2:])
	END
}
if [ -n "$nr" ]; then
	exits 'behind a filter the status is 1' 1 filtered "$bin" doctor
	that 'and the filter is named' grep -q 'seccomp' <<<"$out"
	that 'and no sysctl proposed for it' \
		test -z "$(grep 'sysctl k.*paranoid' <<<"$out")"
fi
exits 'own programs can be recorded: status 0' 0 "$bin" doctor

# Only the first word is a command.
printf '#!/bin/sh\necho I am list\n' >list
chmod +x list
PATH=$PWD:$PATH exits 'a program called list is recorded' 0 \
	"$bin" -q -o x.ctr -- list
same 'it ran' "$out" 'I am list'
"$bin" --help >help.txt
that 'the help of rec tells of list' grep -q '^  list ' help.txt
that 'and of doctor' grep -q '^  doctor ' help.txt
exits 'a full device is a failure' 125 sh -c "'$bin' list >/dev/full"
says 'and said' 'cannot write standard output'
finish
