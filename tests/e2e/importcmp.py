"""Is what was imported what perf shows of the same file?

importcmp.py script PERF OURS [TEXT [BROKEN]]: `perf script` and `analyze dump` of one
recording, line by line. The same but for what is known to differ:
- addresses of the kernel are from _text on here (TEXT, hexadecimal, is where it
  was), those of modules from the module's start;
- names of C++ have parameters and types here, and versions of symbols are left
  out;
- of a return address perf takes what is there, not what called, which is
  another function where that one begins there;
- of several symbols for one place perf may choose another: one name of a
  hundred, and any of an old version (cfree@GLIBC_2.2.5), which new programs do
  not get;
- perf goes on with the mappings of the program before, so that rubbish on a
  stack may lie in one of them; and it reads perf-PID.map;
- of a chain with a word that is no address perf shows nothing, here what is
  before it: BROKEN is how many there are (0);
- a stack that is as deep as the limit has [truncated] at its root here;
- where the file does not say on which CPU, here all say 0;
- of samples without a chain perf shows the address in memory.
importcmp.py report PERF OURS [STARTS]: `perf report --stdio` and `analyze report`, rows
in the same order with percentages that differ by 0.01 at most. Rows of the same
percentage may stand in any order; what has no name is a row for each address
there and left out of the comparison; one row of a hundred may have another name,
any may that has one of an old version, and one for each of STARTS, functions that
perf has a return address at the begin of: not they called.
"""

import re
import sys

FRAME = re.compile(r"^\t\s*([0-9a-f]+) (.*) \((.*?)\)$")
INLINE = re.compile(r"^(.*:\s+)([0-9a-f]+) (\S.*) \((\S+)\)$")


def address(text, dso, base):
    value = int(text, 16)
    if dso == "[kernel.kallsyms]":
        return value - base if value >= base else value
    return None if dso.startswith("[") and dso != "[vdso]" else value


def plain(name):
    """Without parameters, so that both ways of showing C++ are one."""
    name, plus, offset = name.rpartition("+0x")
    if not plus:
        name, offset = offset, ""
    name = name.replace("(anonymous namespace)", "{}").replace("operator()", "")
    return re.sub(r"(?<=[^@]@)[^@].*", "", re.sub(r"\(.*|@@.*", "", name)), offset


def frame(m, base):
    dso = "[unknown]" if m[3] in ("[unknown]", "") else m[3]
    return (address(m[1], dso, base), dso), plain(m[2])


CPU = re.compile(r" \[\d{3,}\]")


def lines(path, base):
    """(what has to be the same, a name or nothing, a CPU or nothing)."""
    for line in open(path, encoding="utf-8", errors="replace"):
        line = line.rstrip()
        m = FRAME.match(line)
        if m:
            if m[2] != "[truncated]":
                yield *frame(m, base), None
            continue
        name = None
        cpu = CPU.search(line)
        line = CPU.sub("", line, count=1)
        m = INLINE.match(line)
        if m:
            (at, dso), name = frame((None, m[2], m[3], m[4]), base)
            if not dso.startswith("[kernel"):
                at = None
            if re.search(r"/perf-\d+\.map$", dso):
                dso = "[anon]"
            line = m[1] + repr((at, dso))
        yield re.sub(r"\s+", " ", line).strip(), name, cpu and cpu[0]


def has_less(x, y):
    """A place that only perf has the mapping of."""
    return x[1] and y[1] and y[0] in ((None, "[unknown]"), (None, "[anon]")) \
        and not x[0][1].startswith("[k")


def samples(all_lines):
    """A line, and those of its stack."""
    group = []
    for line in all_lines:
        if group and isinstance(line[0], str) and line[0]:
            yield group
            group = []
        group.append(line)
    yield group


def without_broken(a, b):
    """Where perf shows no stack, none; and how often that was so."""
    out, n = [], 0
    theirs = list(samples(a))
    for i, ours in enumerate(samples(b)):
        frames = [x for x in ours if isinstance(x[0], tuple)]
        if frames and i < len(theirs) and not any(
                isinstance(x[0], tuple) for x in theirs[i]):
            n += 1
            ours = [x for x in ours if isinstance(x[0], str)]
        out += ours
    return out, n


