#!/usr/bin/env bash
# A real DRM driver in a virtual machine, recorded by rec in it: what analyze
# says of each recording is what the load wrote down of the same run, on the same
# clock. What the loads do follows from GPU_VM_SEED.
# Beside others: perf and rec run in that machine, with a kernel of its own.
#
# GPU_VM_CACHE: where the machine's kernel is kept. GPU_VM_OUT: keeps what came
# out of it; where there are results already, they are judged again.
cache=${GPU_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/coltrace-gpu-vm}
. "$(dirname "$0")/lib.sh"
SHARED=${SHARED:-$root/../shared}
vm=$SHARED/gpu-vm/run.sh
results=${GPU_VM_OUT:-$work/out}
need_tool python3
[ -f "$vm" ] || skip_all "no virtual machine in '$SHARED'"
[ -z "${SAN:-}" ] || skip_all 'sanitizers are too slow in an emulator'

# Without --gpu the same, event by event.
options() {
	if "$rec" --help | grep -q -e '--gpu'; then
		echo -a -g --gpu
		return
	fi
	echo -a -g
	for e in drm:* dma_fence:* gpu_scheduler:* sched:sched_switch \
		sched:sched_waking; do
		echo "-e $e"
	done
}

# The rings' own counters are of the whole machine, and nothing else runs.
counted='perf stat -a -x, -e mockgpu/gfx-busy/,mockgpu/compute-busy/ -o'

# The script of the guest: "cd; one line for each load".
payload() {
	local name load
	echo "set -f; rc=0; at=\$PWD; cd \"\$OUT\""
	while read -r name load; do
		[ "$name" = jobs ] && echo "$counted jobs.pmu -- \\"
		echo "\$at/rec -q $(options | tr '\n' ' ') -o $name.ctr --" \
			"drmload $load >$name.gt 2>$name.err || rc=1"
		echo "date +$name:%s >>times"
	done
	echo "exit \$rc"
}

boot() {
	local seed=${GPU_VM_SEED:-$(date +%s)}
	mkdir -p payload "$cache" || skip_all "cannot write to '$cache'"
	cp "$rec" payload/rec
	python3 "$here/gpu_plan.py" "$seed" >plan.txt || return
	echo "seed $seed"
	cat plan.txt
	payload <plan.txt >payload/run.sh
	GPU_VM_CACHE=$cache bash "$vm" --out "$results" --payload payload \
		--timeout 220 >vm.txt 2>vm.err
	rc=$?
	cp plan.txt "$results"
}

# Before the guest is up nothing of ours has run.
judge_boot() {
	if ! grep -q 'GPUVM modules' "$results/console.txt" 2>/dev/null; then
		[ "$rc" -eq 3 ] && skip_all "no such machine: $(tail -n 1 vm.err)"
		skip_all "no such machine: exit $rc, $(tail -n 1 vm.err)"
	fi
	grep -q 'mockgpu.ko did not build' vm.err &&
		skip_all 'no driver for the machine: mockgpu did not build'
	tail -n 1 vm.err
	same 'each load is recorded to its end' "$rc" 0
	[ "$rc" -eq 0 ] || cat "$results"/*.err vm.err | tail -n 20
}

# is NAME COMMAND LOAD CHECK MORE...: a command of two words has an option.
is() {
	local name=$1 command=$2 load=$3 check=$4
	shift 4
	# shellcheck disable=SC2086
	if "$analyze" ${command%% *} --json ${command#"${command%% *}"} \
		"$results/$load.ctr" >"$load.json" 2>said.err &&
		python3 "$here/gpu_truth.py" "$check" "$results/$load.gt" \
			"$load.json" "$@" >truth.txt 2>&1; then
		ok "$name: $(cat truth.txt)"
	else
		not_ok "$name" "$(cat said.err; tail -n 20 truth.txt)"
	fi
}

if [ -f "$results/flip.gt" ]; then
	rc=0
else
	need_root
	boot
	judge_boot
fi

is 'rate of the display' frames flip rate
# In an emulator a client may be held up for seconds.
is 'late frames of sleeps' 'stalls --idle 60s' flip late
for load in stall jobs causes gaps; do
	"$analyze" dump --json -q -e 'dma_fence:*' "$results/$load.ctr" \
		>"$load.rows"
	is "waits of $load are the kernel's own" 'fences --each' $load waits \
		"$load.rows"
done
is 'late frames and their causes' 'stalls --idle 60s' causes causes
is 'gaps of a ring and their causes' gaps gaps gaps gaps.rows
is 'time that rings were busy, by fdinfo' gaps jobs busy jobs.rows
is 'the same of deep queues' gaps gaps busy gaps.rows
is 'time that rings were busy, by their counters' gaps jobs counted \
	jobs.rows "$results/jobs.pmu"
finish
