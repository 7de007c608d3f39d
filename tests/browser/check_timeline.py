"""Checks timelines in a real browser: check_timeline.py FOLDER

Prints "ok - ..." and "not ok - ..." lines. What a page should show is worked
out from when tests/unit/test_timeline_lanes.c switches its threads, not from
the page's own data.
"""

import math
import os
import re
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import chromium

MS = 1000000
TURN, TURNS, CPUS, THREADS = 100000, 8600, 8, 5   # of trace "many"
LOAD_LIMIT = 10         # s; two are meant, on a machine with nothing else to do
PAGE_LIMIT = 10 << 20   # bytes, of 200,000 spans and more

TL = "document.querySelector('.tl')"
DETAILS = "document.querySelector('.details').textContent"
ODD = ["</script><b>&amp;\"'<!--]]>", "evil\ufffdgnp.exe", "half\ufffd|\ufffd[31m\ufffdtab",
       "\u6f22\u5b57 \U0001f680", "__proto__"]


class Checks:
    failed = 0
    label = ""

    def that(self, good, name, detail=""):
        print(f"{'ok' if good else 'not ok'} - {self.label}: {name}")
        if not good:
            self.failed += 1
            print(f"# {detail}")


def near(a, b, ns=2):
    return abs(a - b) <= ns


class View:
    """A page, and what it says that it shows."""

    def __init__(self, browser, folder, name, hash_=""):
        self.path = os.path.join(folder, name)
        self.page = browser.open(Path(self.path).resolve().as_uri() + hash_)

    def settled(self):
        # Two frames: what was asked for is drawn.
        self.page.js("new Promise(d => requestAnimationFrame(() => requestAnimationFrame(d)))")
        return self

    @property
    def data(self):
        self.settled()
        return self.page.js(f"({{...{TL}.dataset}})")

    @property
    def range(self):
        data = self.data
        return float(data["from"]), float(data["to"])

    @property
    def details(self):
        self.settled()
        return self.page.js(DETAILS)

    def box(self, selector):
        return self.page.js(f"""(() => {{ const r = document.querySelector('{selector}')
            .getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; }})()""")

    def lane_y(self, name):
        """The middle of a lane's first row."""
        return self.page.js(f"""[...document.querySelectorAll('.labels .lane')]
            .find(l => l.textContent === {name!r}).getBoundingClientRect().y + 9""")

    def x_of(self, ns):
        left, _, width, _ = self.box(".spans")
        start, end = self.range
        return left + (ns - start) / (end - start) * width

    def colour_at(self, x, y):
        return self.page.js(f"""(() => {{ const c = document.querySelector('.spans');
            const r = c.getBoundingClientRect(), k = c.width / r.width;
            return [...c.getContext('2d').getImageData(({x} - r.x) * k, ({y} - r.y) * k, 1, 1).data];
            }})()""")

    def mouse(self, kind, x, y, **more):
        self.page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def wheel(self, x, y, dy, dx=0, shift=False):
        self.mouse("mouseWheel", x, y, deltaX=dx, deltaY=dy, modifiers=8 if shift else 0)
        self.settled()

    def drag(self, x0, x1, y):
        self.mouse("mouseMoved", x0, y)
        self.mouse("mousePressed", x0, y, button="left", clickCount=1)
        for k in (0.3, 0.7, 1):
            self.mouse("mouseMoved", x0 + (x1 - x0) * k, y, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y, button="left", clickCount=1)
        self.settled()

    def key(self, name):
        self.page.key(name, name if len(name) == 1 else "")
        self.settled()

    def search(self, text):
        self.page.js("document.querySelector('.bar input').focus()")
        self.page.js("document.querySelector('.bar input').select()")
        self.page.type(text)
        return self.data["hits"]

    def close(self, c):
        troubles = self.page.troubles()
        c.that(not troubles, "no errors on the console, no requests", troubles)
        self.page.close()


def cpu_spans():
    """(from, to, thread) of trace "many", by CPU: who runs between the switches,
    and at both ends of the recording."""
    start, end = 1000 * MS, 1000 * MS + (CPUS - 1) * 7000 + (TURNS - 1) * TURN
    for cpu in range(CPUS):
        before = start
        for turn in range(TURNS):
            at = 1000 * MS + cpu * 7000 + turn * TURN
            if at > before:
                yield before - start, at - start, cpu * THREADS + turn % THREADS
            before = at
        if end > before:
            yield before - start, end - start, cpu * THREADS + TURNS % THREADS