def is_caller(all_lines, i):
    """Where user code called the kernel."""
    above = all_lines[i - 1][0] if i else ""
    return isinstance(above, tuple) and above[1].startswith("[k")


def script(perf, ours, text="0", broken="0"):
    a = list(lines(perf, int(text, 16)))
    b, n_broken = without_broken(a, lines(ours, 0))
    differ = [(i, x[:2], y[:2]) for i, (x, y) in enumerate(zip(a, b))
              if x[:2] != y[:2]]
    bad_cpus = [(i, x, y) for i, (x, y) in enumerate(zip(a, b))
                if x[2] and x[2] != y[2]]
    bad = [d for d in differ if d[1][0] != d[2][0] and not has_less(*d[1:])]
    bad += bad_cpus
    less = [d for d in differ if d[1][0] != d[2][0] and has_less(*d[1:])]
    # One that executes a program is in the old one.
    bad += [d for d in less if is_caller(a, d[0]) and
            d[2][0] == (None, "[unknown]")]
    # What begins at a return address did not call: the function before it did,
    # and does not come back.
    others = [(i, x, y) for i, x, y in differ if x[0] == y[0] and
              x[1][1] != "0" and not x[1][0].endswith("@") and
              (x[1][1] != y[1][1] or not x[1][0] or
               not y[1][0].endswith(x[1][0]))]
    named = sum(1 for x in a if x[1])
    for i, x, y in bad[:5] + others[:5]:
        print(f"line {i + 1}: perf {x}, here {y}")
    if len(a) != len(b):
        print(f"{len(a)} lines of perf's, {len(b)} here")
    print(f"{len(a)} lines, {len(bad)} differ; of {named} names {len(others)}; "
          f"{len(less)} that only perf can place; {n_broken} broken chains")
    return bool(bad) or len(a) != len(b) or not a or \
        n_broken != int(broken) or \
        len(others) > max(named / 100, 3)


PERCENT = re.compile(r"^\s*(\d+\.\d+)%(?:\s+(\d+\.\d+)%)?\s+(.*?)\s*$")


def rows(path):
    """(percentages, what) of the rows, not of call graphs below them."""
    for line in open(path, encoding="utf-8", errors="replace"):
        m = PERCENT.match(line)
        if not m:
            continue
        what = re.sub(r"\s+", " ", m[3]).strip()
        space = what.rfind("] ") + 2
        if re.match(r"0x[0-9a-f]{16}$|\[unknown\]$", what[space:]):
            continue
        yield [float(x) for x in m.groups()[:2] if x], \
            what[:space] + plain(what[space:] + "+0x0")[0]


def near(x, y):
    return len(x) == len(y) and all(abs(p - q) <= 0.0101
                                    for p, q in zip(x, y))


def report(perf, ours, starts=0):
    a, b = list(rows(perf)), list(rows(ours))
    bad, others = [], []
    if len(a) != len(b):
        others.append(f"{len(a)} rows of perf's, {len(b)} here")
    by_name = {}
    for numbers, what in a:
        by_name.setdefault(what, []).append(numbers)
    for numbers, what in b:
        had = by_name.get(what, [])
        same = [n for n in had if near(n, numbers)]
        old = [n for n, w in a if w.endswith("@") and near(n, numbers)
               and w.rpartition("] ")[0] == what.rpartition("] ")[0]]
        if same:
            had.remove(same[0])
        elif old:
            continue
        else:
            others.append(f"'{what}': {numbers} here, {had} of perf's")
    # The order is that of the first percentage.
    for title, all_rows in (("perf's", a), ("here", b)):
        for x, y in zip(all_rows, all_rows[1:]):
            if x[0][0] < y[0][0]:
                bad.append(f"{title}: {y} stands below {x}")
    for line in (bad + others)[:8]:
        print(line)
    print(f"{len(a)} rows, {len(others)} without a match")
    return bool(bad) or not a or len(others) > max(len(a) / 100, 2) + int(starts)


if __name__ == "__main__":
    sys.exit({"script": script, "report": report}[sys.argv[1]](*sys.argv[2:]))
