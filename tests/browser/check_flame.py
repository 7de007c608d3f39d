"""Checks flame graphs in a real browser: check_flame.py SVG...

Prints "ok - ..." and "not ok - ..." lines. What the picture should do is worked
out from its XML by picture.py, not by the picture's own script.
"""

import os
import re
import sys
from collections import Counter
from pathlib import Path

import chromium
from picture import Picture

WIDTHS = """[...document.querySelectorAll('.f')].map(g =>
    getComputedStyle(g).display === 'none' ? null :
    [+g.children[1].getAttribute('x'), +g.children[1].getAttribute('width'),
     +g.children[1].getAttribute('y')])"""
CLOSE = 0.01            # px


class Checks:
    def __init__(self, label):
        self.label = label
        self.failed = 0

    def that(self, good, name, detail=""):
        print(f"{'ok' if good else 'not ok'} - {self.label}: {name}")
        if not good:
            self.failed += 1
            print(f"# {detail}")


def same(a, b):
    return abs(a - b) <= CLOSE


def zoomed(p, top, now):
    """What is wrong with the boxes `now` if `top` fills the width; "" if nothing."""
    below = {b.index for b in p.below(top)}
    above, box = set(), top.parent
    while box:
        above.add(box.index)
        box = box.parent
    for box, at in zip(p.boxes, now):
        if box.index in below:
            want = box.n / top.n * p.width
            if at is None or not same(at[1], want):
                return f"{box.title}: {at}, not {want} wide"
        elif box.index in above:
            if at is None or not same(at[1], p.width):
                return f"{box.title} above: {at}"
        elif at is not None:
            return f"{box.title} should be hidden"
    return ""


def pick(p):
    """A box worth zooming into: not all, not tiny, with something below."""
    good = [b for b in p.boxes[1:] if b.kind != "n" and b.children and b.width >= 8]
    part = [b for b in good if b.n < p.total]
    return max(part or good or p.boxes[:1], key=lambda b: (len(b.children) > 1, b.level, b.n))


def center(page, index):
    return page.js(f"""(() => {{
        const g = document.querySelectorAll('.f')[{index}];
        g.scrollIntoView({{block: 'center'}});
        const r = g.children[1].getBoundingClientRect();
        return [r.x + r.width / 2, r.y + r.height / 2];
    }})()""")


def start(browser, c, p, url):
    page = browser.open(url)
    now = page.js(WIDTHS)
    c.that(not zoomed(p, p.boxes[0], now), "the script leaves the written widths",
           zoomed(p, p.boxes[0], now))
    wide = page.js("""[...document.querySelectorAll('.f')].slice(0, 3000).filter(g =>
        g.children[2] && g.children[2].textContent &&
        g.children[2].getComputedTextLength() > +g.children[1].getAttribute('width'))
        .map(g => g.textContent).slice(0, 3)""")
    c.that(not wide, "no text is wider than its box", wide)
    roles = page.js("""[document.querySelectorAll('.f').length,
        document.querySelectorAll('.f[role=treeitem][aria-label]').length,
        document.querySelectorAll('.f[tabindex="0"]').length]""")
    c.that(roles[0] == roles[1] and roles[2] == 1,
           "every box has a role and a label, one can be reached by Tab", roles)
    return page


def check_zoom(page, c, p):
    top = pick(p)
    x, y = center(page, top.index)
    page.move(x, y)
    told = page.js("document.querySelector('.details').textContent")
    c.that(told == top.title, "the details name the box under the pointer", told)
    page.click(x, y)
    wrong = zoomed(p, top, page.js(WIDTHS))
    c.that(not wrong, "a click zooms: widths are shares of the box", wrong)
    if top.index == 0:
        return
    c.that("z=" in page.js("location.hash"), "the zoom is in the address")
    page.js("history.back()")
    page.wait("!location.hash.includes('z=')")
    page.wait("!document.querySelector('.f.up')")
    wrong = zoomed(p, p.boxes[0], page.js(WIDTHS))
    c.that(not wrong, "the back button undoes the zoom", wrong)


def search_word(p):
    """A name that many boxes share, so that matches are nested."""
    names = Counter(b.name for b in p.boxes[1:] if b.kind != "n" and b.name.strip())
    return names.most_common(1)[0][0] if names else "all"