def check_wheel(v, c):
    x, y = v.x_of(1 * MS), v.lane_y("CPU 0")
    start, end = v.range
    v.wheel(x, y, -120)
    new_start, new_end = v.range
    c.that(near((new_end - new_start) / (end - start), math.exp(-0.5), 1e-3),
           "the wheel zooms by e^(d/240)", (start, end, new_start, new_end))
    c.that(abs(v.x_of(1 * MS) - x) < 1, "what is under the pointer stays there", v.range)
    v.wheel(x, y, 100, shift=True)
    moved, width = v.range, v.box(".spans")[2]
    want = min(new_start + 100 / width * (new_end - new_start), end - (new_end - new_start))
    c.that(near(moved[0], want, 50), "with Shift the wheel moves", (moved, want))
    v.key("Escape")
    c.that(v.range == (start, end), "Escape shows all", v.range)


def check_drag(v, c):
    y = v.lane_y("CPU 0")
    v.key("w")
    start, end = v.range
    left, _, width, _ = v.box(".spans")
    v.drag(left + 400, left + 300, y)
    want = start + 100 / width * (end - start)
    c.that(near(v.range[0], want, 5), "dragging moves what is shown", (v.range, want))
    v.key("Escape")
    start, end = v.range
    ruler = v.box(".ruler")
    v.drag(left + width / 4, left + width / 2, ruler[1] + 15)
    want = start + (end - start) / 4, start + (end - start) / 2
    c.that(all(near(a, b, 5) for a, b in zip(v.range, want)),
           "a range chosen on the ruler fills the width", (v.range, want))
    v.page.js("history.back()")
    v.page.wait(f"!location.hash.includes('t=')")
    c.that(v.range == (start, end), "the back button undoes it", v.range)
    v.key("w")
    part = v.range[1] - v.range[0]
    v.page.click(left + width / 4, ruler[1] + 4)
    want = start + (end - start) / 4
    c.that(near(sum(v.range) / 2, want, 5) and near(v.range[1] - v.range[0], part, 5),
           "a click on the bar of the whole goes there", (v.range, want))
    v.key("Escape")


def check_keys(v, c):
    v.key("Escape")
    v.page.js("document.activeElement.blur()")
    start, end = v.range
    width = end - start
    for key, factor in (("w", 0.5), ("+", 0.5), ("-", 2), ("s", 2), ("ArrowUp", 0.5), ("ArrowDown", 2)):
        a, b = v.range
        v.key(key)
        new = v.range
        c.that(near(new[1] - new[0], min((b - a) * factor, width), 2) and
               near((new[0] + new[1]) / 2, (a + b) / 2, 2), f"{key} zooms about the middle", (a, b, new))
    v.key("w")
    for key, part in (("a", -0.25), ("d", 0.25), ("ArrowLeft", -0.25), ("ArrowRight", 0.25)):
        a, b = v.range
        v.key(key)
        c.that(near(v.range[0], a + part * (b - a), 2), f"{key} moves by a quarter", (a, b, v.range))
    v.key("Escape")


def check_hover(v, c):
    y = v.lane_y("CPU 0")
    v.mouse("mouseMoved", v.x_of(3 * MS), y)
    text = v.details
    # The first switch is the beginning: "cat" begins at 0 of the ruler.
    c.that(text.startswith("dog\n") and "3 ms" in text and "tid 11, pid 11" in text,
           "the details name what is under the pointer", text)
    c.that(v.page.js("document.querySelector('.tip').hidden") is False and
           v.page.js("document.querySelector('.tip').textContent") == "dog\n3 ms\ntid 11, pid 11",
           "so does a note beside it",
           v.page.js("document.querySelector('.tip').outerHTML"))
    on, off = v.colour_at(v.x_of(1 * MS), y + 5), v.colour_at(v.x_of(5.01 * MS) + 2, y + 5)
    c.that(on != off, "there is a colour where it ran and none where nobody did", (on, off))
    v.mouse("mouseMoved", 5, 5)
    c.that("zooms" in v.details, "the details tell the keys where nothing is pointed at", v.details)


