"""What recording and analysis cost, beside perf in the same run.

Prints each figure with the command that made it. Figures of one run compare
with each other only: the machine, and what else it does, is part of them.
"""

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import sizes
from measure import finish, run, start

B = os.path.abspath(os.environ.get("B", "build"))
REC, ANALYZE = f"{B}/rec", f"{B}/analyze"
BUSY = int(os.environ.get("SECONDS_BUSY", "60"))
DEEP = int(os.environ.get("SECONDS_DEEP", "65"))
RATE = os.environ.get("RATE", "9999")
LARGE = os.environ.get("LARGE", "1000000000")
WALKS = os.environ.get("WALKS", "24000")
ROOT = os.path.abspath(".")
PERF = ["perf", "record", "-q", "-e", "cpu-clock"]


def say(name, value, command):
    print(f"{name:<44} {value:>22}   {command.replace(B + '/', '')}", flush=True)


def ratio(name, ours, theirs, unit="x less"):
    print(f"{name:<44} {theirs / max(ours, 1e-9):>15.2f} {unit}", flush=True)


def median(costs, of):
    return statistics.median(getattr(c, of) for c in costs)


def mib(path):
    return os.path.getsize(path) / 2**20


def counted(path):
    """Samples in a trace, and samples lost."""
    out = subprocess.run([ANALYZE, "info", "--json", path], text=True,
                         capture_output=True, check=False).stdout
    events = json.loads(out)["events"]
    return sum(e["rows"] for e in events), sum(e["lost"] for e in events)


def rows(path):
    return counted(path)[0]


def perf_counted(path):
    """The same of a perf.data: the sections of its events say how many samples
    were lost, the first one, of all, only how many records say so."""
    out = subprocess.run(["perf", "report", "--stats", "-i", path], text=True,
                         capture_output=True, check=False).stdout
    found, of_event = {}, False
    for line in out.splitlines():
        if line.endswith(" stats:"):
            of_event = line != "Aggregated stats:"
        name, _, value = line.strip().partition(" events:")
        if value and of_event:
            found[name] = found.get(name, 0) + int(value.split()[0])
    return found.get("SAMPLE", 0), found.get("LOST_SAMPLES", 0)


def perf_samples(path):
    return perf_counted(path)[0]


def bench_start():
    """The whole machine around a command that does nothing."""
    for events, times in (([], 9), (["-e", "sched:*"], 5),
                          (["-e", "syscalls:*"], 3)):
        ours, theirs = [], []
        for _ in range(times):
            ours.append(run([REC, "-q", "-a", *events, "-o", "s.ctr", "--",
                             "true"]))
            # perf closes each event of syscalls:* by itself: half a minute.
            if events != ["-e", "syscalls:*"] or not theirs:
                theirs.append(run(["perf", "record", "-q", "-a",
                                   *(events or ["-e", "cpu-clock"]), "-o",
                                   "s.data", "--", "true"]))
        what = " ".join(["-a", *events])
        for name, c in ((f"rec {what} -- true, wall", ours),
                        (f"perf record {what} -- true, wall", theirs)):
            say(name, f"{median(c, 'wall'):.3f} s", c[0].command)
        ratio("rec against perf", median(ours, "wall"),
              median(theirs, "wall"))


