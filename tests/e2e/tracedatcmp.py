#!/usr/bin/env python3
"""tracedatcmp.py [--raw] REPORT DUMP [KERNEL_TEXT]: what `trace-cmd report -t` or, with
raw fields, `trace-cmd report -R -t` prints of a trace.dat, against what
`analyze dump --json` prints of its import: each record's time, CPU, thread and
event, its fields where they are raw, and its stack, whose addresses are told
from KERNEL_TEXT on."""
import json
import re
import sys

LINE = re.compile(r"^(?:([^ ]\S*):)? +(.*)-(\d+) +\[(\d+)\] *([\d.]+): +"
                  r"([^ :]+): ?(.*)$")
STACKS = ("kernel_stack", "user_stack")


def records(path):
    """Lines of a record; what a text of several lines adds is put behind."""
    out = []
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f.read().split("\n"):
            m = LINE.match(line)
            if m:
                out.append(list(m.groups()))
            elif out and line and not line.startswith("CPU:"):
                out[-1][6] += "\n" + line
    return out


def time_ns(text):
    s, _, frac = text.partition(".")
    return int(s) * 10 ** 9 + int(frac) if frac else int(s)


def raw_fields(text, names):
    """name=value …, where a value may hold anything but the next name."""
    at, found = [], 0
    for name in names:
        i = text.find(name + "=", found)
        if i < 0:
            return None
        at.append((i, name))
        found = i + len(name) + 1
    out = {}
    for n, (i, name) in enumerate(at):
        end = at[n + 1][0] if n + 1 < len(at) else len(text)
        out[name] = text[i + len(name) + 1:end].strip()
    return out


def array(text):
    m = re.match(r"ARRAY\[(.*)\]$", text, re.S)
    return [int(x, 16) for x in m.group(1).split(",") if x.strip()] if m \
        else None


def numbers(text):
    """What the digits may be: a format may print octal or hexadecimal ones with
    nothing in front."""
    out = []
    for base in (0, 8, 16):
        try:
            out.append(int(text, base))
        except ValueError:
            pass
    return out


def is_same_number(theirs, ours):
    return any(abs(theirs) < 1 << bits and (theirs - ours) % (1 << bits) == 0
               for bits in (8, 16, 32, 64))


def same(theirs, ours):
    """None: cannot be told (a number that they print as a name)."""
    if isinstance(ours, int):
        all_of = numbers(theirs)
        return any(is_same_number(v, int(ours)) for v in all_of) \
            if all_of else None
    if isinstance(ours, str) and array(theirs) is None:
        return ours.strip() == theirs.strip()
    return None


def fields_differ(theirs, row):
    names = list(row["fields"])
    want = raw_fields(theirs, [n for n in names if "[" not in n])
    if want is None:
        return "fields %s not in %r" % (names, theirs), 0
    compared = 0
    for name, value in want.items():
        ok = same(value, row["fields"][name])
        if ok is False:
            return "field %s: %r, not %r" % (name, row["fields"][name],
                                             value), compared
        compared += ok is True
    return None, compared


def words(text, size=8):
    m = re.search(r"ARRAY\[(.*?)\]", text, re.S)
    if not m:
        return []
    b = bytes(int(x, 16) for x in m.group(1).split(","))
    return [int.from_bytes(b[i:i + size], "little")
            for i in range(0, len(b) - size + 1, size)]


def stack_differs(theirs, row, kernel_text):
    n = re.search(r"size=(\d+)", theirs)
    want = words(theirs)[:int(n.group(1))] if n else words(theirs)
    have = [f["addr"] for f in row["stack"]]
    if len(have) < len(want):
        return "stack of %d, not %d" % (len(have), len(want))
    for i, w in enumerate(want):
        if row["stack"][i]["dso"] == "[kernel.kallsyms]" and \
                have[i] + kernel_text != w:
            return "frame %d: %x, not %x" % (i, have[i] + kernel_text, w)
    return None


class Row:
    """A line, with those of the stacks behind it."""

    def __init__(self, groups):
        self.instance, _, pid, cpu, time, self.event, self.rest = groups
        self.pid, self.cpu, self.time = int(pid), int(cpu), time_ns(time)
        self.stacks = []

    def takes(self, stack):
        return self.pid == stack.pid and self.event not in STACKS and \
            stack.event not in [s.event for s in self.stacks]

    def key(self):
        return (self.time, self.cpu, self.pid, self.event)


def with_stacks(lines):
    rows, last, stacks = [], {}, 0
    for groups in lines:
        row = Row(groups)
        before = last.get((row.instance, row.cpu))
        # One whose record was lost, or came before all, is a row of its own.
        if row.event in STACKS and before and before.takes(row):
            before.stacks.append(row)
            stacks += 1
        else:
            rows.append(row)
            last[row.instance, row.cpu] = row
    return rows, stacks


def event_of(row):
    return row["event"].split(":", 1)[1]


def row_differs(line, row, raw, kernel_text):
    got = (row["time"], row["cpu"], row["tid"], event_of(row))
    if got != line.key():
        return "%s, not %s" % (got, line.key()), 0
    if line.instance and not row["event"].startswith(line.instance + "/"):
        return "event %s of instance %s" % (row["event"], line.instance), 0
    if not raw:
        return None, 0
    for stack in line.stacks:
        if stack.event == "kernel_stack" and kernel_text:
            wrong = stack_differs(stack.rest, row, kernel_text)
            if wrong:
                return wrong, 0
    return fields_differ(line.rest, row)


def main():
    args = [a for a in sys.argv[1:] if a != "--raw"]
    raw = "--raw" in sys.argv
    lines, stacks = with_stacks(records(args[0]))
    kernel_text = int(args[2], 0) if len(args) > 2 else 0
    with open(args[1], encoding="utf-8", errors="surrogateescape") as f:
        rows = [r for r in map(json.loads, f) if "event" in r]
    # Of equal times each has an order of its own.
    lines.sort(key=Row.key)
    rows.sort(key=lambda r: (r["time"], r["cpu"], r["tid"], event_of(r)))
    fields = 0
    for i, (line, row) in enumerate(zip(lines, rows)):
        wrong, n = row_differs(line, row, raw, kernel_text)
        if wrong:
            sys.exit("row %d, %s at %d: %s" % (i, line.event, line.time,
                                               wrong))
        fields += n
    if len(lines) != len(rows):
        sys.exit("%d rows, not %d" % (len(rows), len(lines)))
    print("%d rows of %d events, %d fields, %d stacks" %
          (len(rows), len({r.event for r in lines}), fields, stacks))


main()
