"""Are two sets of stacks drawn from one distribution?

stackcmp.py FOLDED SCRIPT: ours as folded text, perf's as `perf script -F
comm,tid,time,event,ip,sym` text, collapsed here. Chi-square of homogeneity at
1 % over whole stacks; those expected less than five times are taken together
with their caller, and so on outwards. And no stack of more than 0.5 % in one
that the other has never seen.
"""

import math
import sys
from collections import Counter


def read_folded(path):
    c = Counter()
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            stack, _, n = line.rstrip("\n").rpartition(" ")
            c[plain(stack.split(";"))] += int(n)
    return c


def read_script(path):
    """Header lines begin a stack, frames "ADDRESS SYMBOL" follow leaf first."""
    c = Counter()
    frames = comm = None
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            if not line.strip():
                if frames:
                    c[plain([comm] + frames[::-1])] += 1
                frames = None
            elif not line.startswith("\t"):
                comm, frames = line.split()[0], []
            elif frames is not None:
                frames.append(line.split(None, 1)[1].strip()
                              if len(line.split()) > 1 else "[unknown]")
    return c


def plain(frames):
    """perf says [unknown] where we say in which file: one word for both."""
    return tuple("[unknown]" if f.startswith("[") or f.startswith("0x") else f
                 for f in frames)


def upper_tail(x, k):
    """P(chi-square with k degrees > x), by Wilson and Hilferty: 1e-3 exact."""
    z = ((x / k) ** (1 / 3) - (1 - 2 / (9 * k))) / math.sqrt(2 / (9 * k))
    return math.erfc(z / math.sqrt(2)) / 2


def cells_of(a, b, share):
    """[ours, perf's] for each stack, rare ones added to their caller's."""
    by_depth = {}
    for s in a | b:
        by_depth.setdefault(len(s), {})[s] = [a[s], b[s]]
    cells = []
    for depth in range(max(by_depth, default=0), -1, -1):
        for s, (x, y) in by_depth.get(depth, {}).items():
            if depth == 0 or (x + y) * share >= 5:
                cells.append((x, y))
                continue
            caller = by_depth.setdefault(depth - 1, {}).setdefault(
                s[:-1], [0, 0])
            caller[0] += x
            caller[1] += y
    return cells


def main(ours_path, perf_path):
    a, b = read_folded(ours_path), read_script(perf_path)
    n_a, n_b = sum(a.values()), sum(b.values())
    print(f"ours {n_a} samples, {len(a)} stacks; perf {n_b}, {len(b)}")
    if min(n_a, n_b) < 500:
        print("too few samples to tell")
        return 1
    bad = False
    for s in a | b:
        for n, of, other in ((a[s], n_a, b[s]), (b[s], n_b, a[s])):
            if n > of * 0.005 and not other:
                print(f"only in one, {n} of {of}: {';'.join(s)}")
                bad = True
    cells = cells_of(a, b, min(n_a, n_b) / (n_a + n_b))
    chi = 0.0
    for x, y in cells:
        for n, of in ((x, n_a), (y, n_b)):
            want = (x + y) * of / (n_a + n_b)
            chi += (n - want) ** 2 / want
    k = len(cells) - 1
    p = upper_tail(chi, k)
    print(f"{n_a} and {n_b} samples, chi-square {chi:.1f} of {k} degrees, "
          f"p = {p:.4f}")
    return 1 if bad or p < 0.01 or k < 50 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
