#!/usr/bin/env bash
# kill -9 at a random moment: the file opens, its functions have names, and no
# more than 1.2 s before the kill are missing on any busy CPU.
#   kill9.sh [N]   (or KILLS=N): so many times
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3
n=${1:-${KILLS:-8}}

"$samples/spin" 2 $((n * 6 + 20)) &
load=$!
later "kill $load 2>/dev/null"

# Last row of each CPU against the moment of the kill. Of the load's rows, all
# of which are below one function, those more than 2.4 s older than the kill
# must be named: a name that was asked for when its row was written comes with
# the next chunk, a second later.
cat >gaps.py <<'END'
import re, sys
killed, started = int(sys.argv[1]), int(sys.argv[2])
last, spins, t, comm = {}, [], 0, ""
for line in sys.stdin:
    m = re.match(r"\s*(\S.*?)\s+\d+\s+\[(\d+)\]\s+(\d+)\.(\d+):", line)
    if m and not line.startswith("\t"):
        comm, t = m[1], int(m[3]) * 10**9 + int(m[4].ljust(9, "0")[:9])
        last[m[2]] = max(last.get(m[2], 0), t)
        if comm == "spin":
            spins.append([t, False])
    elif comm == "spin" and spins and "spin" in line.split("(")[0]:
        spins[-1][1] = True
old = [named for t, named in spins if t < killed - 2.4e9]
if old and sum(old) < 0.9 * len(old):
    print(f"{sum(old)} of {len(old)} old rows of the load have a name")
    sys.exit(1)
if not last:
    # No row yet: fine only if sampling cannot have begun long before.
    gap = (killed - started) / 1e9
    print("no rows,", f"{gap:.2f} s after the start")
    sys.exit(gap > 1.5)
gaps = {c: (killed - t) / 1e9 for c, t in last.items()}
print(" ".join(f"cpu {c}: {g:.2f} s" for c, g in sorted(gaps.items())))
late = [g for g in gaps.values() if g > 1.2 or g < 0]
sys.exit(1 if late or len(last) < 2 <= int(sys.argv[3]) else 0)
END

for i in $(seq "$n"); do
	rm -f k.ctr
	started=$("$support/killat" 0 0)
	"$rec" -q -a -F 999 -g -o k.ctr >rec.txt 2>&1 &
	pid=$!
	delay=$(awk -v s="$RANDOM" 'BEGIN { printf "%.3f", 0.4 + 4.6 * s / 32768 }')
	killed=$("$support/killat" $pid "$delay") || {
		not_ok "kill $i" "rec was gone: $(cat rec.txt)"
		continue
	}
	wait $pid 2>/dev/null
	what="kill $i after $delay s"
	if [ ! -e k.ctr ]; then
		not_ok "$what: there is a file"
		continue
	fi
	"$analyze" dump k.ctr >dump.txt 2>dump.err
	if ! python3 gaps.py "$killed" "$started" "$(nproc)" <dump.txt >gaps.txt
	then
		not_ok "$what: rows until the kill, named" "$(cat gaps.txt dump.err)"
		continue
	fi
	rows=$(grep -c '^[^	]' dump.txt)
	run "$analyze" check k.ctr
	if [ $rc -ne 6 ]; then
		not_ok "$what: check says it was not closed" "exit $rc: $out $err"
		continue
	fi
	run "$analyze" report k.ctr
	if [ "$rows" -gt 0 ] && [ $rc -ne 0 ]; then
		not_ok "$what: report reads it" "exit $rc: $err"
		continue
	fi
	ok "$what ($rows rows; $(cat gaps.txt))"
done

# Nothing of the killed recorders is left: their helpers end with them.
wait_for 3 no_recorders || not_ok 'no process is left' "$(recorders)"
finish
