#!/usr/bin/env bash
# Text of other tools, imported: public files against what a second reading of
# them by other means gives.
# Beside others: it reads files.
. "$(dirname "$0")/lib.sh"
. "$root/tests/support/textimport.sh"
need_tool python3

check_folded() { # FILE
	local name=${1#"$data"/} events e
	if ! imported "$1"; then
		not_ok "$name" "$(cat import.err)"
		return
	fi
	python3 "$here/textwant.py" folded "$1" >want.txt
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

[ -d "$data/perfscript" ] || skip_all "no '$data'"
public_perf_script
public_ftrace
public_folded
public_collapsed
finish
