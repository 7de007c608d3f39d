#!/usr/bin/env bash
# Files of trace-cmd, imported, tell what trace-cmd itself reports of them: those
# that others recorded, and recordings made here in both versions.
# Beside others: it reads files, and trace-cmd asks for none.
. "$(dirname "$0")/lib.sh"
need_tool python3
need_tool xz
shared=${SHARED:-$root/../shared}
public=$shared/data/public/trace-dat gpu=$shared/data/gpu

# import NAME FILE: into x.ctr and x.json
import() {
	run "$rec" import -q "$2" -o x.ctr
	[ $rc -eq 0 ] || { not_ok "$1" "exit $rc: $err"; return 1; }
	"$analyze" dump --json x.ctr >x.json 2>x.err
	"$analyze" info --json x.ctr >x.info
	kernel_text=$("$analyze" info x.ctr | sed -n 's/^kernel_text *//p')
}
# as_reported NAME REPORT [--raw]: its fields are there, unprinted
as_reported() {
	if python3 "$here/tracedatcmp.py" ${3:+"$3"} "$2" x.json \
		${kernel_text:+"$kernel_text"} >cmp.txt 2>&1; then
		ok "$1: $(cat cmp.txt)"
	else
		not_ok "$1" "$(tail -n 3 cmp.txt)"
	fi
}
# whole NAME FILE: by trace-cmd, with every field
whole() {
	import "$1" "$2" || return
	trace-cmd report -R -t -N --nodate "$2" >x.report 2>/dev/null
	as_reported "$1" x.report --raw
}
fact() { json x.info "d['machine'].get('$1', '')"; }

# -- Recorded by others -------------------------------------------------------

public_file() { # NAME
	xz -dkc "$public/$1.xz" >"$1"
	xz -dkc "$public/$1.report.txt.xz" >"$1.txt"
	import "$1" "$1" && as_reported "public $1, as reported" "$1.txt"
	import "$1.xz" "$public/$1.xz" &&
		as_reported "public $1, compressed" "$1.txt"
	if command -v trace-cmd >/dev/null; then
		whole "public $1, all fields" "$1"
	fi
}
# By the kallsyms that the file has.
kernel_names() { # FILE
	import "names of $1" "$1" || return
	trace-cmd report -N -t "$1" >x.report 2>/dev/null
	if python3 "$here/tracedatnames.py" x.report x.json >cmp.txt 2>&1; then
		ok "kernel stacks of $1 are named as trace-cmd does: $(cat cmp.txt)"
	else
		not_ok "kernel stacks of $1" "$(tail -n 3 cmp.txt)"
	fi
}

if [ -d "$public" ]; then
	for f in trace.dat trace2.dat trace_idle.dat; do public_file $f; done
	if command -v trace-cmd >/dev/null; then kernel_names trace2.dat; fi
else
	skip 'files that others recorded' "no $public"
fi

gpu_file() { # FOLDER
	local name=$1/flip.trace.dat
	whole "display frames, $1" "$gpu/$name"
	marks=$("$analyze" dump x.ctr 2>/dev/null | grep -c ' mark: GT ')
	said=$(grep -c '^GT' "$gpu/$1/flip.trace.gt")
	if [ "$marks" -eq "$said" ]; then
		ok "display frames, $1: $marks lines of trace_marker are marks"
	else
		not_ok "display frames, $1: marks" "$marks, not $said"
	fi
	"$analyze" dump -F trace -e ftrace:print x.ctr 2>/dev/null |
		sed -n 's/^ *[^ :]*: GT/GT/p' >print.txt
	that "display frames, $1: and rows that say what was written" \
		diff print.txt <(grep '^GT' "$gpu/$1/flip.trace.gt")
}
if [ ! -d "$gpu" ]; then
	skip 'display frames' "no $gpu"
elif ! command -v trace-cmd >/dev/null; then
	skip 'display frames' "no trace-cmd here"
else
	gpu_file stable
	gpu_file new
fi

# -- Damaged ------------------------------------------------------------------

if [ -f trace_idle.dat ]; then
	head -c 3290000 trace_idle.dat >cut.dat
	exits 'a file that is cut gives what it has' 0 \
		"$rec" import cut.dat -o cut.ctr
	says 'and says where it ends' 'offset [0-9]+'
	head -c 100000 trace_idle.dat >cut.dat
	exits 'one without records is damaged' 6 \
		"$rec" import cut.dat -o cut2.ctr
	says 'and says why' 'the file ends at 100000'