def bench_busy():
    """A busy machine at a high rate, both recorders at the same time.

    So both see the same load, and the load suffers from both."""
    load = subprocess.Popen([f"{B}/samples/deep", str(os.cpu_count()),
                             str(BUSY + 20)], stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        a = start([REC, "-q", "-a", "-F", RATE, "-g", "-e", "cpu-clock",
                   "-o", "busy.ctr", "--duration", f"{BUSY}s"])
        b = start([*PERF, "-a", "-F", RATE, "-g", "-o", "busy.data",
                   "--", "sleep", str(BUSY)])
        ours, theirs = finish(a), finish(b)
        z = run([*PERF, "-a", "-z", "-F", RATE, "-g", "-o", "z.data",
                 "--", "sleep", "5"])
    finally:
        load.kill()
        load.wait()
    n, lost = counted("busy.ctr")
    m, perf_lost = perf_counted("busy.data")
    k = perf_samples("z.data")
    for name, c, count, missed, path in (
            ("rec", ours, n, lost, "busy.ctr"),
            ("perf", theirs, m, perf_lost, "busy.data")):
        say(f"{name}: samples, lost", f"{count}, {missed}", c.command)
        say(f"{name}: CPU", f"{c.cpu:.2f} s", c.command)
        say(f"{name}: CPU a million samples", f"{c.cpu / max(count, 1) * 1e6:.2f} s", "")
        say(f"{name}: peak memory, with helpers", f"{c.rss:.1f} MiB", "")
        say(f"{name}: file", f"{mib(path):.1f} MiB", "")
        say(f"{name}: bytes a sample", f"{mib(path) * 2**20 / max(count, 1):.2f}", "")
    per_z = os.path.getsize("z.data") / max(k, 1)
    say("perf -z: bytes a sample", f"{per_z:.2f}", z.command)
    ratio("CPU: rec against perf", ours.cpu / n, theirs.cpu / max(m, 1))
    ratio("file: rec against perf", mib("busy.ctr") / n, mib("busy.data") / max(m, 1))
    ratio("file: rec against perf -z", mib("busy.ctr") * 2**20 / n, per_z)


def record_deep(program):
    """One program with deep and varied stacks, the recorders in turn."""
    load = subprocess.Popen([program, str(os.cpu_count()),
                             str(2 * DEEP + 30)], stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        ours = run([REC, "-q", "-F", "25000", "-g", "-e", "cpu-clock",
                    "-p", str(load.pid), "-o", "deep.ctr",
                    "--duration", f"{DEEP}s"])
        theirs = run([*PERF, "-F", "25000", "-g", "-p", str(load.pid),
                      "-o", "deep.data", "--", "sleep", str(DEEP)])
    finally:
        load.kill()
        load.wait()
    return ours, theirs


def costs_of(command, times):
    """CPU: the median. Text goes to /dev/null, here and from perf."""
    costs = [run(command) for _ in range(times)]
    said = " ".join(command[:2]).replace(B + "/", "")
    say(f"CPU, memory: {said}", f"{median(costs, 'cpu'):.2f} s, "
        f"{median(costs, 'rss'):.0f} MiB", costs[0].command)
    return median(costs, "cpu")


def stacks_in(path):
    out = subprocess.run([ANALYZE, "folded", path], capture_output=True,
                         check=False).stdout
    return out.count(b"\n"), len(out)


def bench_deep(program=f"{B}/samples/deep"):
    """Recording, reporting and drawing of deep and varied stacks."""
    ours, theirs = record_deep(program)
    n, lost = counted("deep.ctr")
    m, perf_lost = perf_counted("deep.data")
    for name, c, count, missed in (("rec", ours, n, lost),
                                   ("perf", theirs, m, perf_lost)):
        say(f"{name}: samples, lost", f"{count}, {missed}", c.command)
        say(f"{name}: CPU a million samples",
            f"{c.cpu / max(count, 1) * 1e6:.2f} s", "")
    # What rec does beyond perf record, at our number of samples.
    extra = max(0.0, ours.cpu - theirs.cpu / max(m, 1) * n)
    report = costs_of([ANALYZE, "report", "deep.ctr"], 5)
    flat = costs_of([ANALYZE, "report", "--no-children", "-g", "none",
                     "deep.ctr"], 5)
    folded = costs_of([ANALYZE, "folded", "deep.ctr"], 5)
    picture = costs_of([ANALYZE, "flamegraph", "-o", "deep.svg", "deep.ctr"],
                       5)
    both = costs_of([ANALYZE, "flamegraph", "-o", "deep.svg", "--folded",
                     "/dev/null", "deep.ctr"], 5)
    perf_report = costs_of(["perf", "report", "--stdio", "-i", "deep.data"], 1)
    perf_flat = costs_of(["perf", "report", "--stdio", "--no-children", "-g",
                          "none", "-i", "deep.data"], 1)
    perf_script = costs_of(["perf", "script", "-i", "deep.data"], 1)
    say("extra CPU of rec over perf record", f"{extra:.2f} s", "")
    ratio("call-graph report", (report + extra) / n, perf_report / m)
    ratio("flat report", (flat + extra) / n, perf_flat / m)
    ratio("flamegraph, against perf script alone",
          (picture + extra) / n, perf_script / m)
    ratio("folded + flamegraph, against perf script alone",
          (folded + picture + extra) / n, perf_script / m)
    ratio("flamegraph --folded, against perf script alone",
          (both + extra) / n, perf_script / m)
    ratio("the same without the recording", both / n, perf_script / m)
    stacks, size = stacks_in("deep.ctr")
    say("folded: different stacks, size", f"{stacks}, {size / 2**20:.1f} MiB",
        "")
    say("picture", f"{mib('deep.svg'):.2f} MiB", "")


def bench_repeat():
    """The same of stacks that repeat, about 100,000, with C++ names."""
    with open("repeat.c", "w", encoding="utf-8") as to:
        subprocess.run(["sh", f"{ROOT}/samples/deep.sh", WALKS], stdout=to,
                       check=True)
    subprocess.run(["cc", "-std=gnu17", "-O1", "-fno-omit-frame-pointer",
                    "-mno-omit-leaf-frame-pointer",
                    "-fno-optimize-sibling-calls", "-pthread",
                    "-Wl,--build-id", "-o", "repeat", "repeat.c"], check=True)
    bench_deep(os.path.abspath("repeat"))


def around(command, load):
    """The recorder of the whole machine around a load that is no child of it:
    what wait() says of it is its own."""
    p = start(command)
    time.sleep(1.5)
    subprocess.run(load, stdout=subprocess.DEVNULL, check=True)
    time.sleep(0.3)
    p.send_signal(signal.SIGINT)
    return finish(p, ok=(0, 130, -signal.SIGINT))


def in_turn(name, ours, theirs, load):
    """The recorders in turn, three times each: CPU a million events, medians."""
    got = {"rec": [], name: []}
    for _ in range(3):
        for who, command, path, count in (
                ("rec", ours, "turn.ctr", counted),
                (name, theirs, "turn.data", perf_counted)):
            c = around(command, load)
            n, lost = count(path)
            got[who].append((c.cpu / max(n, 1) * 1e6, n, lost, c,
                             os.path.getsize(path)))
    for who, runs in got.items():
        runs.sort(key=lambda x: x[0])
        cpu, n, lost, c, size = runs[1]
        say(f"{who}: events, lost", f"{n}, {lost}", c.command)
        say(f"{who}: CPU a million events", f"{cpu:.3f} s", "")
        say(f"{who}: peak memory", f"{c.rss:.0f} MiB", "")
        say(f"{who}: bytes an event", f"{size / max(n, 1):.2f}", "")
    ratio(f"CPU: rec against {name}", got["rec"][1][0], got[name][1][0])


def bench_switch():
    """2.4 million context switches: perf's defaults, then lean."""
    load = [f"{B}/samples/count", "switch", "1200000"]
    ours = [REC, "-q", "-a", "-e", "sched:sched_switch", "-o", "turn.ctr"]
    event = ["-a", "-e", "sched:sched_switch", "-o", "turn.data"]
    in_turn("perf record", ours, ["perf", "record", "-q", *event], load)
    in_turn("perf record -B -N -z", ours,
            ["perf", "record", "-q", "-B", "-N", "-z", *event], load)


def around_measured(command, load):
    """As around(), and what the load itself used."""
    p = start(command)
    time.sleep(1.5)
    used = run(load)
    time.sleep(0.3)
    p.send_signal(signal.SIGINT)
    return finish(p, ok=(0, 130, -signal.SIGINT)), used


def bench_gpu():
    """--gpu without a GPU at work, beside the switches alone: CPU of the
    recorder, and of the load, which pays for what the kernel records.

    For a million switches; divided by 20 it is a share of a core at 50,000 a
    second."""
    switch = ["-e", "sched:sched_switch"]
    ways = {"-a -e sched:sched_switch": switch, "--gpu": ["--gpu"],
            "--gpu again": ["--gpu"],
            "-a … -e sched:sched_waking": [*switch, "-e", "sched:sched_waking"],
            "-a … -e syscalls:sys_enter_ioctl":
                [*switch, "-e", "syscalls:sys_enter_ioctl"]}
    load = [f"{B}/samples/count", "switch", "500000"]
    got = {name: [] for name in ways}
    for _ in range(int(os.environ.get("TURNS", "3"))):
        for name, events in ways.items():
            c, used = around_measured([REC, "-q", "-a", *events, "-o",
                                       "turn.ctr"], load)
            got[name].append((c.cpu, used.cpu, counted("turn.ctr")))
    first = None
    for name, runs in got.items():
        own, used = (statistics.median(r[i] for r in runs) for i in (0, 1))
        n, lost = max(r[2] for r in runs)
        say(f"{name}: most rows, lost", f"{n}, {lost}", "")
        say(f"{name}: CPU of rec", f"{own:.3f} s", "")
        say(f"{name}: CPU of the load", f"{used:.3f} s", "")
        if not first:
            first = own, used
        else:
            say(f"{name}: more of a core at 50,000/s, rec and load",
                f"{(own - first[0]) * 5:.2f} %, {(used - first[1]) * 5:.2f} %",
                "")


def calls_of_count(path):
    """Rows of sys_enter that the generators made."""
    out = subprocess.run([ANALYZE, "report", "--csv", "-s", "comm",
                          "--no-children", "-g", "none", "-e",
                          "raw_syscalls:sys_enter", "--comm", "count", path],
                         text=True, capture_output=True, check=False).stdout
    return sum(int(line.split(",")[3]) for line in out.splitlines()[1:])


def bench_storm():
    """System calls as fast as they go on all CPUs, default buffers."""
    calls = 1500000
    load = ["sh", "-c", " & ".join(
        f"taskset -c {c} {B}/samples/count getppid {calls}"
        for c in range(os.cpu_count())) + " & wait"]
    for name, command, count, path in (
            ("rec", [REC, "-q", "-a", "-e", "raw_syscalls:*", "-o",
                     "storm.ctr"], counted, "storm.ctr"),
            ("perf", ["perf", "record", "-q", "-BN", "-a", "-e",
                      "raw_syscalls:*", "-o", "storm.data"], perf_counted,
             "storm.data")):
        c = around(command, load)
        n, lost = count(path)
        say(f"{name}: events, lost", f"{n}, {lost}", c.command)
        say(f"{name}: share lost", f"{lost / max(n + lost, 1):.1%}", "")
        say(f"{name}: CPU a million events, memory",
            f"{c.cpu / max(n, 1) * 1e6:.2f} s, {c.rss:.0f} MiB", "")
        say(f"{name}: bytes an event",
            f"{os.path.getsize(path) / max(n, 1):.2f}", "")
    say("calls the generators made, rows of them",
        f"{3 * calls * os.cpu_count()}, {calls_of_count('storm.ctr')}", "")


def bench_rings():
    """The drain alone, from 64 rings that are full."""
    out = subprocess.run([f"{B}/tests/support/drainreplay", "64", "4"],
                         text=True, capture_output=True, check=True).stdout
    for line in out.splitlines()[1:]:
        shards, _, wall, cpu, drain = line.split()
        say(f"{shards} shards: million events a second",
            f"{1e3 / float(wall):.2f}", "tests/support/drainreplay 64 4")
        say(f"{shards} shards: CPU, of the drain",
            f"{cpu} ns, {drain} ns", "")


def bench_sizes():
    """Bytes a row, whole files, beside perf -z; encoding beside zstd -1."""
    sizes.run_all(ROOT, B, sys.modules[__name__])


def opening(path):
    """Milliseconds that opening takes, the best of five."""
    return min(int(subprocess.run([f"{B}/tests/support/largetrace", path],
                                  text=True, capture_output=True,
                                  check=True).stdout) for _ in range(5)) / 1e3


def bytes_read(command):
    """Share of the file, as -v tells it."""
    said = subprocess.run([*command, "-v"], text=True, capture_output=True,
                          check=False).stderr
    words = said.rsplit(" chunks, ", 1)[1].split()
    return int(words[0]) / int(words[2])


def bench_large():
    """A trace of 1 GB, from a short one again and again: what reading costs."""
    load = [subprocess.Popen([f"{B}/samples/deep", "1", "30"],
                             stdout=subprocess.DEVNULL),
            subprocess.Popen([f"{B}/samples/count", "getppid", "1000000"],
                             stdout=subprocess.DEVNULL)]
    try:
        run([REC, "-q", "-a", "-F", "4999", "-g", "-e", "cpu-clock", "-e",
             "sched:sched_switch", "-e", "raw_syscalls:*", "-o", "base.ctr",
             "--duration", "20s"])
    finally:
        for p in load:
            p.kill()
            p.wait()
    run([f"{B}/tests/support/largetrace", "base.ctr", "large.ctr", LARGE])
    say("file", f"{mib('large.ctr'):.0f} MiB", "")
    slices = [ANALYZE, "report", "--time", "50%,51%", "large.ctr"]
    c = run(slices)
    say("slice of 1 %: share of the bytes read", f"{bytes_read(slices):.2%}",
        c.command)
    say("slice of 1 %: wall, memory", f"{c.wall:.2f} s, {c.rss:.0f} MiB", "")
    for what in ("report", "folded", "info"):
        for n in ("1", "2"):
            c = run([ANALYZE, what, "--threads", n, "large.ctr"])
            say(f"{what}, {n} threads: wall, CPU, memory",
                f"{c.wall:.1f} s, {c.cpu:.1f} s, {c.rss:.0f} MiB", c.command)
    say("opening, with the index", f"{opening('large.ctr'):.1f} ms", "")
    os.truncate("large.ctr", os.path.getsize("large.ctr") - 80)
    say("opening, without", f"{opening('large.ctr'):.1f} ms", "")


def bench_fdinfo():
    """Clients of GPUs among 2,000 processes that sleep, 50 clients.

    The clients are files of a tree: no GPU is needed."""
    for readings in ("1", "10"):
        cost = [f"{B}/tests/support/fdinfocost", "2000", "50", "20", readings]
        out = subprocess.run(cost, text=True, capture_output=True, check=True)
        for line in out.stdout.splitlines():
            name, _, value = line.partition(": ")
            say(name, value, " ".join(cost))


PARTS = {"fdinfo": bench_fdinfo, "sizes": bench_sizes, "switch": bench_switch,
         "gpu": bench_gpu, "storm": bench_storm,
         "rings": bench_rings,
         "start": bench_start, "busy": bench_busy, "deep": bench_deep,
         "repeat": bench_repeat, "large": bench_large}


def main(names):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        # perf keeps copies of every binary that it met in the home folder.
        os.environ["HOME"] = folder
        for name in names or PARTS:
            print(f"\n-- {name}: {PARTS[name].__doc__.splitlines()[0]}")
            PARTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