def check_focus(v, c):
    v.page.js("document.querySelector('.bar button:last-of-type').focus()")
    for _ in range(5):
        v.page.key("Tab")
        if v.page.js("document.activeElement.className") == "spans":
            break
    c.that(v.page.js("document.activeElement.className") == "spans" and v.details.startswith("cat\n"),
           "Tab reaches the first span and its details", v.details)
    v.key("ArrowRight")
    c.that(v.details.startswith("dog\n"), "an arrow goes to the next span", v.details)
    v.key("Enter")
    start, end = v.range
    c.that(start < 2 * MS < 5 * MS <= end and end - start < 4 * MS, "Enter zooms to it", v.range)
    c.that("p=0,1" in v.page.js("location.hash"), "the address has the span", v.page.js("location.hash"))
    v.key("Home")
    c.that(v.details.startswith("cat\n"), "Home goes to the first", v.details)
    live = v.page.js("""[document.querySelector('.details').getAttribute('aria-live'),
        document.querySelector('.spans').getAttribute('role'),
        document.querySelector('.spans').getAttribute('aria-label')]""")
    c.that(live[:2] == ["polite", "application"] and "3 spans" not in live[2] and "2 spans" in live[2],
           "who cannot see is told what is there", live)
    v.key("Escape")


def check_search(v, c):
    c.that(v.search("DOG") == "1", "a search finds names whatever the case", v.data)
    text = v.page.js("document.querySelector('.bar output').textContent")
    c.that(text == "1 match in 1 lane, 3 ms", "matches are counted with their time", text)
    hit = v.colour_at(v.x_of(3 * MS), v.lane_y("CPU 0") + 5)
    v.page.key("Enter", "\r")
    c.that(v.details.startswith("dog\n"), "Enter in the search goes to the match", v.details)
    v.search("dog(")
    c.that(v.page.js("document.querySelector('.bar input').className") == "wrong",
           "what is no expression is searched as text and marked")
    v.search("tid 1[01]")
    c.that(v.data["hits"] == "2", "details are searched, too", v.data)
    v.page.key("Escape")
    c.that(v.data["hits"] == "0", "Escape in the search clears it", v.data)
    plain = v.colour_at(v.x_of(3 * MS), v.lane_y("CPU 0") + 5)
    c.that(hit != plain, "a match has a colour of its own", (hit, plain))


def check_address(browser, folder, v, c):
    v.page.js("document.activeElement.blur()")
    v.key("w")
    v.search("cat")
    v.page.js("[...document.querySelectorAll('.labels button')].pop().click()")
    before, address = v.data, v.page.js("location.hash")
    again = View(browser, folder, "few.html", address)
    after = again.data
    c.that(all(near(float(before[k]), float(after[k]), 1) for k in ("from", "to")) and
           before["hits"] == after["hits"] == "1", "the address restores range and search", (address, before, after))
    c.that(again.page.js("document.querySelectorAll('.labels .lane').length") == 0,
           "and which groups are closed")
    again.close(c)
    odd = View(browser, folder, "few.html", "#t=9,x&p=99,-1&g=7&s=%E0%A4%A")
    c.that(odd.data["hits"] == "0" and odd.range[0] < 0, "an address that makes no sense shows all", odd.data)
    odd.close(c)


def check_dark(v, c):
    seen = []
    for value in ("light", "dark"):
        v.page.call("Emulation.setEmulatedMedia",
                    features=[{"name": "prefers-color-scheme", "value": value}])
        v.settled()
        left, top, width, _ = v.box(".spans")
        seen.append((v.page.js("getComputedStyle(document.body).backgroundColor"),
                     v.colour_at(left + width - 3, top + 40)))
    c.that(seen[0][0] != seen[1][0] and seen[0][1] != seen[1][1], "dark mode has colours of its own", seen)


def check_few(browser, folder, c):
    c.label = "few.html"
    v = View(browser, folder, "few.html")
    c.that(v.data["spans"] == "2", "two spans are in view", v.data)
    for check in (check_wheel, check_drag, check_keys, check_hover, check_focus, check_search, check_dark):
        check(v, c)
    check_address(browser, folder, v, c)
    v.close(c)


def check_states(browser, folder, c):
    c.label = "states.html"
    v = View(browser, folder, "states.html")
    # dog has the CPU from 2 to 5 ms, for which cat waits.
    v.mouse("mouseMoved", v.x_of(3 * MS), v.lane_y("cat (10)"))
    text = v.details
    c.that(text.startswith("waits for a CPU\n") and "CPU 0 had mostly dog (tid 11)" in text and "3 ms" in text,
           "a thread's lane says what it waited for", text)
    v.close(c)


