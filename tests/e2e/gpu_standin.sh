#!/usr/bin/env bash
# A probe that stands in for a GPU's tracepoint is understood as that, and the
# thread that it comes from is followed.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3
tracing=/sys/kernel/tracing
[ -w $tracing/uprobe_events ] ||
	mount -t tracefs nodev $tracing 2>/dev/null ||
	skip_all 'no tracefs here'
[ -w $tracing/uprobe_events ] || skip_all 'no uprobes in this kernel'
[ "$(uname -m)" = x86_64 ] || skip_all 'arguments of another machine'
need_tool nm
sim=$support/gpusim group=gpusim$$

# An event in use cannot go, and rec's helper closes them after it has ended.
gone() {
	echo "-:$group/wstart" >>$tracing/uprobe_events
	echo "-:$group/wend" >>$tracing/uprobe_events
	! grep -q "$group/" $tracing/uprobe_events
} 2>/dev/null
later 'wait_for 10 gone'
# A program's first pages are as they are in its file: its address is the place.
place() { nm "$sim" | awk -v name="$1" '$3 == name { print "0x" $1 }'; }
for k in start end; do
	echo "p:$group/w$k $sim:$(place sim_wait_$k)" \
		'driver=+0(%di):string timeline=+0(%si):string' \
		'context=%dx:u32 seqno=%cx:u32' >>$tracing/uprobe_events ||
		skip_all 'the kernel refuses the probe'
done
aliases=(--alias "$group:wstart=dma_fence:dma_fence_wait_start"
	--alias "$group:wend=dma_fence:dma_fence_wait_end")

# Beside a recorder of switches alone: what does not come to that one either is
# not to be had.
exits 'a stand-in is recorded' 0 \
	"$rec" -q -a -e sched:sched_switch -o idle.ctr -- \
	"$rec" --gpu "${aliases[@]}" -o s.ctr -- "$sim" 60 10
says 'what there is of a GPU is told' 'of the GPU: .*sched'
says 'what is missing is told with its reason' '  not [a-z_]*: '
read -r pid switches waited <<<"$out"
"$analyze" fences --json s.ctr >fences.json 2>fences.err
same 'each wait is one of a fence, by the names of its fields' \
	"$(json fences.json '[(r["waits"], r["driver"], r["timeline"],
	r["pid"]) for r in d["waits"]]')" "[(60, 'sim', 'ring0', $pid)]"
that 'they are as long as the program says' python3 - "$waited" <<'P'
import json, sys
total = sum(r["total_ns"] for r in json.load(open("fences.json"))["waits"])
# What the program counts has the probes themselves in it.
sys.exit(not 0.5 * int(sys.argv[1]) < total <= int(sys.argv[1]))
P

# The thread's switches: the first ones plain, then with stacks, each one once.
# Those of its begin and end, which it does not count, are a few.
"$analyze" dump --event sched:sched_switch s.ctr >dump.txt 2>/dev/null
rows=$(grep -c "prev_pid=$pid " dump.txt)
that 'each switch of it is there once' \
	[ "$rows" -ge "$switches" -a "$rows" -le $((switches + 8)) ]
# Who leaves a CPU is who got it before: the same twice is one switch twice.
doubles=$(awk 'match($0, /\[[0-9]+\]/) && /prev_pid=/ {
		cpu = substr($0, RSTART, RLENGTH)
		prev = next_ = $0
		sub(/.* prev_pid=/, "", prev); sub(/ .*/, "", prev)
		sub(/.* next_pid=/, "", next_); sub(/ .*/, "", next_)
		if (last[cpu] == prev "," next_) n++
		last[cpu] = prev "," next_
	} END { print n + 0 }' dump.txt)
# A kernel may have come to give nothing that happens in a CPU's idle task, to no
# recorder (6.18: a count of perf that is a task's own, and stays up). Then what
# follows an idle CPU is not there. A CPU leaves idleness as often as it comes to
# it, but for the begin and the end.
mute=$("$analyze" dump idle.ctr 2>/dev/null | awk '
	match($0, /\[[0-9]+\]/) { cpu = substr($0, RSTART, RLENGTH) }
	/prev_pid=0 / { from[cpu]++ }
	/next_pid=0 / { to[cpu]++ }
	END { for (c in to) n += to[c] - from[c] > 2
	      print n + 0 }')
if [ "$mute" -gt 0 ]; then
	skip 'no switch of anybody is there twice' 'an idle task is mute here'
else
	same 'no switch of anybody is there twice' "$doubles" 0
fi
stacked=$(awk -v pid="prev_pid=$pid" '
	/prev_pid=/ { mine = index($0, pid " ") }
	mine && /nanosleep/ { n++; mine = 0 }
	END { print n + 0 }' dump.txt)
that 'half of them at least have stacks' [ "$stacked" -ge 30 ]
others=$(awk -v pid="prev_pid=$pid" '
	/prev_pid=/ { other = !index($0, pid " "); next }
	other && /[0-9a-f]/ { n++ } END { print n + 0 }' dump.txt)
same 'those of others have none' "$others" 0
"$analyze" dump --event sched:sched_waking s.ctr >wake.txt 2>/dev/null
same 'wake-ups are of it only' "$(grep 'sched_waking: ' wake.txt |
	grep -cv -e " pid=$pid " -e "^ *gpusim *$pid ")" 0
if [ "$mute" -gt 0 ]; then
	skip 'there are such' 'an idle task is mute here'
else
	that 'there are such' [ "$(grep -c " pid=$pid " wake.txt)" -ge 30 ]
fi

exits 'without --gpu a stand-in is all that is recorded' 0 \
	"$rec" "${aliases[@]}" -o a.ctr -- "$sim" 3 1
"$analyze" info --json a.ctr >info.json
same 'and each of its rows' \
	"$(json info.json '[(e["name"].split(":")[1], e["rows"])
	for e in d["events"]]')" "[('wstart', 3), ('wend', 3)]"
finish
