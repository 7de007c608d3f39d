#!/usr/bin/env bash
# A CPU goes offline and comes back while it is counted: what it counted before
# is kept, what it counts later is added, and how long it was away is said. It is
# away for less than a second at a time.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3
need_tool taskset

switch=/sys/devices/system/cpu/cpu1/online
[ -w "$switch" ] || skip_all "no CPU that can be taken offline here"
[ "$(cat "$switch")" = 1 ] || skip_all "CPU 1 is offline"
later "echo 1 >$switch"
echo 0 2>why.txt >"$switch" || skip_all "CPU 1 stays online: $(cat why.txt)"
echo 1 >"$switch"

now_ms() { echo $(($(date +%s%N) / 1000000)); }
# away SECONDS: sets $least and $most, the ms that CPU 1 was away.
away() {
	local before gone back
	before=$(now_ms)
	echo 0 >"$switch"
	gone=$(now_ms)
	sleep "$1"
	back=$(now_ms)
	echo 1 >"$switch"
	least=$((back - gone)) most=$(($(now_ms) - before))
}
pages() { taskset -c 1 "$samples/pages" "$1" >/dev/null; }
# begin OPTIONS...: counts until end.
begin() {
	rm -f began
	"$rec" stat -a "$@" -o cpus.ctr -- sh -c 'touch began
		until [ -e over ]; do sleep 0.05; done' >stat.txt 2>&1 &
	wait_for 10 test -e began
}
end() {
	touch over
	wait
	rm over
	"$analyze" stat --summary --json cpus.ctr >stat.json 2>/dev/null
}
# of KEY EVENT CPU
of() {
	json stat.json "sum(s['$1'] for s in d['totals']
		if s['event'] == '$2' and s['cpu'] == $3)"
}
between() { # NAME VALUE LOW HIGH
	that "$1: $2 ($3 to $4)" [ "$2" -ge "$3" -a "$2" -le "$4" ]
}
# Others work there, too.
at_least() { that "$1: $2 ($3 and more)" [ "$2" -ge "$3" ]; }

# -- It comes back ------------------------------------------------------------

# Without -I there are two readings, the first before and the last behind it; the
# faults are counted by a group, which the kernel takes apart.
begin -A -e 'cpu-clock,{context-switches,page-faults}'
pages 4000
away 0.7
# Until it is found to be back.
wait_for 5 grep -q 'CPU 1 came back' stat.txt
pages 3000
end
same 'that it went and came is said' \
	"$(grep -cE 'CPU 1 (went offline|came back)' stat.txt)" 2
at_least 'its faults of before and after are counted' \
	"$(of value page-faults 1)" 7000
same 'no count was less than before' "$(json stat.json 'd["stepped_back"]')" 0
# The other CPU's clock tells how long it was: 100 ms is how often is looked.
missing=$((($(of value cpu-clock 0) - $(of value cpu-clock 1)) / 1000000))
between 'ms that are missing of its clock' $missing $((least - 20)) \
	$((most + 400))
between 'and nothing is made up for' \
	"$(json stat.json 'min(100 * s["running_share"] for s in d["totals"])' |
		cut -d. -f1)" 100 100
"$analyze" stat cpus.ctr >stat.txt 2>&1
said=$(grep -oE '[0-9.]+ s of CPUs are in no count' stat.txt |
	awk '{ printf "%.0f", $1 * 1000 }')
between 'ms that are said at the head' "${said:-0}" $((missing - 50)) \
	$((missing + 50))

# -- It is away so shortly that nobody sees it --------------------------------

begin -e page-faults
pages 4000
away 0.05
wait_for 5 grep -q 'CPU 1 came back' stat.txt
pages 3000
end
at_least 'of a moment, too, nothing is lost' "$(of value page-faults None)" 7000

# -- By interval --------------------------------------------------------------

begin -A -I 50 -e cpu-clock
sleep 0.3
away 0.5
wait_for 5 grep -q 'CPU 1 came back' stat.txt
sleep 0.3
end
# Readings of a CPU that is not there are none.
between 'readings that it did not give' "$(json stat.json 'd["failed"]')" 5 60
same 'and no step back' "$(json stat.json 'd["stepped_back"]')" 0

# -- It was not there at the begin --------------------------------------------

echo 0 >"$switch"
begin -A -e page-faults
echo 1 >"$switch"
wait_for 5 grep -q 'CPU 1 came online' stat.txt
pages 3000
end
at_least 'a CPU that comes anew is counted' "$(of value page-faults 1)" 3000
finish