def check_odd(browser, folder, c):
    c.label = "odd.html"
    v = View(browser, folder, "odd.html")
    seen = []
    for k in range(4):
        v.mouse("mouseMoved", v.x_of((k + 0.5) * MS), v.lane_y("CPU 0"))
        seen.append(v.details.split("\n")[0])
    c.that(seen == ODD[1:], "names are shown as they are, what could deceive is replaced", seen)
    for name in ODD[1:]:
        v.page.js("document.querySelector('.bar input').focus()")
        c.that(v.search(re.escape(name)) == "1", f"{name!r} is found", v.data)
    c.that(v.page.js("document.title") == 'a <b> & "c"' and v.page.js("document.querySelectorAll('b').length") <= 1,
           "a title is text")
    v.close(c)


def check_one(browser, folder, c):
    c.label = "one.html"
    v = View(browser, folder, "one.html")
    c.that(v.data["spans"] == "1", "one span is shown", v.data)
    v.mouse("mouseMoved", v.x_of(1 * MS), v.lane_y("CPU 0"))
    c.that(v.details.startswith("cat\n") and "2 ms" in v.details, "with its name and length", v.details)
    for _ in range(60):
        v.page.key("w", "w")
    start, end = v.range
    c.that(near(end - start, 10, 1e-3), "no zoom ends below 10 ns", v.range)
    v.close(c)


def check_empty(browser, folder, c):
    c.label = "empty.html"
    v = View(browser, folder, "empty.html")
    c.that(v.page.js("document.querySelector('.nothing').textContent") == "nothing to show", "says so")
    v.close(c)


def check_many(browser, folder, c):
    c.label = "many.html"
    spans = list(cpu_spans())
    v = View(browser, folder, "many.html")
    data = v.data
    c.that(int(data["spans"]) == len(spans), "every span is drawn or counted", (data, len(spans)))
    c.that(int(data["merged"]) > 0.9 * len(spans) and int(data["blocks"]) > 0,
           "what is narrower than a pixel is in blocks", data)
    left, _, width, _ = v.box(".spans")
    v.mouse("mouseMoved", left + width / 2, v.lane_y("CPU 3"))
    c.that(re.match(r"[\d,]+ spans\n", v.details) and "zoom in" in v.details,
           "a block says how many spans it is", v.details)
    hits = v.search("^worker7$")
    want = sum(1 for s in spans if s[2] == 7)
    c.that(int(hits) == want, "a search counts inside blocks", (hits, want))
    v.page.js("location.hash = '#t=400000000,401000000'")
    v.page.wait(f"+{TL}.dataset.to < 402000000")
    data = v.data
    want = sum(1 for a, b, _ in spans if b >= 400000000 and a <= 401000000)
    c.that(int(data["spans"]) == want and data["merged"] == "0", "zoomed in, each is seen by itself", (data, want))
    v.close(c)

    c.label = "fitted.html"
    v = View(browser, folder, "fitted.html")
    data = v.data
    c.that(int(data["spans"]) == len(spans), "merged when written: every span is still counted", data)
    raw = v.page.js("JSON.parse(document.getElementById('data').textContent).lanes"
                    ".reduce((n, l) => n + l.t.length, 0)")
    c.that(raw <= 5000, "no more are in the page than were asked for", raw)
    count = v.page.js("document.querySelector('.count').textContent")
    c.that("merged when the page was written" in count, "and the page says so", count)
    v.close(c)


def check_load(browser, folder, c):
    c.label = "whole.html"
    path = os.path.join(folder, "whole.html")
    best = LOAD_LIMIT
    for _ in range(2):
        start = time.monotonic()
        v = View(browser, folder, "whole.html")
        v.page.wait(f"{TL}.dataset.spans !== undefined", LOAD_LIMIT)
        best = min(best, time.monotonic() - start)
        n = v.page.js("JSON.parse(document.getElementById('data').textContent).lanes"
                      ".reduce((n, l) => n + l.t.length, 0)")
        v.close(c)
    size = os.path.getsize(path)
    print(f"# {n} spans, {size} bytes: loaded and drawn in {best:.2f} s")
    c.that(n >= 200000, "200,000 spans and more are in the page", n)
    c.that(size * 200000 / n <= PAGE_LIMIT, "200,000 spans are at most 10 MB", size)
    c.that(best < LOAD_LIMIT, f"they load within {LOAD_LIMIT} s", best)


