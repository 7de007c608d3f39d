#!/usr/bin/env bash
# A library that stands in for NVIDIA's is recorded like theirs, and what there is
# not is said.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3

# rows NAME PART PID: values of a series, by the reader that knows the
# specification only, each with its state where that is not 0.
rows() {
	python3 - "$root/spec" "$@" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
import reader
want = sys.argv[2], sys.argv[3], int(sys.argv[4])
with reader.Trace('s.ctr') as t:
    ids = set()
    for p in t.parts('series'):
        rows = zip(p.values('name'), p.values('part'), p.values('pid'),
                   p.values('source'))
        for i, (name, part, pid, source) in enumerate(rows):
            if (t.text(p.epoch, name), t.text(p.epoch, part), pid,
                    source) == (*want, 4):
                ids.add((p.epoch, p.base + i))
    out = []
    for p in t.parts('counter'):
        for at, s, value, state in zip(*(p.values(n) for n in (
                'time', 'series', 'value', 'state'))):
            if (p.epoch, s) in ids:
                out.append((at, f'state{state}' if state else str(value)))
    print(*(v for _, v in sorted(out)))
P
}

export COLTRACE_NVML=$support/nvml_4.so
export COLTRACE_NVML_SCRIPT='gpus=1;power=1000,2000,!999,4000,!15;'
COLTRACE_NVML_SCRIPT+='compute=77/4096,none;graphics=none;events=none,0/8/79,none'
exits 'a stand-in is recorded' 0 \
	"$rec" --gpu -I 100 -o s.ctr -- sleep 1
same 'each reading as it came, then the GPU was lost' \
	"$(rows power '' 0)" '1000 2000 state2 4000 state1'
same 'a process that goes ends' "$(rows memory-used '' 77)" '4096 state1'
same 'an Xid is there' "$(rows xid '' 0)" '0 79 state1'
"$analyze" info --json s.ctr >info.json
that 'what it cannot is in the file' grep -q 'nvml.energy' info.json

# Two instances, of which one is removed; the GPU tells no load of its own.
COLTRACE_NVML_SCRIPT='mig=1;migs=1/0+2/0,1/0+2/0,1/0+2/0,1/0+2/0,1/0;power=9000;'
COLTRACE_NVML_SCRIPT+='utilization=!3;uses=!3;memory@0=1000/10/454/536;'
COLTRACE_NVML_SCRIPT+='memory@100=1000/10/960/30;memory@101=3000/30/2000/970;'
COLTRACE_NVML_SCRIPT+='compute@0=77/4096/1/0;compute@100=77/4096/1/0;'
COLTRACE_NVML_SCRIPT+='compute@101=none;graphics=none;gpm=1;gpm_sample=!3;'
COLTRACE_NVML_SCRIPT+='gpm.1@201=90;gpm.2@201=12.5;gpm.1@202=85;gpm.2@202=35'
exits 'a GPU that MIG divides is recorded' 0 \
	"$rec" --gpu -I 100 -o s.ctr -- sleep 1.2
"$analyze" stat --json --summary s.ctr >stat.json 2>stat.err
want="[('0000:03:00.0', 0, 536), ('0000:03:00.0/gi1/ci0', 0, 30),"
want+=" ('0000:03:00.0/gi1/ci0', 77, 4096), ('0000:03:00.0/gi2/ci0', 0, 970)]"
same 'each instance is a device, with its memory and its processes' \
	"$(json stat.json 'sorted({(r["device"], r["pid"], r["last"])
	for r in d["totals"] if r["event"] == "memory-used"})')" "$want"
"$analyze" stat --by device --csv s.ctr >by.csv 2>by.err
# Unlike the other it is there to the end.
that 'as a device it is as busy as its counters say' \
	grep -Eq '^[0-9.]+,90\.0+,[0-9]+,0000:03:00.0/gi1/ci0,gpu' by.csv
"$analyze" stat --by client --csv s.ctr >client.csv 2>client.err
that 'a process whose load is not told is there with its memory' \
	grep -q '^,,0,0000:03:00.0/gi1/ci0,,0.00390625,0.00390625,77,' client.csv
"$analyze" gpu --json s.ctr >gpu.json 2>gpu.err
same 'one whose SMs idle while it is used is found, the other is not' \
	"$(json gpu.json '[f["device"]
	for f in d["findings"] if f["rule"] == "launch-bound"]')" \
	"['0000:03:00.0/gi1/ci0']"
"$analyze" info --json s.ctr >info.json
that 'why the GPU has no utilization is in the file' \
	grep -q 'not supported by this GPU while MIG is on' info.json
that 'that an instance was removed, too' \
	grep -q 'nvml.0000:03:00.0/gi2/ci0.instance' info.json

export COLTRACE_NVML=/nonexistent/libnvidia-ml.so.1
exits 'without the library the rest is recorded' 0 \
	"$rec" --gpu -I 100 -o n.ctr -- sleep 0.3
says 'and that is said with its reason' 'nvml: .*cannot open shared object'
finish
