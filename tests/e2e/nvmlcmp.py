"""Does a trace say of NVIDIA's GPUs what nvidia-smi said in the same minute?

nvmlcmp.py SPEC TRACE GPUS APPS: GPUS is what --query-gpu printed again and again
(csv, no header, no units), its columns are those of COLUMNS; APPS what
--query-compute-apps did: pid and MiB. Both look at one thing at moments of their
own, so medians are compared, with room for what a quiet GPU does in a second.
"""

import csv
import statistics
import sys

sys.path.insert(0, sys.argv[1])
import reader  # noqa: E402

# Column of nvidia-smi, series, part, factor from the series' unit to that of the
# column, what may be between: absolute, and as a share.
COLUMNS = (
    ('utilization.gpu', 'utilization', 'gpu', 1, 15, 0),
    ('utilization.memory', 'utilization', 'memory', 1, 15, 0),
    ('memory.used', 'memory-used', '', 1 / 2**20, 64, 0.01),
    ('memory.total', 'memory-total', '', 1 / 2**20, 1, 0),
    ('power.draw', 'power', '', 1, 5, 0.15),
    ('clocks.sm', 'clock', 'sm', 1, 30, 0.1),
    ('clocks.mem', 'clock', 'memory', 1, 30, 0.1),
    ('temperature.gpu', 'temperature', 'gpu', 1, 3, 0),
)


def of_trace(path):
    """(device, name, part, pid) -> values in their unit, of what NVML told."""
    with reader.Trace(path) as t:
        series, out = {}, {}
        for p in t.parts('series'):
            names = ('source', 'device', 'name', 'part', 'pid', 'scale')
            rows = zip(*(p.values(n) for n in names))
            for i, (source, device, name, part, pid, scale) in enumerate(rows):
                if source == 4:
                    key = [t.text(p.epoch, x) for x in (device, name, part)]
                    series[p.epoch, p.base + i] = (*key, pid), scale
        for p in t.parts('counter'):
            for s, value, state in zip(*(p.values(n) for n in (
                    'series', 'value', 'state'))):
                if state == 0 and (p.epoch, s) in series:
                    key, scale = series[p.epoch, s]
                    out.setdefault(key, []).append(value * scale)
    return out


def of_smi(path):
    """Address as /sys has it -> column -> values; [N/A] is left out."""
    out = {}
    with open(path, newline='') as f:
        for address, *values in csv.reader(f, skipinitialspace=True):
            domain, rest = address.lower().split(':', 1)
            gpu = out.setdefault(f'{int(domain, 16):04x}:{rest}', {})
            for column, value in zip(COLUMNS, values):
                try:
                    gpu.setdefault(column[0], []).append(float(value))
                except ValueError:
                    pass
    return out


def main():
    ours, theirs = of_trace(sys.argv[2]), of_smi(sys.argv[3])
    bad = compared = 0
    for device, gpu in theirs.items():
        for column, name, part, factor, room, share in COLUMNS:
            want, got = gpu.get(column), ours.get((device, name, part, 0))
            if not want or not got:
                print(f'{device} {column}: not on both sides')
                bad += bool(want)
                continue
            a = statistics.median(want)
            b = statistics.median(got) * factor
            far = abs(a - b) > room + share * abs(a)
            print(f'{device} {column}: {a:g}, here {b:g}'
                  f'{" TOO FAR" if far else ""}')
            compared += 1
            bad += far
    with open(sys.argv[4], newline='') as f:
        for pid, mib in csv.reader(f, skipinitialspace=True):
            got = [v for k, v in ours.items()
                   if k[1] == 'memory-used' and k[3] == int(pid)]
            if not got:
                print(f'process {pid} is not told of')
                bad += 1
            elif mib.isdigit() and not any(
                    abs(x / 2**20 - int(mib)) <= 64 for v in got for x in v):
                print(f'process {pid}: {mib} MiB, here {got}')
                bad += 1
            else:
                compared += 1
    print(f'{compared} compared')
    sys.exit(1 if bad or not compared else 0)


main()
