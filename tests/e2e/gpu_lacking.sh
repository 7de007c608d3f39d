#!/usr/bin/env bash
# A trace that lacks a kind of event: what is said of the planted causes is right,
# or said with low confidence, and the head tells what is missing.
# Beside others: it reads files.
. "$(dirname "$0")/lib.sh"
need_tool python3
SHARED=${SHARED:-$root/../shared}
data=$SHARED/data/gpu/stable
[ -d "$data" ] || skip_all "no captures in '$data'"

# without COMMAND CAPTURE EVENT...: analyses all but those into said.json.
without() {
	local command=$1 capture=$2 all
	shift 2
	all=$("$analyze" info --json "$capture.ctr" | python3 -c '
import json, sys
print(",".join(e["name"] for e in json.load(sys.stdin)["events"]
               if e["name"].partition(":")[2] not in sys.argv[1:]))' "$@")
	rm -f cut.ctr
	"$analyze" cut -q -e "$all" -o cut.ctr "$capture.ctr" || return
	"$analyze" "$command" --json cut.ctr >said.json
	case $? in 0 | 3) ;; *) return 1 ;; esac # 3: nothing to say
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
		if without "$command" "$capture" $e 2>said.err &&
			python3 "$here/gpu_truth.py" sure \
				"$data/$capture.perf.gt" said.json >truth.txt 2>&1
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

# Nothing of it is lost: with all events every planted cause is named.
without stalls causes nothing
same 'all is there' "$(json said.json "d['not_in_trace']")" '[]'
finish
