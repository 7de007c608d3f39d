#!/usr/bin/env python3
"""tracedatnames.py REPORT DUMP: the functions of kernel stacks as `trace-cmd
report -N -t` names them, which shows eight of a stack at most, against those of
`analyze dump --json`."""
import collections
import json
import re
import sys

LINE = re.compile(r"^ +(.*)-(\d+) +\[(\d+)\] *([\d.]+): +([^ :]+): ?(.*)$")


def time_ns(text):
    seconds, _, part = text.partition(".")
    return int(seconds) * 10 ** 9 + int(part)


def stacks_of(path):
    """By the record before: thread, CPU, time, event."""
    stacks, before, stack = collections.defaultdict(list), {}, None
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            m = LINE.match(line)
            if m:
                tid, cpu, event = int(m[2]), int(m[3]), m[5]
                of, stack = before.get(cpu), None
                before[cpu] = None
                if event != "kernel_stack":
                    before[cpu] = tid, cpu, time_ns(m[4]), event
                elif of and of[0] == tid:
                    stack = []
                    stacks[of].append(stack)
                    line = m[6]
            name = re.search(r"=> (\S+)", line)
            if stack is not None and name and name[1] != "0x0":
                stack.append(name[1])
    return stacks


def main():
    stacks, n = stacks_of(sys.argv[1]), 0
    with open(sys.argv[2], encoding="utf-8", errors="surrogateescape") as f:
        rows = [r for r in map(json.loads, f) if "event" in r]
    for r in rows:
        key = r["tid"], r["cpu"], r["time"], r["event"].split(":", 1)[1]
        if not stacks.get(key):
            continue
        want = stacks[key].pop(0)
        have = [frame["sym"] for frame in r["stack"]][:len(want)]
        if have != want:
            sys.exit(f"{key}: {have}, not {want}")
        n += len(want)
    left = sum(map(len, stacks.values()))
    if left or not n:
        sys.exit(f"{left} stacks are missing")
    print(f"{n} names")


main()
