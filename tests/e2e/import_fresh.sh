#!/usr/bin/env bash
# Text that perf and the kernel print now, imported: what dump prints is what was
# read.
. "$(dirname "$0")/lib.sh"
. "$root/tests/support/textimport.sh"
need_root
need_tool python3
has_perf || skip_all "$perf_why"

work_hard='for i in 1 2; do ls -lR /etc | sort | gzip -9 >/dev/null
	python3 -c "print(sum(len(str(i)) for i in range(200000)))"; done'

# A row a line, in the order of the text; of equal times in any. Addresses are
# left out: a function that lies at several is one.
cat >plain.py <<'END'
import re, sys
rows = []
for l in open(sys.argv[1], errors="surrogateescape"):
    l = re.sub(r" +", " ", l.rstrip())
    if not l:
        continue
    if l.startswith("\t"):
        rows[-1].append(re.sub(r"^\t ?[0-9a-f]+ (?=.* \(.*\)$)", "", l))
    else:
        rows.append([re.sub(r"(cpu-clock: )[0-9a-f]+ (?=.*\(.*\)$)",
                            r"\1", l.strip())])
for row in sorted(rows):
    print(" | ".join(row))
END
live_perf_script() { # NAME OPTIONS...
	local name=$1 f
	shift
	perf record --no-bpf-event -BN -q -o l.data "$@" -- sh -c "$work_hard" \
		>/dev/null 2>&1 || {
		skip "$name" "perf record failed"
		return
	}
	# It may end by an assertion of its own.
	if ! perf script -i l.data >l.txt 2>script.err; then
		skip "$name" "perf script failed: $(tail -n 1 script.err)"
		return
	fi
	if ! imported l.txt; then
		not_ok "$name" "$(cat import.err)"
		return
	fi
	"$analyze" dump t.ctr >d.txt 2>dump.err
	for f in l d; do python3 plain.py $f.txt >$f.plain; done
	# On a machine that does nothing else few are woken.
	if [ "$(wc -l <l.plain)" -gt 20 ] && cmp -s l.plain d.plain; then
		ok "$name: $(wc -l <l.plain) rows come back as they were"
	else
		not_ok "$name" "$(wc -l <l.plain) rows $(diff <(sed 's/ | /\n    /g' l.plain) \
			<(sed 's/ | /\n    /g' d.plain) | head -n 8)"
	fi
}

# The kernel's own text of a ring, against the same lines.
live_ftrace() {
	local t=/sys/kernel/tracing i
	[ -d $t/instances ] || mount -t tracefs nodev $t 2>/dev/null
	i=$t/instances/coltrace-e2e-$$
	mkdir $i 2>/dev/null || {
		skip "a ring's text" "no instance of tracefs here"
		return
	}
	later "rmdir $i 2>/dev/null"
	echo mono >$i/trace_clock
	echo 1 >$i/events/sched/sched_switch/enable
	echo 1 >$i/events/sched/sched_waking/enable
	echo 1 >$i/options/record-tgid 2>/dev/null
	echo 'a mark of ours' >$i/trace_marker
	sh -c "$work_hard" >/dev/null 2>&1
	echo 0 >$i/tracing_on
	cat $i/trace >ring.txt
	echo 0 >$i/events/enable
	# The kernel forgets names of threads that have gone.
	check_rows ftrace ring.txt nameless
	same "a line of trace_marker is a mark" "$("$analyze" info --json t.ctr |
		grep -c 'a mark of ours')" "$(grep -c 'a mark of ours' ring.txt)"
}

live_perf_script "samples with stacks" -e cpu-clock -F 999 -a -g
live_perf_script "samples without stacks" -e cpu-clock -F 999 -a
live_perf_script "tracepoints" -a -e sched:sched_switch \
	-e sched:sched_process_exec -e raw_syscalls:sys_exit
live_perf_script "tracepoints with stacks" -a -g -e sched:sched_waking
live_ftrace
finish
