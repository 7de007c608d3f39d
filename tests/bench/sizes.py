"""Bytes a row of whole files beside perf -z, and what encoding costs beside
zstd -1 over the records that perf writes for the same load."""

import os
import re
import shutil
import subprocess

from measure import run

SWITCH = ["-e", "sched:sched_switch,sched:sched_wakeup"]
CALLS = ["-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit"]
CLOCK = ["-e", "cpu-clock"]
SECONDS = os.environ.get("SECONDS_SIZES", "20")


def loads(root, b):
    """Name, events, command. A build, so that processes come and go."""
    build = (f"timeout {SECONDS} make -s -C {root} B=$PWD/tree -j2 "
             "$PWD/tree/libtf.a $PWD/tree/librec.a 2>/dev/null; rm -rf tree")
    mix = (f"({build}) & timeout {SECONDS} python3 -c 'while True: "
           "sorted(str(i) for i in range(9999))' & "
           f"timeout {SECONDS} xz -9 -k -c {b}/rec {b}/analyze >/dev/null & "
           "wait")
    return [
        ("switches", SWITCH,
         f"{b}/samples/count switch 300000 & ({build}) & wait"),
        ("switches, stacks", ["-g", *SWITCH],
         f"{b}/samples/count switch 150000 & ({build}) & wait"),
        ("system calls", CALLS, build),
        ("samples, deep", ["-g", "-F", "9999", *CLOCK],
         f"{b}/samples/deep {os.cpu_count()} {SECONDS}"),
        ("samples, mixed", ["-g", "-F", "9999", *CLOCK], mix),
        ("quiet", ["-g", "-F", "99", *CLOCK], f"sleep {3 * int(SECONDS)}"),
    ]


def zstd_cost(path, n):
    """Of zstd -1, a row: nanoseconds to compress and to decompress, bytes.
    Nothing without the program."""
    if not shutil.which("zstd"):
        return None
    out = subprocess.run(["zstd", "-qb1", "-i2", path], text=True,
                         capture_output=True, check=False)
    found = re.findall(
        r"-1\s+(\d+) \([\d.]+\),? +([\d.]+) MB/s,? +([\d.]+) MB/s",
        out.stdout + out.stderr)
    if not found:
        return None
    packed, fast, back = (float(x) for x in found[-1])
    size = os.path.getsize(path) * 1e3 / n
    return size / fast, size / back, packed / n


def xz_size(path):
    """Bytes after xz -9."""
    with subprocess.Popen(["xz", "-9", "-T0", "-k", "-c", path],
                          stdout=subprocess.PIPE) as p:
        return sum(len(b) for b in iter(lambda: p.stdout.read(1 << 20), b""))


def run_all(root, b, tools):
    """`tools` has say, ratio, counted and perf_samples of the bench."""
    for name, events, load in loads(root, b):
        shell = ["--", "sh", "-c", load]
        ours = run([f"{b}/rec", "-q", "-a", *events, "-o", "o.ctr", *shell])
        # Without build-ids: perf 6.1 fails on files that are gone by then.
        perf = ["perf", "record", "-q", "-B", "-N", "-a", *events]
        packed = run([*perf, "-z", "-o", "z.data", *shell])
        run([*perf, "-o", "r.data", *shell])
        n, lost = tools.counted("o.ctr")
        m, k = tools.perf_samples("z.data"), tools.perf_samples("r.data")
        size = os.path.getsize("o.ctr") / max(n, 1)
        theirs = os.path.getsize("z.data") / max(m, 1)
        tools.say(f"{name}: rows, lost", f"{n}, {lost}", ours.command)
        tools.say(f"{name}: bytes a row", f"{size:.2f}", "")
        tools.say(f"{name}: perf -z: bytes a row", f"{theirs:.2f}",
                  packed.command)
        tools.ratio(f"{name}: rec against perf -z", size, theirs)
        # The same records on both sides.
        run([f"{b}/rec", "import", "-q", "-o", "same.ctr", "r.data"])
        encode, decode, few = subprocess.run(
            [f"{b}/tests/support/recode", "same.ctr"], text=True,
            capture_output=True, check=True).stdout.split()[2:]
        tools.say(f"{name}: encode, decode, cpu and time",
                  f"{encode}, {decode}, {few} ns",
                  "rec import -o same.ctr r.data; "
                  "tests/support/recode same.ctr")
        zstd = zstd_cost("r.data", max(k, 1))
        if zstd:
            tools.say(f"{name}: zstd -1 of perf's records and back",
                      f"{zstd[0]:.1f}, {zstd[1]:.1f} ns, {zstd[2]:.2f} B",
                      "zstd -b1 r.data")
            tools.ratio(f"{name}: encode against zstd -1", float(encode),
                        zstd[0])
            tools.ratio(f"{name}: decode against zstd -1", float(decode),
                        zstd[1])
            tools.ratio(f"{name}: cpu and time against zstd -1", float(few),
                        zstd[1])
        xz = xz_size("r.data") / max(k, 1)
        tools.say(f"{name}: xz -9 of perf.data", f"{xz:.2f} B", "xz -9 r.data")
        tools.ratio(f"{name}: rec against xz -9", size, xz)