def spans_of(v, lane):
    """(from, to, name, detail) of a lane of a page, on the trace's clock."""
    return v.page.js(f"""(() => {{
        const d = JSON.parse(document.getElementById('data').textContent);
        const l = d.lanes.find(x => d.texts[x.name] === {lane!r}), at = (c, i) => c[i] ?? c;
        let t = 0;
        return l.t.map((by, i) => [+d.origin + (t += by), +d.origin + t + at(l.d, i),
                                   d.texts[at(l.n, i)], d.texts[at(l.x, i)]]);
        }})()""")


def truth(path, word):
    """Lines of the truth about a capture, as dictionaries."""
    with open(path) as f:
        return [dict(w.split("=", 1) for w in line.split() if "=" in w)
                for line in f if line.startswith("GT " + word)]


# What `analyze stalls` calls what was planted, where that has another name.
CAUSES = {"runq": "run-queue", "wakeq": "run-queue", "gpupoll": "gpu", "pipe": "blocked"}


def check_causes(browser, folder, c):
    c.label = "causes.html"
    frames = truth(os.path.join(folder, "causes.perf.gt"), "frame=")
    v = View(browser, folder, "causes.html")
    late = [s for s in spans_of(v, "crtc0: frames of frame-client (291)") if ": late, " in s[2]]
    want = [int(f["vblank_ns"]) for f in frames if int(f["missed"])]
    # The client is told of microseconds.
    c.that(len(late) == len(want) and all(abs(s[1] - w) <= 1000 for s, w in zip(late, want)),
           "the late display frames are those of the truth, at their vblanks", (late, want))
    missed = [f"late, {f['missed']} missed" for f in frames if int(f["missed"])]
    c.that([s[2].split(": ")[1] for s in late] == missed, "with as many vblanks missed", [s[2] for s in late])
    planted = truth(os.path.join(folder, "causes.perf.gt"), "late")
    wrong = [(s[2], t["cause"]) for s, t in zip(late, planted)
             if t["cause"] != "none" and s[2].split(": ")[0] != CAUSES.get(t["cause"], t["cause"])]
    c.that(len(planted) == len(late) and not wrong, "and named by what was planted", wrong)
    check_late(v, late, c)
    hits = v.search(": late, ")
    c.that(int(hits) == len(want), "a search finds them", hits)
    v.page.key("Enter", "\r")
    c.that(": late, " in v.details, "and goes to the first", v.details)
    v.close(c)


def check_late(v, late, c):
    """The way of somebody who looks for the late frames."""
    text = v.page.js("document.querySelector('.bar .late').textContent")
    c.that(text == f"{len(late)} late frames", "the page says at its head how many there are", text)
    origin = int(v.page.js("JSON.parse(document.getElementById('data').textContent).origin"))
    inside, outside = v.x_of((late[0][0] + late[0][1]) / 2 - origin), v.x_of(late[0][0] - origin) - 20
    y = v.lane_y("gpu-hog (295)")
    c.that(v.colour_at(inside, y) != v.colour_at(outside, y), "what happened meanwhile is tinted in every lane")
    for frame in late[:2]:
        v.key("l")
        start, end = v.range
        c.that(v.details.startswith(frame[2] + "\n") and start <= frame[0] - origin and frame[1] - origin <= end,
               f"l goes to the late frame that comes next: {frame[2]}", (v.details, v.range))
        c.that(frame[3] in v.details and "confidence" in frame[3], "the details say why it was late", v.details)
    v.key("L")
    c.that(v.details.startswith(late[0][2] + "\n"), "L goes to the one before", v.details)
    v.mouse("mouseMoved", v.x_of((late[0][0] + late[0][1]) / 2 - origin), v.lane_y("crtc0: frames of frame-client (291)"))
    v.settled()
    tip = v.page.js("document.querySelector('.tip').textContent")
    c.that(tip.startswith(late[0][2] + "\n") and late[0][3] in tip, "so does the note beside the pointer", tip)
    v.mouse("mouseMoved", 5, 5)
    v.key("Escape")