def check_search(page, c, p):
    word = search_word(p)
    page.key("/", "/")
    page.type(re.escape(word).replace("\\ ", " "))
    weight, boxes = p.matched(lambda n: word.lower() in n.lower())
    got = page.js("""(() => { const o = document.querySelector('.bar output');
        return [+o.dataset.weight, +o.dataset.boxes, o.textContent]; })()""")
    c.that(got[0] == float(weight) and got[1] == boxes,
           "the search counts each stack once", f"{word!r}: {got}, not {weight}, {boxes}")
    share = f"matched {100 * weight / p.total:.2f}%"
    c.that(got[2] == share, "the matched share is told", f"{got[2]}, not {share}")
    page.js("document.querySelector('.bar [aria-label=\"match case\"]').click()")
    weight, boxes = p.matched(lambda n: word in n)
    got = page.js("+document.querySelector('.bar output').dataset.weight")
    c.that(got == float(weight), "matching case narrows the search", f"{got}, not {weight}")
    page.js("document.querySelector('.bar [aria-label=\"match case\"]').click()")
    page.js("document.querySelector('.bar input').focus()")
    page.js("document.querySelector('.bar input').select()")
    page.type("a(")
    c.that(page.js("document.querySelector('.bar input').className") == "wrong",
           "a broken expression is searched as text and marked")
    page.key("Escape")
    c.that(page.js("document.querySelectorAll('.hit').length") == 0,
           "Escape in the search clears it")


def check_keyboard(page, c, p):
    focused = "[...document.querySelectorAll('.f')].indexOf(document.activeElement)"
    page.js("document.querySelector('.f').focus()")
    page.js("document.querySelector('.f').dispatchEvent(new KeyboardEvent('keydown',"
            "{key: 'Home', bubbles: true}))")
    root = p.boxes[0]
    best = max(root.children, key=lambda b: b.n, default=root)
    page.key("ArrowDown" if p.icicle else "ArrowUp")
    at = page.js(focused)
    c.that(p.boxes[at].n == best.n and p.boxes[at].parent is root,
           "an arrow goes to the heaviest callee", at)
    page.key("Enter", "\r")
    wrong = zoomed(p, p.boxes[at], page.js(WIDTHS))
    c.that(not wrong, "Enter zooms into the focused box", wrong)
    page.key("Escape")
    wrong = zoomed(p, root, page.js(WIDTHS))
    c.that(not wrong, "Escape shows the whole picture again", wrong)
    page.key("ArrowUp" if p.icicle else "ArrowDown")
    c.that(page.js(focused) == 0, "the other arrow goes back to the caller")


def check_flip(page, c, p):
    before = page.js(WIDTHS)
    page.js("[...document.querySelectorAll('.bar button')].find(b => b.textContent === 'Flip').click()")
    after = page.js(WIDTHS)
    last = p.top + (p.levels - 1) * p.row + p.top
    wrong = [i for i, (a, b) in enumerate(zip(before, after))
             if a is None or b is None or a[2] + b[2] != last or a[:2] != b[:2]]
    c.that(not wrong, "flipping mirrors the levels and nothing else", wrong[:5])
    page.js("[...document.querySelectorAll('.bar button')].find(b => b.textContent === 'Flip').click()")


def check_address(browser, c, p, page, url):
    top = pick(p)
    word = search_word(p)
    page.click(*center(page, top.index))
    page.js("document.querySelector('.bar input').focus()")
    page.type(re.escape(word).replace("\\ ", " "))
    page.key("Enter", "\r")
    before = page.js(WIDTHS), page.js("document.querySelector('.bar output').textContent")
    address = page.js("location.hash")
    again = browser.open(url + address)
    after = again.js(WIDTHS), again.js("document.querySelector('.bar output').textContent")
    c.that(before == after, "the address restores zoom and search in a new page", address)
    c.that(not again.troubles(), "no errors in the restored page", again.troubles())
    again.close()


def check_dark(page, c):
    colors = []
    for value in ("light", "dark"):
        page.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": value}])
        colors.append(page.js("""['.bg', '.f rect', '.f text'].map(s =>
            document.querySelector(s) && getComputedStyle(document.querySelector(s)).fill)"""))
    c.that(colors[0] != colors[1], "dark mode has colours of its own", colors)


def check_still(browser, c, p, url):
    """A picture without a script is complete and quiet."""
    page = browser.open(url)
    wrong = zoomed(p, p.boxes[0], page.js(WIDTHS)) if p.boxes else ""
    c.that(not wrong, "the still picture is whole", wrong)
    c.that(not page.troubles(), "no errors on the console, no requests", page.troubles())
    page.close()


def check(browser, path):
    c = Checks(os.path.basename(path))
    url = Path(path).resolve().as_uri()
    p = Picture(path)
    if not p.boxes or not any(e.tag.endswith("}script") for e in p.root):
        check_still(browser, c, p, url)
        return c.failed
    page = start(browser, c, p, url)
    check_zoom(page, c, p)
    check_search(page, c, p)
    check_keyboard(page, c, p)
    check_flip(page, c, p)
    check_address(browser, c, p, page, url)
    check_dark(page, c)
    c.that(not page.troubles(), "no errors on the console, no requests", page.troubles())
    page.close()
    return c.failed


def main(paths):
    path = chromium.find()
    if not path:
        print("no chromium found (set CHROMIUM to its path)", file=sys.stderr)
        return 77
    browser = chromium.Browser(path)
    try:
        return 1 if sum(check(browser, svg) for svg in paths) else 0
    finally:
        browser.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
