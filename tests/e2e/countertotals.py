"""What was counted, by the reader that was written from spec/: of each series
the last reading less the first, times its scale.

    countertotals.py FILE            NAME PART CLIENT PID RUN VALUE, a line each
    countertotals.py --grid NS FILE  whether readings are on a grid of so many ns
"""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "spec"))
import reader  # noqa: E402

GONE_OR_NONE = (1, 3)


def series_of(trace):
    """(epoch, row) → what identifies it, and its scale."""
    text = {}
    for r in trace.rows("string"):
        text[r["_epoch"], r["_row"]] = bytes(r["bytes"]).decode()
    out = {}
    for r in trace.rows("series"):
        def word(c):
            return text.get((r["_epoch"], r[c]), "")
        out[r["_epoch"], r["_row"]] = (
            (word("name"), word("part") or "-", r["client"], r["pid"],
             r["run"], r["cpu"], word("device")), r["scale"])
    return out


def readings(path):
    trace = reader.Trace(path)
    series = series_of(trace)
    out = {}
    for r in trace.rows("counter"):
        key, scale = series[r["_epoch"], r["series"]]
        if r["state"] == 0:
            out.setdefault(key, []).append((r["time"], r["value"] * scale))
    return out


def grid(path, step):
    """Whether they neither drift nor come more often than asked. The last one
    comes with the end; on a busy machine single ones are late."""
    good = True
    for key, rows in readings(path).items():
        rows.sort()
        inner = [t - rows[0][0] for t, _ in rows[1:-1]]
        turns = round(inner[-1] / step)
        # From the nearest turn on; a grid of its own would wander off.
        late = [t - step * round(t / step) for t in inner]
        tenth = max(1, len(late) // 10)
        begin = statistics.median(late[:tenth])
        end = statistics.median(late[-tenth:])
        good = good and len(inner) <= turns and abs(end - begin) < step / 4
        print(f"{key[0]}: {len(inner)} readings in {turns} turns, the first",
              f"tenth {begin / 1000:.0f} us behind, the last {end / 1000:.0f}")
    return good


def main():
    if sys.argv[1] == "--grid":
        return 0 if grid(sys.argv[3], int(sys.argv[2])) else 1
    for key, rows in sorted(readings(sys.argv[1]).items()):
        rows.sort()
        name, part, client, pid, run, cpu, device = key
        print(name, part, client, pid, run, f"{rows[-1][1] - rows[0][1]:.0f}")
    return 0


sys.exit(main())
