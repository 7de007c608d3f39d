#!/usr/bin/env bash
# What rec reads of NVIDIA's GPUs is what nvidia-smi says in the same minute.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3
need_tool nvidia-smi
nvidia-smi -L >gpus.txt 2>&1 ||
	skip_all "no GPU of NVIDIA: $(tail -n 1 gpus.txt)"
grep -q '^GPU ' gpus.txt || skip_all 'no GPU of NVIDIA'

columns=utilization.gpu,utilization.memory,memory.used,memory.total
columns=$columns,power.draw,clocks.sm,clocks.mem,temperature.gpu
nvidia-smi --query-gpu=pci.bus_id,$columns --format=csv,noheader,nounits \
	-lms 500 >smi.csv 2>smi.err &
smi=$!
later "kill $smi 2>/dev/null"
exits 'GPUs are recorded beside nvidia-smi' 0 \
	"$rec" -a --gpu -I 500 -o a.ctr -- sleep 5
nvidia-smi --query-compute-apps=pid,used_memory \
	--format=csv,noheader,nounits >apps.csv 2>/dev/null
kill $smi
wait $smi 2>/dev/null
if python3 "$here/nvmlcmp.py" "$root/spec" a.ctr smi.csv apps.csv \
	>cmp.txt 2>&1; then
	ok "both say the same ($(tail -n 1 cmp.txt))"
else
	not_ok 'both say the same' "$(cat cmp.txt)"
fi

# By the reader that knows the specification only.
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
