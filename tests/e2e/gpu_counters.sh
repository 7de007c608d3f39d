#!/usr/bin/env bash
# Counters of a real DRM driver in a virtual machine: its PMU, under its own name
# and under that of i915, and the fdinfo of its clients, against what perf stat
# and the driver itself say of the same time.
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
payload() {
	cat <<'P'
cd "$OUT" || exit
at=$OLDPWD rc=0
events=PMU/gfx-busy/,PMU/compute-busy/
measure() { # measure NAME PMU: jobs, with all that can be read of them
	e=$(echo "$events" | sed "s/PMU/$2/g")
	perf stat -a -x, -o "$1.perf" -e "$e" -- "$at/rec" stat -q --gpu \
		-I 20 -e "$e,$2/actual-frequency/" -o "$1.ctr" -- sh -c \
		'drmload jobs 120; sleep 0.1' >"$1.gt" 2>"$1.err" || rc=1
}
measure own mockgpu
# One file in several processes; clients that come and go.
"$at/rec" stat -q --gpu -I 20 -e page-faults -o shared.ctr -- sh -c '
	exec 3</dev/dri/card0
	sleep 0.5 & sleep 0.5 &
	for i in 1 2 3; do sh -c "exec 4</dev/dri/card0; sleep 0.2"; done
	wait' 2>shared.err || rc=1
rmmod mockgpu && insmod /mod/mockgpu.ko pmu_name=i915 || rc=1
measure i915 i915
exit $rc
P
}

boot() {
	mkdir -p payload "$cache" || skip_all "cannot write to '$cache'"
	cp "$rec" payload/rec
	payload >payload/run.sh
	GPU_VM_CACHE=$cache bash "$vm" --out "$results" --payload payload \
		--timeout 220 >vm.txt 2>vm.err
	rc=$?
	if ! grep -q 'GPUVM modules' "$results/console.txt" 2>/dev/null; then
		skip_all "no such machine: exit $rc, $(tail -n 1 vm.err)"
	fi
	grep -q 'mockgpu.ko did not build' vm.err &&
		skip_all 'no driver for the machine: mockgpu did not build'
	same 'all is recorded to its end' "$rc" 0
	[ "$rc" -eq 0 ] || cat "$results"/*.err vm.err | tail -n 20
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

judge() { # judge NAME PMU
	for ring in gfx compute; do
		near "$2: $ring was busy for as long as perf stat says" \
			"$(of "$1" "$2/$ring-busy/" -)" "$(awk -F, \
			-v e="$2/$ring-busy/" '$4 == e || $3 == e { print $1 }' \
			"$results/$1.perf")"
		near "$2: so does the client's fdinfo" \
			"$(of "$1" drm-engine $ring)" "$(awk -v k="drm-engine-$ring:" \
			'$2 == k { print $3 }' "$results/$1.gt")"
	done
}

if [ ! -f "$results/own.gt" ]; then
	need_root
	boot
fi
judge own mockgpu
judge i915 i915
"$analyze" stat --json -q "$results/i915.ctr" >i915.json 2>i915.err
mhz=$(python3 - i915.json <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
rows = [r for k in d for r in (d[k] if isinstance(d[k], list) else [])
        if isinstance(r, dict) and "actual-frequency" in str(r.get("event"))]
v = [r["value"] for r in rows if r.get("value") is not None]
print(len(v) > 3 and all(280 <= x <= 1320 for x in v), rows[0]["unit"])
P
)
same 'the frequency of i915 is divided by the time, in MHz' "$mhz" 'True MHz'
same 'a file in three processes is one client, three others come and go' \
	"$(totals shared | awk '$1 ~ /^drm-/ && $3 { c[$3] = 1 }
	END { for (i in c) n++; print n + 0 }')" 4
finish
