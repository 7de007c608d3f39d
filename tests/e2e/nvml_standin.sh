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

export COLTRACE_NVML=/nonexistent/libnvidia-ml.so.1
exits 'without the library the rest is recorded' 0 \
	"$rec" --gpu -I 100 -o n.ctr -- sleep 0.3
says 'and that is said with its reason' 'nvml: .*cannot open shared object'
finish
