#!/usr/bin/env bash
# Counters of a real DRM driver in a virtual machine: its PMU, under its own name
# and under that of i915, and the fdinfo of its clients, against what perf stat
# and the driver itself say of the same time.
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

# The driver's counters stand still while its rings are idle, so whoever began a
# little earlier counts the same.
measure() { # measure PMU: jobs, with all that can be read of them
	local e=$1/gfx-busy/,$1/compute-busy/

	sed "s|PMU|$1|g; s|EVENTS|$e|g" <<'P'
perf stat -a -x, -o PMU.perf -e EVENTS -- "$at/rec" stat -q --gpu -I 20 \
	-e EVENTS,PMU/actual-frequency/ -o PMU.ctr -- \
	sh -c 'drmload jobs 120; sleep 0.1' >PMU.gt || rc=1
P
}

# One file in several processes; clients that come and go. Processes are looked
# for each second, as far as a share of the CPU pays for it, which in an emulator
# is not each time.
holders() {
	cat <<'P'
for card in /dev/dri/card*; do
	exec 3<"$card"
	grep -q 'drm-driver:.*mockgpu' /proc/self/fdinfo/3 && break
done
exec 3<&-
export card
"$at/rec" stat -q --gpu -I 20 -e page-faults -o holders.ctr -- sh -c '
	exec 3<"$card"
	sleep 4 & sleep 4 &
	for i in 1 2 3; do sh -c "exec 4<$card; sleep 3; true" 3<&-; done
	wait' || rc=1
P
}

# Clients that are there for 0.2 to 0.4 s: of one process that goes on, and of
# processes that live no longer, which let the GPU work for most of the time.
short_ones() {
	cat <<'P'
"$at/rec" stat -q --gpu -I 20 -e page-faults -o short.ctr -- sh -c '
	for i in 1 2 3 4 5 6; do
		exec 4<"$card"
		sleep 0.$((2 + i % 3))
		grep client-id /proc/self/fdinfo/4
		exec 4<&-
		drmload jobs 20
	done' >short.gt || rc=1
P
}

# boot PMU SCRIPT OPTIONS...: what the script does goes to the results.
boot() {
	local pmu=$1 script=$2
	shift 2
	mkdir -p "payload.$pmu" "$cache" "$results" ||
		skip_all "cannot write to '$cache'"
	cp "$rec" "payload.$pmu/rec"
	{
		# shellcheck disable=SC2016 # of the guest
		echo 'at=$PWD rc=0; cd "$OUT" || exit'
		cat "$script"
		# shellcheck disable=SC2016
		echo 'exit $rc'
	} >"payload.$pmu/run.sh"
	GPU_VM_CACHE=$cache bash "$vm" "$@" --out "out.$pmu" --payload \
		"payload.$pmu" --timeout 120 >vm.txt 2>vm.err
	rc=$?
	grep -q 'GPUVM modules' "out.$pmu/console.txt" 2>/dev/null ||
		skip_all "no such machine: exit $rc, $(tail -n 1 vm.err)"
	grep -q 'mockgpu.ko did not build' vm.err &&
		skip_all 'no driver for the machine: mockgpu did not build'
	same "$pmu: all is recorded to its end" "$rc" 0
	[ "$rc" -eq 0 ] || cat "out.$pmu/stderr.txt" vm.err | tail -n 20
	cp "out.$pmu"/*.* "$results"
}

boot_both() {
	local driver=$cache/stable/mock/mockgpu.ko

	{ measure mockgpu; holders; short_ones; } >mockgpu.sh
	# shellcheck disable=SC2016 # of the guest
	{ echo 'insmod "$at/mockgpu.ko" pmu_name=i915 || rc=1'; measure i915; } \
		>i915.sh
	boot mockgpu mockgpu.sh
	[ -f "$driver" ] || skip_all "no '$driver'"
	mkdir -p payload.i915
	cp "$driver" payload.i915
	boot i915 i915.sh --no-mock --modules \
		'gpu-sched drm_shmem_helper drm_kms_helper'
}

totals() { python3 "$here/countertotals.py" "$results/$1.ctr"; }
# of RUN NAME PART
of() { totals "$1" | awk -v n="$2" -v p="$3" '$1 == n && $2 == p { s += $6 }
	END { print s + 0 }'; }
# near NAME GOT WANT: 2 % apart at most.
near() {
	if awk -v a="$2" -v b="$3" 'BEGIN { d = a < b ? b - a : a - b
		exit !(b > 0 && d <= b * 0.02) }'; then
		ok "$1 ($2, $3)"
	else
		not_ok "$1" "'$2', not '$3'"
	fi
}

judge() { # judge PMU
	for ring in gfx compute; do
		near "$1: $ring was busy for as long as perf stat says" \
			"$(of "$1" "$1/$ring-busy/" -)" "$(awk -F, \
			-v e="$1/$ring-busy/" '$3 == e { print $1 }' \
			"$results/$1.perf")"
		near "$1: $ring by the client's fdinfo, as the driver says" \
			"$(of "$1" drm-engine $ring)" "$(awk \
			-v k="drm-engine-$ring:" '$2 == k { print $3 }' \
			"$results/$1.gt")"
	done
}

if [ ! -f "$results/i915.gt" ]; then
	need_root
	boot_both
fi
judge mockgpu
judge i915
# The driver has 300 MHz when idle and 1200 MHz when not, counted in whole MHz
# times seconds: 50 MHz in an interval of 20 ms.
"$analyze" stat --csv -q "$results/i915.ctr" >i915.csv 2>i915.err
same 'the frequency of i915 is in MHz, by the time that passed' "$(awk -F, '
	$4 ~ /actual-frequency/ && $2 != "" { n++; good += $2 >= 240 && $2 <= 1260
		unit = $3 }
	END { print (n > 20 && good > 0.9 * n), unit }' i915.csv)" '1 MHz'
same 'a file in three processes is one client, three others come and go' \
	"$(totals holders | awk '$1 ~ /^drm-/ && $3 { c[$3] = 1 }
	END { for (i in c) n++; print n + 0 }')" 4
clients=$(awk '/drm-client-id:/ { print $NF }' "$results/short.gt" | sort -u)
same 'each client of a third of a second is found' "$(totals short | awk '
	$1 ~ /^drm-/ && $3 { print $3 }' | sort -u)" "$clients"
same 'twelve of them there were' "$(echo "$clients" | wc -l)" 12
# What they used behind the last reading of each is not known.
same 'and at least three quarters of what each had from the GPU' "$(awk '
	FNR == NR { if (/drm-client-id:/) id = $NF
		if (/drm-engine-(gfx|compute):/) truth[id] += $3
		next }
	$1 == "drm-engine" { got[$3] += $6 }
	END { for (id in truth) { n++
		good += got[id] >= 0.75 * truth[id] && got[id] <= truth[id] }
		print n, good + 0 }' "$results/short.gt" <(totals short))" '6 6'
finish