def check_jobs(browser, folder, c):
    c.label = "jobs.html"
    jobs = truth(os.path.join(folder, "jobs.perf.gt"), "job ctx")
    v = View(browser, folder, "jobs.html")
    for ring, lane in (("0", "gfx"), ("1", "compute")):
        seen = {s[3].split(",")[0]: s for s in spans_of(v, lane)}
        want = [j for j in jobs if j["ring"] == ring]
        wrong = [j for j in want if "job " + j["fence"] not in seen or not
                 int(j["submit_ns"]) <= seen["job " + j["fence"]][0] < seen["job " + j["fence"]][1] <= int(j["done_ns"])]
        c.that(want and not wrong, f"each job of ring {lane} lies between its submission and its completion", wrong)
    v.close(c)


def check_picture(browser, folder, name, c):
    c.label = name
    root = ElementTree.parse(os.path.join(folder, name)).getroot()
    outside = [(e.tag, k) for e in root.iter() for k, value in e.attrib.items()
               if k.startswith("on") or "href" in k or "url(" in value or k == "style"]
    c.that(not outside, "needs nothing from outside", outside)
    page = browser.open(Path(folder, name).resolve().as_uri())
    n = page.js("document.querySelectorAll('.s').length")
    if n and page.js("!!document.querySelector('script')"):
        check_picture_zoom(page, c)
    elif n:
        c.that(page.js("document.querySelectorAll('.s title').length") == n, "a still picture has its details")
    else:
        c.that("nothing to show" in page.js("document.documentElement.textContent"), "says so")
    troubles = page.troubles()
    c.that(not troubles, "no errors on the console, no requests", troubles)
    page.close()


def check_picture_zoom(page, c):
    ranges = "['from', 'to'].map(k => +document.documentElement.dataset[k])"
    start, end = page.js(ranges)
    page.key("w", "w")
    a, b = page.js(ranges)
    c.that(near(b - a, (end - start) / 2) and near(a + b, start + end), "w zooms about the middle", (a, b))
    wrong = page.js("""(() => { const plot = document.querySelector('.lanes').dataset;
        const [from, to] = ['from', 'to'].map(k => +document.documentElement.dataset[k]);
        const at = t => +plot.x + (t - from) / (to - from) * plot.width, right = +plot.x + +plot.width;
        return [...document.querySelectorAll('.bands rect:not(.hide)')].map(r => {
            const t = +r.dataset.t, x = Math.max(at(t), +plot.x), end = Math.min(at(t + +r.dataset.d), right);
            return [r.getAttribute('x') - x, r.getAttribute('width') - Math.max(1, end - x)]; })
            .filter(d => d.some(by => Math.abs(by) > 0.02)); })()""")
    c.that(not wrong, "bands of late frames are zoomed, too", wrong)
    page.key("Escape")
    c.that(page.js(ranges) == [start, end], "Escape shows all")
    x, y, text = page.js("""(() => { const g = document.querySelector('.s');
        const r = g.children[1].getBoundingClientRect();
        return [r.x + r.width / 2, r.y + r.height / 2, g.firstChild.textContent]; })()""")
    page.move(x, y)
    told = page.js("document.querySelector('.details').textContent")
    c.that(told == text.replace("\n", " \u00b7 "), "the details name what is under the pointer", told)
    page.js("document.querySelector('.s').focus()")
    page.key("Enter", "\r")
    a, b = page.js(ranges)
    c.that(b - a <= end - start, "Enter zooms to the focused span", (a, b))


def check(browser, folder):
    c = Checks()
    check_few(browser, folder, c)
    check_states(browser, folder, c)
    check_odd(browser, folder, c)
    check_one(browser, folder, c)
    check_empty(browser, folder, c)
    check_many(browser, folder, c)
    check_load(browser, folder, c)
    for name, capture in (("causes", check_causes), ("jobs", check_jobs)):
        if os.path.exists(os.path.join(folder, name + ".perf.gt")):
            capture(browser, folder, c)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".svg"):
            check_picture(browser, folder, name, c)
    return c.failed


def main(folder):
    path = chromium.find()
    if not path:
        print("no chromium found (set CHROMIUM to its path)")
        return 77
    browser = chromium.Browser(path)
    try:
        return 1 if check(browser, folder) else 0
    finally:
        browser.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
