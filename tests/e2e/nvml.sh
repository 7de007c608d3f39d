#!/usr/bin/env bash
# What is read of NVIDIA's GPUs is what nvidia-smi says in the same minute, and
# what a load of a known kind must come to. Takes less than a minute. It needs
# the driver's libraries and Python, but no CUDA toolkit; without perf events
# (containers) rec itself is left out. A build from elsewhere does: name it by B,
# and what libraries it lacks here by LD_LIBRARY_PATH.
. "$(dirname "$0")/lib.sh"
need_tool python3
need_tool nvidia-smi
nvidia-smi -L >gpus.txt 2>&1 ||
	skip_all "no GPU of NVIDIA: $(tail -n 1 gpus.txt)"
grep -q '^GPU ' gpus.txt || skip_all 'no GPU of NVIDIA'
[ -x "$support/nvmlread" ] || skip_all "no nvmlread in '$B'"

columns=utilization.gpu,utilization.memory,memory.used,memory.total
columns=$columns,power.draw,clocks.sm,clocks.mem,temperature.gpu
# Beside COMMAND what nvidia-smi says, to smi.csv and apps.csv.
beside_smi() {
	local smi
	: >smi.on
	# Each line by a process of its own: whole, and not held back in it.
	while [ -e smi.on ]; do
		nvidia-smi --query-gpu=pci.bus_id,$columns \
			--format=csv,noheader,nounits
		sleep 0.3
	done >smi.csv 2>smi.err &
	smi=$!
	"$@"
	nvidia-smi --query-compute-apps=pid,used_memory \
		--format=csv,noheader,nounits >apps.csv 2>/dev/null
	rm smi.on
	wait $smi
}
agrees() { # NAME ARGUMENTS
	local name=$1
	shift
	if python3 "$here/nvmlcmp.py" "$@" >cmp.txt 2>&1; then
		ok "$name ($(tail -n 1 cmp.txt))"
	else
		not_ok "$name" "$(cat cmp.txt)"
	fi
}
# begin_load SECONDS BLOCKS: its pid and the multiprocessors in $pid and $sms, or
# why there is none in $no_load. Utilization and power are means over a second.
load=
begin_load() {
	pid='' sms='' no_load=
	: >load.txt
	"$support/cudaload" "$1" "$2" 2048 >load.txt 2>&1 &
	load=$!
	wait_for 30 [ -s load.txt ]
	read -r pid sms <load.txt
	if ! [[ $pid =~ ^[0-9]+$ && $sms =~ ^[0-9]+$ ]]; then
		no_load=$(head -n 1 load.txt)
		no_load=${no_load:-no answer from CUDA in 30 s}
		end_load
		return 1
	fi
	sleep 1.5
}
end_load() {
	[ -z "$load" ] || kill "$load" 2>/dev/null
	[ -z "$load" ] || wait "$load" 2>/dev/null
	load=
}
later end_load
mig=$(nvidia-smi --query-gpu=mig.mode.current --format=csv,noheader 2>/dev/null)

for blocks in 0 1; do
	case $blocks in
	0) what='a load that fills it' ;;
	*) what='a load of one block' ;;
	esac
	if ! begin_load 12 $blocks; then
		skip "$what" "$no_load"
		[ $blocks = 1 ] && continue
		what='no load of ours'
	fi
	beside_smi exits "with $what it is read" 0 "$support/nvmlread" 5 100
	cp out.txt read.txt
	agrees "with $what both say the same" smi read.txt smi.csv apps.csv
	if [ -z "$load" ]; then
		continue
	elif [[ $mig == *Enabled* ]]; then
		skip "$what comes to what it must" 'MIG is on'
	else
		agrees "$what comes to what it must" load read.txt "$sms" $blocks
	fi
	end_load
done

# All the way: recorded by rec, read by the reader that knows the specification
# only.
if ! [ "$(id -u)" -eq 0 ]; then
	skip 'rec records the same' 'needs root'
	finish
elif ! why=$("$support/canperf" system); then
	skip 'rec records the same' "no perf events: $why"
	finish
fi
begin_load 15 0
beside_smi exits 'GPUs are recorded beside nvidia-smi' 0 \
	"$rec" -a --gpu -I 500 -o a.ctr -- sleep 5
end_load
agrees 'rec records the same' --spec "$root/spec" smi a.ctr smi.csv apps.csv
exits 'its figures are intervals of analyze stat' 0 \
	"$analyze" stat --csv a.ctr
that 'utilization is among them' grep -q utilization out.txt
that 'the gaps between readings are as asked' python3 - "$root/spec" <<'P'
import statistics, sys
sys.path.insert(0, sys.argv[1])
import reader
times = {}
with reader.Trace('a.ctr') as t:
    name = {}
    for p in t.parts('series'):
        for i, n in enumerate(p.values('name')):
            name[p.epoch, p.base + i] = t.text(p.epoch, n)
    for p in t.parts('counter'):
        for s, at in zip(p.values('series'), p.values('time')):
            if name[p.epoch, s] == 'temperature':
                times.setdefault(s, []).append(at)
gaps = [b - a for v in times.values() for a, b in zip(v, v[1:])]
sys.exit(not (len(gaps) >= 8 and 450e6 < statistics.median(gaps) < 550e6))
P
finish