fi

# -- Recorded here ------------------------------------------------------------

command -v trace-cmd >/dev/null || {
	skip 'recordings made here' "no trace-cmd here"
	finish
}
if [ "$(id -u)" -ne 0 ]; then
	skip 'recordings made here' "needs root"
	finish
fi
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null

clock=$(sed 's/.*\[\(.*\)\].*/\1/' $tracing/trace_clock)
later "echo $clock >$tracing/trace_clock"

# Where a kernel keeps function tracing to itself, trace-cmd stops at files that
# it only wants to reset: it gets others in their place.
cat >tracer.sh <<'EOF'
n=0
for f in /proc/sys/kernel/ftrace_enabled "$TRACING"/set_ftrace_* \
	"$TRACING"/instances/*/set_ftrace_*; do
	[ -e "$f" ] || continue
	n=$((n + 1))
	echo >"standin$n"
	mount --bind "standin$n" "$f"
done
exec trace-cmd "$@"
EOF
record() { # FILE OPTIONS… -- COMMAND: exit status in $rc
	local file=$1
	shift
	TRACING=$tracing timeout 60 unshare -m sh ./tracer.sh record -q \
		-o "$file" "$@" >record.txt 2>&1
	rc=$?
	echo 1 >$tracing/tracing_on
	return $rc
}
write_lines="for i in 1 2 3; do echo line \$i >$tracing/trace_marker
	ls / >/dev/null; done"

if ! record try.dat -C mono -e sched_switch true; then
	skip 'recordings made here' "trace-cmd: $(tail -n 1 record.txt)"
	finish
fi

live() { # NAME OPTIONS…
	local name=$1
	shift
	if record live.dat "$@" sh -c "$write_lines"; then
		whole "$name" live.dat
	else
		skip "$name" "trace-cmd: $(tail -n 1 record.txt)"
		return 1
	fi
}

live 'version 7, zstd' -C mono -e sched -e syscalls --compression zstd &&
	if [ "$(fact clock)" = monotonic ]; then
		ok 'its clock is ours'
	else
		not_ok 'its clock is ours' "$(fact clock)"
	fi
live 'version 7, not compressed' -C mono -e sched --compression none
live 'version 6' --file-version 6 -C mono -e sched -e irq
live 'version 6, kernel stacks, another clock' --file-version 6 -C boot -T \
	-e sched &&
	if fact note.clock | grep -q "clock 'boot'"; then
		ok 'which is said'
	else
		not_ok 'which is said' "$(cat x.info)"
	fi
live 'version 7, stacks of both kinds' -C mono -O stacktrace \
	-O userstacktrace -e sched
live 'counted, not timed' -C counter -e sched
live 'cycles' -C x86-tsc -e sched
live 'some left out by a filter' -C mono -e sched_switch -f 'next_pid == 0' \
	-e sched_waking -f 'pid < 100'
live 'with a date' --date -e sched_switch &&
	if [ "$(json x.info "len(d['clock']['readings'])")" -eq 1 ]; then
		ok 'which is a reading of the wall clock'
	else
		not_ok 'which is a reading of the wall clock' \
			"$("$analyze" info x.ctr | grep clock)"
	fi
live 'with an offset' --ts-offset 5000 -C mono -e sched_switch
for version in 6 7; do
	mkdir -p $tracing/instances/import_test
	live "version $version, an instance" --file-version $version -C mono \
		-e sched -B import_test -e irq -e timer
	rmdir $tracing/instances/import_test 2>/dev/null
done

# What the kernel counted as overwritten is lost, no more and no less.
if record loss.dat -C mono -b 8 -e syscalls -e sched sh -c \
	'dd if=/dev/zero of=/dev/null bs=1 count=60000 2>/dev/null'; then
	whole 'more than a small ring holds' loss.dat
	lost=$(trace-cmd report --stat loss.dat 2>/dev/null |
		awk '/^(overrun|dropped events):/ { n += $NF } END { print n + 0 }')
	had=$(json x.info "d['losses']['samples']")
	if [ "$lost" -eq "$had" ]; then
		ok "$lost records lost, as the kernel says"
	else
		not_ok 'as many records lost as the kernel says' "$had, not $lost"
	fi
fi

finish
