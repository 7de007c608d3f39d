"""Does what was read of NVIDIA's GPUs agree with what others say of them?

nvmlcmp.py smi READINGS GPUS APPS: with what nvidia-smi said in the same minute.
GPUS is what --query-gpu printed again and again (csv, no header, no units), its
columns are those of COLUMNS; APPS what --query-compute-apps did: pid and MiB. Both
look at one thing at moments of their own, so medians are compared, with room for
what a GPU under an even load does in a second.

nvmlcmp.py load READINGS SMS BLOCKS: with what such a load must come to, by
arithmetic: a GPU of SMS multiprocessors ran kernels of BLOCKS blocks (0: as many
as fill it) all the time, which multiply and add floats.

READINGS is what nvmlread printed, or with --spec FOLDER a trace.
"""

import csv
import statistics
import sys

# Column of nvidia-smi, series, part, factor from the series' unit to that of the
# column, what may be between: absolute, and as a share.
COLUMNS = (
    ('utilization.gpu', 'utilization', 'gpu', 1, 10, 0),
    ('utilization.memory', 'utilization', 'memory', 1, 10, 0),
    ('memory.used', 'memory-used', '', 1 / 2**20, 64, 0.01),
    ('memory.total', 'memory-total', '', 1 / 2**20, 1, 0),
    ('power.draw', 'power', '', 1, 5, 0.10),
    ('clocks.sm', 'clock', 'sm', 1, 30, 0.05),
    ('clocks.mem', 'clock', 'memory', 1, 30, 0.05),
    ('temperature.gpu', 'temperature', 'gpu', 1, 4, 0),
)


def of_trace(path):
    """(device, name, part, pid) -> [(ns, value in its unit)], of NVML."""
    import reader
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
            for at, s, value, state in zip(*(p.values(n) for n in (
                    'time', 'series', 'value', 'state'))):
                if state == 0 and (p.epoch, s) in series:
                    key, scale = series[p.epoch, s]
                    out.setdefault(key, []).append((at, value * scale))
    return out


def of_text(path):
    """The same of what nvmlread printed."""
    out = {}
    with open(path) as f:
        for line in f:
            row = line.rstrip('\n').split('\t')
            if row[0] != 'missing' and row[5] == 'read':
                at, device, name, part, pid, _, value = row
                out.setdefault((device, name, part, int(pid)), []).append(
                    (int(at), float(value)))
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


class Verdict:
    def __init__(self):
        self.bad = self.compared = 0

    def of(self, what, want, got, room):
        far = got is None or not abs(want - got) <= room
        self.compared += 1
        self.bad += far
        print(f'{what}: {want:g}, here '
              f'{"nothing" if got is None else f"{got:g}"}'
              f'{" TOO FAR" if far else ""}')

    def between(self, what, least, most, got):
        self.of(f'{what}, between {least:g} and {most:g}',
                (least + most) / 2, got, (most - least) / 2)


def median(rows):
    return statistics.median(v for _, v in rows) if rows else None


def power_by_energy(rows):
    """What the counter of energy makes of the time between, in W."""
    if not rows or len(rows) < 2 or rows[-1][0] - rows[0][0] < 2e9:
        return None
    return (rows[-1][1] - rows[0][1]) / (rows[-1][0] - rows[0][0]) * 1e9


def compare_gpu(v, ours, device, gpu):
    for column, name, part, factor, room, share in COLUMNS:
        want, rows = gpu.get(column), ours.get((device, name, part, 0))
        if not want:
            print(f'{device} {column}: nvidia-smi does not tell')
            continue
        a, b = statistics.median(want), median(rows)
        v.of(f'{device} {column}', a, None if b is None else b * factor,
             room + share * abs(a))
    watts = power_by_energy(ours.get((device, 'energy', '', 0)))
    if watts is not None and gpu.get('power.draw'):
        a = statistics.mean(gpu['power.draw'])
        v.of(f'{device} energy by time, in W', a, watts, 5 + 0.15 * a)


def compare_apps(v, ours, path):
    with open(path, newline='') as f:
        for row in csv.reader(f, skipinitialspace=True):
            if len(row) != 2 or not row[0].isdigit():
                continue
            pid, mib = row
            got = [x / 2**20 for k, rows in ours.items()
                   if k[1] == 'memory-used' and k[3] == int(pid)
                   for _, x in rows]
            if mib.isdigit():
                v.of(f'process {pid}, MiB', int(mib),
                     statistics.median(got) if got else None, 64)


def smi(args):
    v = Verdict()
    ours, theirs = of(args[0]), of_smi(args[1])
    for device, gpu in theirs.items():
        compare_gpu(v, ours, device, gpu)
    compare_apps(v, ours, args[2])
    return v


def load(args):
    """Of the GPU that had most of it: CUDA counts them in an order of its own."""
    v = Verdict()
    ours, sms, blocks = of(args[0]), int(args[1]), int(args[2])
    loads = {k[0]: median(rows) for k, rows in ours.items()
             if k[1:] == ('utilization', 'gpu', 0)}
    device = max(loads, key=loads.get, default='')
    v.between(f'{device} utilization', 95, 100, loads.get(device))
    active = ours.get((device, 'sm-active', '', 0))
    if not active:
        print('no performance counters (before Hopper, or not permitted)')
        return v
    # Each block has a multiprocessor of its own while there are enough.
    share = 100 * min(blocks or sms, sms) / sms
    v.between('sm-active', 0.7 * share, min(1.3 * share, 100.5),
              median(active))
    if not blocks:
        for part, least, most in (('sm-occupancy', 70, 100.5),
                                  ('fp32-active', 30, 100.5),
                                  ('tensor-active', 0, 2),
                                  ('fp64-active', 0, 2)):
            rows = ours.get((device, part, '', 0))
            v.between(part, least, most, median(rows))
    gaps = [(b[0] - a[0]) / 1e6 for a, b in zip(active, active[1:])]
    v.between('from counters to counters, in ms', 90, 110, statistics.median(
        gaps) if gaps else None)
    return v


def main():
    global of
    args = sys.argv[1:]
    of = of_text
    if args[0] == '--spec':
        sys.path.insert(0, args[1])
        of, args = of_trace, args[2:]
    v = {'smi': smi, 'load': load}[args[0]](args[1:])
    print(f'{v.compared} compared, {v.bad} too far')
    sys.exit(1 if v.bad or not v.compared else 0)


main()
