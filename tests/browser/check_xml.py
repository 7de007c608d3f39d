"""Checks the arithmetic of flame graphs from their XML: check_xml.py SVG..."""

import os
import sys

from picture import NS, Picture

LEAST = 0.00011         # px: positions have four decimals


def faults(p):
    """Pairs of a property and what breaks it."""
    for box in p.boxes:
        want = box.n / p.total * p.width
        if abs(box.width - want) > LEAST:
            yield "widths are weight / total", f"{box.title}: {box.width}, {want}"
        if box.self + sum(c.n for c in box.children) != box.n:
            yield "a box is itself and its children", box.title
        if box.parent and (box.x < box.parent.x - LEAST or
                           box.x + box.width > box.parent.x + box.parent.width + 2 * LEAST):
            yield "a box lies above its parent", box.title
        # Replaced characters were sorted as what they stand for.
        names = [c.name.encode() for c in box.children
                 if c.kind != "n" and not set(c.name) & {"\ufffd", " "}]
        if names != sorted(names):
            yield "siblings are in the order of names", names
        if box.text and box.text != box.name and not box.name.startswith(box.text[:-1]):
            yield "a text is its name or the start of it", box.text
        at = sorted(box.children, key=lambda c: c.x)
        if any(a.x + a.width > b.x + 2 * LEAST for a, b in zip(at, at[1:])):
            yield "siblings do not overlap", box.title


PROPERTIES = (
    "widths are weight / total", "a box is itself and its children",
    "a box lies above its parent", "siblings are in the order of names",
    "a text is its name or the start of it", "siblings do not overlap",
)


def outside(p):
    """What would be fetched, or would break a content security policy."""
    for e in p.root.iter():
        for key, value in e.attrib.items():
            if key.startswith("on") or "href" in key or "url(" in value or key == "style":
                yield f"{e.tag} {key}={value}"
        if e.tag == NS + "style" and ("@import" in e.text or "url(" in e.text):
            yield "style"


def main(paths):
    failed = 0
    for path in paths:
        label = os.path.basename(path)
        p = Picture(path)       # raises where the XML is not well-formed
        print(f"ok - {label}: well-formed")
        found = dict(faults(p)) if p.boxes else {}
        found["needs nothing from outside"] = list(outside(p))
        for name in (*(PROPERTIES if p.boxes else ()), "needs nothing from outside"):
            failed += bool(found.get(name))
            print(f"{'not ok' if found.get(name) else 'ok'} - {label}: {name}")
            if found.get(name):
                print("#", found[name])
    return 1 if failed else 0


sys.exit(main(sys.argv[1:]))
