"""What a text of another tool holds, read by regular expressions: a line a row, as
textrows.py has them of a trace.
    textwant.py perfscript|ftrace|folded FILE [nameless]"""
import gzip, re, sys

def lines(path):
    raw = open(path, "rb").read()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    for bom, name in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if raw.startswith(bom):
            return raw[2:].decode(name).splitlines()
    return raw.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")

def ns(text):
    whole, part = text.split(".")
    return int(whole) * 10**9 + int(part.ljust(9, "0"))

HEAD = re.compile(r"^\s*(\S.*?)\s+(?:(\d+)/)?(\d+)\s+(?:\[(\d+)\]\s+)?"
                  r"(?:(\d+\.\d+):\s+)?(?:(\d+)\s+)?([A-Za-z]\S*):\s*(.*)$")
FRAME = re.compile(r"^\s*([0-9a-f]+) (.+?)(?:\+0x[0-9a-f]+)? \(([^()]*)\)$")

def perfscript(path):
    row, n = None, 0
    for l in lines(path):
        head = None if l.startswith(("#", "\t")) else HEAD.match(l)
        if head and not FRAME.match(l.split(":")[-1]) or (
                head and re.search(r"\d: +\d+ \S+: ", l)):
            if row:
                yield row
            n += 1
            comm, pid, tid, cpu, time, period, event, rest = head.groups()
            own = FRAME.match(rest)
            row = (ns(time) if time else n, int(pid or tid), int(tid),
                   int(cpu or 0), comm, event, int(period or 1), [])
            frame = own
        else:
            frame = FRAME.match(l)
        if row and frame:
            row[7].append(None if frame[2] == "[unknown]" else frame[2])
    if row:
        yield row

def ftrace(path):
    known = {}  # the process of a thread, where a line before told it
    for l in lines(path):
        m = re.match(r"^\s*(.+)-(\d+)\s+(?:\(\s*(\d+|-+)\)\s+)?\[(\d+)\]\s+"
                     r"(?:\S+\s+)?(\d+\.\d+): (\w+): (.*)$", l)
        if m:
            comm, tid, pid, cpu, time, event, text = m.groups()
            pid = (pid if pid and pid[0] != "-" else
                   known.get(tid, tid))
            if comm != "<...>":
                known[tid] = pid
            # coltrace calls the idle thread as perf does.
            comm = "swapper" if comm == "<idle>" else comm
            yield (ns(time), int(pid), int(tid), int(cpu), comm, event, 1,
                   text)

def folded(path):
    good = [m for m in (re.match(r"^(.*\S) (\d*\.?\d+)$", l)
                        for l in lines(path)) if m]
    two = all(re.search(r" [\d.]+$", m[1]) for m in good)
    scale = 10 ** max(len(m[2].rstrip("0").partition(".")[2]) if "." in m[2]
                      else 0 for m in good)
    total = {}
    for m in good:
        stack, counts = m[1], [m[2]]
        if two:
            stack, first = m[1].rsplit(" ", 1)
            counts = [first] + counts
        for i, c in enumerate(counts):
            whole, _, part = c.partition(".")
            v = int(whole or 0) * scale + (
                int(part) * scale // 10 ** len(part) if part else 0)
            key = (("before", "after")[i] if two else "folded", stack)
            total[key] = total.get(key, 0) + v
    return sorted((e, s, v) for (e, s), v in total.items() if v)

for row in sorted(globals()[sys.argv[1]](sys.argv[2]), key=repr):
    print(repr(row if sys.argv[3:] != ["nameless"] else row[:4] + row[5:]))
