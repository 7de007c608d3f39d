#!/usr/bin/env bash
# The check against nvidia-smi tells a wrong figure from a right one: here both
# sides are written by hand.
. "$(dirname "$0")/lib.sh"
need_tool python3
compare() { python3 "$here/nvmlcmp.py" "$@"; }

# 11 of 100 GiB are used, 412.5 W, by the units of the library's header.
export COLTRACE_NVML=$support/nvml_4.so
export COLTRACE_NVML_SCRIPT='utilization=97/30;power=412500;clock1=1755;'
COLTRACE_NVML_SCRIPT+='memory=107374182400/1073741824/94489280512/11811160064;'
COLTRACE_NVML_SCRIPT+='clock2=2619;temperature0=61;graphics=none;'
COLTRACE_NVML_SCRIPT+='compute=4711/2147483648'
right=(97 30 11264 102400 412.50 1755 2619 61)
# Just too far for each, below and above.
low=(86 19 11060 102398 365 1640 2460 56)
high=(108 41 11500 102402 464 1885 2800 66)
row() { # VALUES: as nvidia-smi prints them
	local IFS=,
	printf '00000000:03:00.0, %s\n' "$*"
}
row "${right[@]}" >smi.csv
echo '4711, 2048' >apps.csv

mkdir fake
cat >fake/nvidia-smi <<'F'
#!/bin/sh
case $* in
-L) echo 'GPU 0: NVIDIA H200 (UUID: GPU-0)' ;;
*mig.mode*) echo Disabled ;;
*compute-apps*) cat "$FAKE/apps.csv" ;;
*) cat "$FAKE/smi.csv" ;;
esac
F
chmod +x fake/nvidia-smi
exits 'the whole check passes where both say the same' 0 \
	env FAKE="$work" PATH="$work/fake:$PATH" bash "$here/nvml.sh"
that 'and has compared all columns and the process' \
	grep -q '^ok .*both say the same (9 compared, 0 too far)' out.txt
if "$support/canperf" system >/dev/null && [ "$(id -u)" -eq 0 ]; then
	that 'a trace, too' \
		grep -q '^ok rec records the same (9 compared, 0 too far)' out.txt
else
	skip 'a trace, too' 'no perf events here'
fi

exits 'values are read' 0 "$support/nvmlread" 1 100
cp out.txt read.txt
for i in "${!right[@]}"; do
	for wrong in "${low[i]}" "${high[i]}"; do
		values=("${right[@]}")
		values[i]=$wrong
		row "${values[@]}" >wrong.csv
		exits "$wrong instead of ${right[i]} is found" 1 \
			compare smi read.txt wrong.csv apps.csv
		same 'and nothing else' "$(grep -c 'TOO FAR' out.txt)" 1
	done
done
row '[N/A]' "${right[@]:1}" >smi.csv
exits 'what nvidia-smi does not tell is left out' 0 \
	compare smi read.txt smi.csv apps.csv
echo '4711, 1980' >wrong.csv
exits 'another memory of a process is found' 1 \
	compare smi read.txt smi.csv wrong.csv
echo '4712, 2048' >wrong.csv
exits 'a process that is not told of is found' 1 \
	compare smi read.txt smi.csv wrong.csv
sed 's/03:00/04:00/' read.txt >other.txt
exits 'readings of another GPU are found' 1 \
	compare smi other.txt smi.csv apps.csv

# A load's readings: sm-active, occupancy, fp32, tensor, and energy in 3 s.
load() { # UTILIZATION ACTIVE OCCUPANCY FP32 TENSOR MS
	for i in $(seq 30); do
		set -- "$1" "$2" "$3" "$4" "$5" "$6" utilization/gpu "$1" \
			sm-active/ "$2" sm-occupancy/ "$3" fp32-active/ "$4" \
			tensor-active/ "$5" fp64-active/ 0
		at=$((1000000000 + i * $6 * 1000000))
		while [ $# -gt 6 ]; do
			printf '%d\t0000:03:00.0\t%s\t%s\t0\tread\t%s\n' \
				$at "${7%/*}" "${7#*/}" "$8"
			set -- "$1" "$2" "$3" "$4" "$5" "$6" "${@:9}"
		done
	done
}
checks() { # NAME EXIT BLOCKS READINGS...
	local name=$1 want=$2 blocks=$3
	shift 3
	load "$@" >load.txt
	exits "$name" "$want" compare load load.txt 132 "$blocks"
}
checks 'a GPU that is filled is taken for that' 0 0 100 99.2 92 70 0 100
checks 'fewer SMs at work are found' 1 0 100 60 92 70 0 100
checks 'a ratio in the place of a percentage is found' 1 0 100 0.99 92 70 0 100
checks 'another pipe is found' 1 0 100 99 92 0 70 100
checks 'counters at every second reading are found' 1 0 100 99 92 70 0 200
# 1 of 132 multiprocessors are 0.76 %.
checks 'one block is taken for one SM' 0 1 100 0.76 0.1 0.2 0 100
checks 'two SMs for one block are found' 1 1 100 1.52 0.1 0.2 0 100
checks 'all SMs for one block are found' 1 1 100 99 0.1 0.2 0 100
checks 'a GPU that does nothing is found' 1 1 0 0 0 0 0 100

# 1237.5 J in 3 s are 412.5 W.
energy() {
	cat read.txt
	printf '%d\t0000:03:00.0\tenergy\t\t0\tread\t%s\n' \
		1000000000 5000 4000000000 "$1"
}
energy 6237.5 >energy.txt
exits 'energy by time is power' 0 compare smi energy.txt smi.csv apps.csv
energy 6500 >energy.txt
exits 'another energy is found' 1 compare smi energy.txt smi.csv apps.csv
finish
