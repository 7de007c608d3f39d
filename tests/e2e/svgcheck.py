"""Is a flame graph what its folded stacks say? svgcheck.py PICTURE FOLDED

Reads both on its own: the place of a box comes from its rectangle, not from
the order of the markup. Prints the root's sum, or "wrong", with what is wrong
on stderr and exit status 1.
"""

import sys
import xml.etree.ElementTree as ET
from collections import Counter

NS = "{http://www.w3.org/2000/svg}"
NEAR = 0.02  # px: coordinates are rounded


def folded(path):
    """Weight of each prefix of a stack, by its names."""
    sums = Counter()
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            stack, _, n = line.rstrip("\n").rpartition(" ")
            frames = stack.split(";")
            for depth in range(len(frames) + 1):
                sums[tuple(frames[:depth])] += int(n)
    return sums


def boxes(path):
    frames = next(g for g in ET.parse(path).getroot().iter(NS + "g")
                  if g.get("class") == "frames")
    for g in frames:
        rect = g.find(NS + "rect")
        title = g.find(NS + "title").text
        yield {
            "name": title[:title.rindex(" (")],
            "n": int(g.get("data-n")),
            **{k: float(rect.get(k)) for k in ("x", "y", "width")},
        }


def link(all_boxes):
    """Finds parents: the box of the row nearer to the root that spans it."""
    root = max(all_boxes, key=lambda b: b["width"])
    rows = sorted({b["y"] for b in all_boxes},
                  key=lambda y: abs(y - root["y"]))
    by_row = {y: [] for y in rows}
    for b in all_boxes:
        by_row[b["y"]].append(b)
    root = by_row[rows[0]][0]
    root["path"] = ()
    for near, far in zip(rows, rows[1:]):
        parents = sorted(by_row[near], key=lambda b: b["x"])
        at = 0
        for b in sorted(by_row[far], key=lambda b: b["x"]):
            middle = b["x"] + b["width"] / 2
            while parents[at]["x"] + parents[at]["width"] < middle:
                at += 1
            parent = parents[at]
            if not parent["x"] <= middle:
                raise ValueError(f"'{b['name']}' stands on nothing")
            b["path"] = parent["path"] + (b["name"],)
    return root


def main(picture, stacks):
    bad = []
    want = folded(stacks)
    found = list(boxes(picture))
    root = link(found)
    got = Counter()
    for b in found:
        got[b["path"]] += b["n"]
        width = b["n"] / root["n"] * root["width"]
        if abs(b["width"] - width) > NEAR:
            bad.append(f"{b['path']}: {b['width']} wide, not {width:.2f}")
    narrow = [p for p in got if p and p[-1].endswith("narrow frames]")
              or p and p[-1].endswith("narrow frame]")]
    for p in narrow:
        del got[p]
    for path, n in got.items():
        if want.get(path) != n:
            bad.append(f"{';'.join(path)}: {n}, folded has {want.get(path)}")
    if not narrow:
        bad += [f"{';'.join(p)}: not in the picture"
                for p in want if p not in got]
    print("wrong" if bad else root["n"])
    for line in bad:
        print(line, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
