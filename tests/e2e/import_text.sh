#!/usr/bin/env bash
# Text of other tools, imported: public files against what a second reading of
# them by other means gives, and fresh text against itself.
. "$(dirname "$0")/lib.sh"
need_tool python3
data=${SHARED:-$root/../shared}/data/public

# What a file holds, read by regular expressions: a line a row, as rows.py has
# them.
cat >expect.py <<'END'
import gzip, re, sys

def lines(path):
    raw = open(path, "rb").read()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    for bom, name in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if raw.startswith(bom):
            return raw[2:].decode(name).splitlines()
    return raw.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")

def ns(text):
    whole, part = text.split(".")
    return int(whole) * 10**9 + int(part.ljust(9, "0"))

HEAD = re.compile(r"^\s*(\S.*?)\s+(?:(\d+)/)?(\d+)\s+(?:\[(\d+)\]\s+)?"
                  r"(?:(\d+\.\d+):\s+)?(?:(\d+)\s+)?([A-Za-z]\S*):\s*(.*)$")
FRAME = re.compile(r"^\s*([0-9a-f]+) (.+?)(?:\+0x[0-9a-f]+)? \(([^()]*)\)$")

def perfscript(path):
    row, n = None, 0
    for l in lines(path):
        head = None if l.startswith(("#", "\t")) else HEAD.match(l)
        if head and not FRAME.match(l.split(":")[-1]) or (
                head and re.search(r"\d: +\d+ \S+: ", l)):
            if row:
                yield row
            n += 1
            comm, pid, tid, cpu, time, period, event, rest = head.groups()
            own = FRAME.match(rest)
            row = (ns(time) if time else n, int(pid or tid), int(tid),
                   int(cpu or 0), comm, event, int(period or 1), [])
            frame = own
        else:
            frame = FRAME.match(l)
        if row and frame:
            row[7].append(None if frame[2] == "[unknown]" else frame[2])
    if row:
        yield row

def ftrace(path):
    known = {}  # the process of a thread, where a line before told it
    for l in lines(path):
        m = re.match(r"^\s*(.+)-(\d+)\s+(?:\(\s*(\d+|-+)\)\s+)?\[(\d+)\]\s+"
                     r"(?:\S+\s+)?(\d+\.\d+): (\w+): (.*)$", l)
        if m:
            comm, tid, pid, cpu, time, event, text = m.groups()
            pid = (pid if pid and pid[0] != "-" else
                   known.get(tid, tid))
            if comm != "<...>":
                known[tid] = pid
            # coltrace calls the idle thread as perf does.
            comm = "swapper" if comm == "<idle>" else comm
            yield (ns(time), int(pid), int(tid), int(cpu), comm, event, 1,
                   text)

