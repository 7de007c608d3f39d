#!/usr/bin/env bash
# A trace that lacks a kind of event: what is said of the planted causes is right,
# or said with low confidence, and the head tells what is missing.
# Beside others: it reads files.
. "$(dirname "$0")/lib.sh"
need_tool python3
SHARED=${SHARED:-$root/../shared}
data=$SHARED/data/gpu/stable
[ -d "$data" ] || skip_all "no captures in '$data'"

# sure CAPTURE: nothing that said.json has of it is wrong.
sure() {
	python3 "$here/gpu_truth.py" sure "$data/$1.perf.gt" said.json \
		>truth.txt 2>&1
}
# part COMMAND CAPTURE OPTION...: analyses what is left into said.json.
part() {
	local command=$1 capture=$2
	shift 2
	rm -f cut.ctr
	"$analyze" cut -q "$@" -o cut.ctr "$capture.ctr" || return
	"$analyze" "$command" --json cut.ctr >said.json
	case $? in 0 | 3) ;; *) return 1 ;; esac # 3: nothing to say
}
# without COMMAND CAPTURE EVENT...: analyses all but those into said.json.
without() {
	local command=$1 capture=$2 all
	shift 2
	all=$("$analyze" info --json "$capture.ctr" | python3 -c '
import json, sys
print(",".join(e["name"] for e in json.load(sys.stdin)["events"]
               if e["name"].partition(":")[2] not in sys.argv[1:]))' "$@")
	part "$command" "$capture" -e "$all"
}
# head_says NAME WORD...: what is not in the trace, by the names of events.
head_says() {
	local name=$1
	shift
	same "$name: the head" "$(json said.json \
		"' '.join(sorted(t.rpartition(': no ')[2] for t in d['not_in_trace']))")" \
		"$*"
}

for c in causes:stalls gaps:gaps; do
	capture=${c%%:*} command=${c##*:} wrong='' n=0
	"$rec" import -q "$data/$capture.perf.data" -o "$capture.ctr"
	events=$("$analyze" info --json "$capture.ctr" | python3 -c '
import json, sys
print(*sorted({e["name"].partition(":")[2] for e in json.load(sys.stdin)["events"]}))')
	for e in $events 'sched_switch sys_enter_poll' \
		'sched_waking sched_wakeup' \
		'dma_fence_wait_start dma_fence_signaled' \
		'dma_fence_wait_end dma_fence_signaled' \
		'dma_fence_wait_start dma_fence_wait_end' \
		'drm_sched_job drm_run_job' \
		'dma_fence_signaled drm_sched_process_job' \
		'sys_enter_clock_nanosleep sys_exit_read'; do
		# shellcheck disable=SC2086
		if without "$command" "$capture" $e 2>said.err && sure "$capture"
		then
			n=$((n + 1))
		else
			wrong+="without $e: $(cat said.err truth.txt)"$'\n'
		fi
	done
	same "$capture without one kind, $n times" "$wrong" ''
done

without stalls causes sched_switch
head_says 'no switches' sched_switch
without stalls causes sched_waking sched_wakeup
head_says 'no wake-ups' sched_waking or sched_wakeup
without stalls causes sched_waking
head_says 'no wakers' sched_waking
without stalls causes dma_fence_wait_end
head_says 'no ends of waits' dma_fence_wait_end
without stalls causes drm_vblank_event_delivered
head_says 'nothing delivered' drm_vblank_event_delivered
without gaps gaps drm_run_job
head_says 'no hand-over' drm_sched_job_run, drm_run_job or the like \
	drm_vblank_event

# Its rows are only some of them, the others are all there.
all_but() { # EVENT CAPTURE: the others, with commas
	"$analyze" info --json "$2.ctr" | python3 -c '
import json, sys
print(",".join(e["name"] for e in json.load(sys.stdin)["events"]
               if e["name"] != sys.argv[1]))' "$1"
}
only() { # COMMAND CAPTURE EVENT OPTION...: analyses that into said.json
	local command=$1 capture=$2 event=$3
	shift 3
	rm -f a.ctr b.ctr m.ctr
	"$analyze" cut -q -e "$(all_but "$event" "$capture")" -o a.ctr \
		"$capture.ctr"
	"$analyze" cut -q -e "$event" "$@" -o b.ctr "$capture.ctr"
	"$analyze" merge -q -o m.ctr a.ctr b.ctr 2>/dev/null || return
	"$analyze" "$command" --json m.ctr >said.json
}
half() { # EVENT TIME
	only stalls causes "$1" --time "$2"
}
wrong=''
for e in drm:drm_vblank_event drm:drm_vblank_event_delivered \
	dma_fence:dma_fence_{init,signaled,wait_start,wait_end} \
	gpu_scheduler:drm_{sched_job,run_job,sched_process_job} \
	sched:sched_{switch,waking,wakeup} \
	syscalls:sys_{enter,exit}_{ioctl,poll,futex,read,clock_nanosleep}; do
	for t in ',@33.8' '@33.8,'; do
		half "$e" "$t" && sure causes ||
			wrong+="$e $t: $(cat truth.txt)"$'\n'
	done
done
same 'a kind in one half alone' "$wrong" ''
head_names() { # NAME EVENT: the head says of it that it is missing for a time
	same "$1" "$(json said.json "[t.rpartition(': no ')[2].partition(' for ')[0]
		for t in d['not_in_trace']]")" "['$2']"
}
half sched:sched_switch ',@33.8'
head_names 'switches of one half' sched_switch
half dma_fence:dma_fence_init '@33.8,'
head_names 'fences of one half' dma_fence_init
half drm:drm_vblank_event_delivered '@33.8,'
head_names 'frames of one half' drm_vblank_event_delivered

# A thread did something while it had no CPU; a job ended, and no fence. One row
# beside it says so, though others of that kind are all around.
for c in causes:stalls gaps:gaps; do
	capture=${c%%:*} command=${c##*:} wrong=''
	for cpu in 0 1; do
		only "$command" "$capture" sched:sched_switch -C "$cpu" &&
			sure "$capture" || wrong+="CPU $cpu: $(cat truth.txt)"
		json said.json "d['not_in_trace'][-1]" |
			grep -q 'rows of some that had no CPU' ||
			wrong+="CPU $cpu: not said"
	done
	same "$capture, switches of one CPU" "$wrong" ''
done
only stalls causes dma_fence:dma_fence_signaled --comm gfx
that 'signals of one thread: nothing is wrong' sure causes
that 'it is said' grep -q 'no dma_fence_signaled where their job ended' said.json

# A bit of a field's name is wrong in the format of its event: its rows are not
# taken for such as have 0 there.
renamed() { # EVENT FIELD
	python3 - "$data/causes.perf.data" "$1" "$2" <<'P'
import sys
path, event, field = sys.argv[1:]
b = bytearray(open(path, 'rb').read())
at = b.index(b'name: ' + event.encode() + b'\n')
at = b.index(b' ' + field.encode(), at) + 1
b[at] ^= 0x20
open('renamed.data', 'wb').write(b)
P
	rm -f renamed.ctr
	"$rec" import -q renamed.data -o renamed.ctr &&
		"$analyze" stalls --json renamed.ctr >said.json 2>said.err
}
wrong=''
for f in drm_vblank_event:{seq,crtc} drm_vblank_event_delivered:{seq,crtc} \
	dma_fence_{init,signaled,wait_start,wait_end}:{context,seqno} \
	dma_fence_init:{driver,timeline} drm_{sched_job,run_job}:{fence,name} \
	drm_sched_process_job:fence sched_switch:{prev_pid,prev_state,next_pid} \
	sched_{waking,wakeup}:pid; do
	if renamed "${f%:*}" "${f#*:}" && sure causes; then
		json said.json "d['not_in_trace'][-1]" |
			grep -q "rows of [a-z_]*:${f%:*} have no field '${f#*:}'" ||
			wrong+="$f: not said"$'\n'
	else
		wrong+="$f: $(cat said.err truth.txt)"$'\n'
	fi
done
same 'without one field' "$wrong" ''

# Of some threads, of one CPU, or calls without ends.
for c in causes:stalls:frame-client gaps:gaps:gfx-client; do
	IFS=: read -r capture command client <<<"$c"
	wrong=''
	for o in '--cpu 1' '--cpu 0' "--comm $client" "--comm $client,swapper*" \
		"--comm $client,swapper*,gfx" \
		'-e drm:*,sched:*,dma_fence:*,gpu_scheduler:*,syscalls:sys_enter_clock_nanosleep' \
		'-e drm:*,sched:*,dma_fence:*,gpu_scheduler:*,syscalls:sys_enter_futex'
	do
		# shellcheck disable=SC2086
		part "$command" "$capture" $o 2>said.err && sure "$capture" ||
			wrong+="$o: $(cat said.err truth.txt)"$'\n'
	done
	same "$capture in part" "$wrong" ''
done

# A hole between two files: no frame is late that is not, and no ring idle.
"$analyze" stalls --json causes.ctr >whole.json
wrong=''
for hole in '33.10 33.15' '33.941743208 33.993174712' \
	'33.706099766 33.743055612' '33.314714835 33.429313761' \
	'32.965055288 33.046679178' '34.130776406 34.176577192'; do
	rm -f a.ctr b.ctr
	"$analyze" cut -q --time ",@${hole% *}" -o a.ctr causes.ctr
	"$analyze" cut -q --time "@${hole#* }," -o b.ctr causes.ctr
	rm -f m.ctr
	"$analyze" merge -q -o m.ctr a.ctr b.ctr
	"$analyze" stalls --json b.ctr a.ctr >said.json
	"$analyze" stalls --json m.ctr >merged.json
	wrong+=$(python3 - <<'P'
import json
of = {f['seq']: f['missed'] for f in json.load(open('whole.json'))['late_frames']}
for name in 'said.json', 'merged.json':
    for f in json.load(open(name))['late_frames']:
        if of.get(f['seq']) != f['missed']:
            print(name, f['sentence'])
P
)
done
same 'holes between files, and in what is merged of them' "$wrong" ''
"$analyze" stalls a.ctr b.ctr >out.txt
that 'are said' grep -q '^# Segments: [0-9.]* ms between .* not recorded' out.txt
"$analyze" cut -q --time ,@38.2 -o a.ctr gaps.ctr
"$analyze" cut -q --time @38.3, -o b.ctr gaps.ctr
rm -f m.ctr
"$analyze" merge -q -o m.ctr a.ctr b.ctr
for files in 'a.ctr b.ctr' m.ctr; do
	# shellcheck disable=SC2086
	same "no ring is idle over one: $files" "$("$analyze" gaps --csv \
		--min 90ms $files | grep -c '^gfx')" 0
done

span() { # of the ring gfx, busy or not
	"$analyze" gaps --json "$1" | python3 -c '
import json, sys
print(*[r["busy_ns"] + r["idle_ns"] for r in json.load(sys.stdin)["rings"]
        if r["ring"] == "gfx"])'
}
hole=$("$analyze" info m.ctr | awk '/^unrecorded/ { split($2, t, "-"); print t[2] - t[1] }')
same 'nor is it counted as idle' "$(span m.ctr)" $(($(span gaps.ctr) - hole))

# Of another boot: all of its rows move to the clock of the first.
"$rec" import -q "$data/flip.perf.data" -o flip.ctr
rm -f m.ctr
"$analyze" merge -q -o m.ctr flip.ctr causes.ctr 2>/dev/null
late() {
	"$analyze" stalls --json "$1" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["late_frames"]: print(f["seq"], f["missed"])'
}
late flip.ctr >two.txt
late causes.ctr >>two.txt
late m.ctr >merged.txt
same 'what is late in two, merged' "$(cat merged.txt)" "$(cat two.txt)"

# A damaged part: what it held may be missing anywhere.
"$analyze" cut -q --time ,@33.60 -o q1.ctr causes.ctr
"$analyze" cut -q --time @33.60, -o q2.ctr causes.ctr
python3 - q1.ctr <<'P'
import sys
b = bytearray(open(sys.argv[1], 'rb').read())
b[len(b) // 2] ^= 1
open('qd.ctr', 'wb').write(b)
P
"$analyze" stalls --json qd.ctr q2.ctr >said.json 2>said.err
same 'nothing is sure beside a damaged part' "$(json said.json \
	"[f['confidence'] for f in d['late_frames'] if f['confidence'] != 'low']")" '[]'

# A job that still waits at the end is of the ring that there is.
part gaps gaps --time ,@38.43
same 'one ring' "$(json said.json "[r['ring'] for r in d['rings']].count('gfx')")" 1

# Nothing of it is lost: with all events every planted cause is named.
without stalls causes nothing
same 'all is there' "$(json said.json "d['not_in_trace']")" '[]'
finish
