"""Do two recorders tell the same of the same tracepoints?

payloadcmp.py THEIRS OURS: `perf script` and `analyze dump`, both with -F
comm,tid,cpu,time,event,trace. On each CPU, for each event, a row of theirs has
one of ours with the same thread and text, less than 100 us away and not before
its predecessor's; or later or the other way round, where an interrupt came
between the two recorders.
A row without one was lost by us, unless a row of ours without one stands at its
place: then the text is another one. What one of the two began or ended earlier
is left out, and so are the system calls of the recorder and its helper, which it
drops. perf may write a record twice.
"""

import bisect
import re
import sys
from collections import Counter, defaultdict

LINE = re.compile(r"^\s*(.*?)\s+(-?\d+) \[(\d+)\]\s+(\d+)\.(\d+):\s+"
                  r"(\S+?:\S+): ?(.*)$")
NEAR = 100  # us
FAR = 20000
EDGE = 20000
MAX_LATE = MAX_LOST = 0.01  # of all


def read(path):
    rows = defaultdict(list)
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            m = LINE.match(line.rstrip("\n"))
            own = m and m[1] in ("rec", "rec-symbols")
            if m and not (own and "syscalls:" in m[6]):
                time = int(m[4]) * 1000000 + int(m[5])
                rows[m[3], m[6]].append((time, m[2], m[7].rstrip()))
    for r in rows.values():
        r.sort(key=lambda row: row[0])
    return rows


def bounds(rows):
    return (min(r[0][0] for r in rows.values()),
            max(r[-1][0] for r in rows.values()))


def compare(theirs, ours, first, last, count):
    """Counts rows of theirs by what became of them; those that differ, beside
    what is there, if anything is."""
    times = [row[0] for row in ours]
    used, lost, at = set(), [], 0

    def find(start, row, reach):
        for i in range(start, len(ours)):
            if times[i] > row[0] + reach:
                break
            if ours[i][1:] == row[1:]:
                return i
        return None

    for row in theirs:
        if not first <= row[0] <= last:
            continue
        start = max(at, bisect.bisect_left(times, row[0] - NEAR))
        i, what = find(start, row, NEAR), "equal"
        if i is None:
            start = bisect.bisect_left(times, row[0] - NEAR)
            i, what = find(start, row, FAR), "late"
        if i is None:
            lost.append(row)
            continue
        count[what] += 1
        used.add(i)
        if what == "equal":
            at = i
    differ = []
    for row in lost:
        start = bisect.bisect_left(times, row[0] - NEAR)
        stop = bisect.bisect_right(times, row[0] + NEAR)
        other = [ours[i] for i in range(start, stop)
                 if i not in used and ours[i][1] == row[1]]
        count["differ" if other else "lost"] += 1
        differ.append((row, other[0] if other else None))
    return differ


def main():
    theirs, ours = read(sys.argv[1]), read(sys.argv[2])
    if not theirs or not ours:
        sys.exit("one of them is empty")
    (a, b), (c, d) = bounds(theirs), bounds(ours)
    first, last = max(a, c) + EDGE, min(b, d) - EDGE
    total, seen = Counter(), 0
    for (cpu, event), rows in sorted(theirs.items()):
        count = Counter()
        differ = compare(rows, ours.get((cpu, event), []), first, last, count)
        total += count
        seen += count["equal"] > 0
        for row, other in differ[:2]:
            print("CPU", cpu, event, "theirs", *row)
            print("CPU", cpu, event, "ours  ", *(other or ["nothing"]))
        if len(count) > 1:
            print("CPU", cpu, event, dict(count))
    n = sum(total.values())
    print(total["equal"], "texts of", seen, "events and CPUs are equal,",
          total["differ"], "differ,", total["late"], "came late,",
          total["lost"], "are missing")
    sys.exit(not total["equal"] or total["differ"] > 0 or
             total["late"] > MAX_LATE * n or total["lost"] > MAX_LOST * n)


main()