def folded(path):
    good = [m for m in (re.match(r"^(.*\S) (\d*\.?\d+)$", l)
                        for l in lines(path)) if m]
    two = all(re.search(r" [\d.]+$", m[1]) for m in good)
    scale = 10 ** max(len(m[2].rstrip("0").partition(".")[2]) if "." in m[2]
                      else 0 for m in good)
    total = {}
    for m in good:
        stack, counts = m[1], [m[2]]
        if two:
            stack, first = m[1].rsplit(" ", 1)
            counts = [first] + counts
        for i, c in enumerate(counts):
            whole, _, part = c.partition(".")
            v = int(whole or 0) * scale + (
                int(part) * scale // 10 ** len(part) if part else 0)
            key = (("before", "after")[i] if two else "folded", stack)
            total[key] = total.get(key, 0) + v
    return sorted((e, s, v) for (e, s), v in total.items() if v)

for row in sorted(globals()[sys.argv[1]](sys.argv[2]), key=repr):
    print(repr(row if sys.argv[3:] != ["nameless"] else row[:4] + row[5:]))
END
# The same of a trace: `analyze dump --json`.
cat >rows.py <<'END'
import json, sys
rows = []
for line in sys.stdin.buffer.read().decode("utf-8", "surrogateescape").split("\n"):
    if not line:
        continue
    d = json.loads(line)
    if "tid" not in d:  # a mark
        continue
    head = (d["time"], d["pid"], d["tid"], d["cpu"], d["comm"])
    if "fields" in d and sys.argv[1] == "ftrace":
        rows.append(head + (d["event"].partition(":")[2], d["period"],
                            d["fields"]["text"]))
    else:
        rows.append(head + (d["event"], d["period"],
                            [f["sym"] for f in d["stack"]]))
for row in sorted(rows, key=repr):
    print(repr(row if sys.argv[2:] != ["nameless"] else row[:4] + row[5:]))
END

imported() { # FILE: into t.ctr
	rm -f t.ctr
	"$rec" import -q -o t.ctr "$1" >import.out 2>import.err
}
check_rows() { # KIND FILE [nameless]: without the names of threads
	local name=${2#"$data"/}
	if ! imported "$2"; then
		not_ok "$name" "$(cat import.err)"
		return
	fi
	python3 expect.py "$@" >want.txt
	"$analyze" dump --json t.ctr 2>dump.err |
		python3 rows.py "$1" ${3+"$3"} >got.txt
	if [ -s want.txt ] && cmp -s want.txt got.txt; then
		ok "$name: $(wc -l <got.txt) rows, as a second reading has them"
	else
		not_ok "$name" "$(diff want.txt got.txt | head -n 6 | cut -c1-300)"
	fi
}
check_folded() { # FILE
	local name=${1#"$data"/} events e
	if ! imported "$1"; then
		not_ok "$name" "$(cat import.err)"
		return
	fi
	python3 expect.py folded "$1" >want.txt
	events=$("$analyze" info --json t.ctr 2>/dev/null | python3 -c '
import json, sys
print(*(e["name"] for e in json.load(sys.stdin)["events"]))')
	for e in $events; do
		"$analyze" folded --all --weight period -e "$e" t.ctr 2>/dev/null |
			python3 -c '
import sys
for l in sys.stdin.buffer.read().decode("utf-8", "surrogateescape").splitlines():
    s, v = l.rsplit(" ", 1)
    print(repr((sys.argv[1], s, int(v))))' "$e"
	done | sort >got.txt
	sort -o want.txt want.txt
	if [ -s want.txt ] && cmp -s want.txt got.txt; then
		ok "$name: $(wc -l <got.txt) stacks with their weights"
	else
		not_ok "$name" "$(diff want.txt got.txt | head -n 6 | cut -c1-300)"
	fi
}
refused() { # FILE
	if imported "$1"; then
		not_ok "${1#"$data"/} is refused" "it was imported"
	elif [ -e t.ctr ]; then
		not_ok "${1#"$data"/} is refused" "a trace is left behind"
	else
		ok "${1#"$data"/} is refused"
	fi
}

# numbers of one field of one event, a line each: FIELD EVENT
field() {
	"$analyze" dump --json -e "$2" t.ctr | python3 -c '
import json, sys
for l in sys.stdin:
    print(json.loads(l)["fields"][sys.argv[1]])' "$1" | tr '\n' ' '
}
times() { "$analyze" dump --json -e "$1" t.ctr | python3 -c '
import json, sys
for l in sys.stdin:
    print(json.loads(l)["time"])' | tr '\n' ' '; }

public_perf_script() {
	local f
	for f in "$data"/perfscript/flamegraph/*.txt \
		"$data"/perfscript/speedscope/*.txt \
		"$data"/perfscript/inferno/{single-line-stacks,versioned-vmlinux,empty-line}.txt \
		"$data"/perfscript/firefox/test.perf.gz; do
		check_rows perfscript "$f"
	done
	refused "$data/perfscript/inferno/unknown-format.txt"
	refused "$data/perfscript/inferno/no-events.txt"
	refused "$data/perfscript/inferno/invalid-perf-with-empty-line-after-event-line.txt"
	imported "$data/perfscript/inferno/weird-stack-line.txt"
	same "a weird line is left out, and that is no failure" $? 0
	that "it is named by its number" grep -q \
		"1 line left out; the first is line 5, 'THIS_IS_A_WEIRD_LINE'" \
		import.err
}

# By hand, from the lines themselves and the README beside them.
public_ftrace() {
	local f
	for f in "$data"/ftrace-text/*/*; do check_rows ftrace "$f"; done

	imported "$data/ftrace-text/gpu/catapult-drm.drmImport.txt"
	same "two vblanks of one head" "$(field seq drm:drm_vblank_event)" \
		"4233 4234 "
	same "16.694 ms apart" "$(times drm:drm_vblank_event)" \
		"71653157000 71669851000 "

	imported "$data/ftrace-text/gpu/catapult-dma_fence.dmaFenceEventImport.txt"
	same "a fence is emitted" "$(field seqno dma_fence:dma_fence_emit)$(
		times dma_fence:dma_fence_emit)" "109779 505064396000 "
	same "and signalled" "$(field seqno dma_fence:dma_fence_signaled)$(
		times dma_fence:dma_fence_signaled)" "109779 505065121000 "
	same "the driver sets its number at the emit" \
		"$(field seqno dma_fence:dma_fence_init)" "0 "
	same "its wait lasts from" "$(times dma_fence:dma_fence_wait_start)" \
		"505064467000 "
	same "its wait lasts to" "$(times dma_fence:dma_fence_wait_end)" \
		"505065206000 "
	same "on a timeline" "$(field timeline dma_fence:dma_fence_wait_end)" \
		"controlq "

	imported "$data/ftrace-text/gpu/catapult-dma_fence.fenceEventImport.txt"
	same "a driver with colons" "$(field driver fence:fence_init)" \
		"sde_fence:crtc111:25602 "
	same "old names of fences" "$(field seqno fence:fence_signaled)" \
		"256022 "

	imported "$data/ftrace-text/gpu/dri-devel-2monitor.txt"
	same "two heads" "$(field crtc drm:drm_vblank_event)" "1 0 "
	same "each with its own time of the hardware" \
		"$(field time drm:drm_vblank_event)" \
		"2571916093743 2571916377180 "
	same "0.407 and 0.409 ms behind the event's" \
		"$(times drm:drm_vblank_event)" "2571915687000 2571915968000 "
}

public_folded() {
	local f
	for f in "$data"/folded/*/*.txt; do
		[ -s "$f" ] && check_folded "$f"
	done
	imported "$data/folded/inferno-flamegraph/bad-lines.txt"
	that "lines without a count are counted" grep -q \
		"2 lines left out; the first is line 3, 'THIS IS A BAD LINE'" \
		import.err
	refused "$data/folded/inferno-flamegraph/empty.txt"
}

# stackcollapse-perf's own answers. That of `pid` and `tid` is stale for Java.
public_collapsed() {
	local f b answer option n=0 bad=0
	for f in "$data"/perfscript/*/*.txt; do
		b=$(basename "$f" .txt)
		for answer in "${f%/*}/results/$b"-collapsed-*.txt; do
			[ -e "$answer" ] || continue
			option=${answer##*-collapsed-}
			option=${option%.txt}
			case $b-$option in
			perf-java*-[pt]id) continue ;;
			*-pid | *-tid) option=with-$option ;;
			esac
			# That script leaves out a last stack that no blank line
			# follows; here it is a sample like any other.
			awk 'BEGIN { RS = ""; ORS = "\n\n" }
				NR > 1 { print last } { last = $0 }
				END { if (whole) print last }' \
				whole="$([ -z "$(tail -n 1 "$f")" ] && echo 1)" \
				"$f" >in.txt
			imported in.txt || continue
			"$analyze" folded --compat stackcollapse-perf \
				"--$option" t.ctr 2>/dev/null | sort >got.txt
			n=$((n + 1))
			sort "$answer" | cmp -s - got.txt && continue
			bad=$((bad + 1))
			not_ok "$b $option" "$(sort "$answer" |
				diff - got.txt | head -n 4 | cut -c1-300)"
		done
	done
	[ $bad -gt 0 ] || ok "$n answers of stackcollapse-perf, byte for byte"
}

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
# Fresh text of perf: what dump prints is what was read.
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

if [ -d "$data/perfscript" ]; then
	public_perf_script
	public_ftrace
	public_folded
	public_collapsed
else
	skip "public files" "no '$data'"
fi
if [ "$(id -u)" -eq 0 ] && has_perf; then
	live_perf_script "samples with stacks" -e cpu-clock -F 999 -a -g
	live_perf_script "samples without stacks" -e cpu-clock -F 999 -a
	live_perf_script "tracepoints" -a -e sched:sched_switch \
		-e sched:sched_process_exec -e raw_syscalls:sys_exit
	live_perf_script "tracepoints with stacks" -a -g -e sched:sched_waking
	live_ftrace
else
	skip "fresh text" "${perf_why:-needs root}"
fi
finish
