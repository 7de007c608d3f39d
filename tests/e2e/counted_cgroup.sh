#!/usr/bin/env bash
# What a cgroup did is counted: as much as perf stat counts at the same time, of
# each cgroup its own, and of none what others did.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3

# perf_event's own hierarchy where it is mounted, else that of version 2.
cgroups=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }
	' /proc/mounts)
[ -n "$cgroups" ] ||
	cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$cgroups" ] || skip_all "no cgroup hierarchy that perf events follow"
a=e2ea.$$ b=e2eb.$$
mkdir "$cgroups/$a" 2>/dev/null || skip_all "no cgroup can be made here"
later "rmdir $cgroups/$a"
mkdir "$cgroups/$b"
later "rmdir $cgroups/$b"

# in_cgroup NAME COMMAND...
in_cgroup() {
	# shellcheck disable=SC2016 # the inner shell's
	sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$cgroups/$1" \
		"${@:2}" >load.txt
}
# Some 400 switches, then 3000 pages.
cat >load.sh <<'EOF'
python3 -c 'import time
for i in range(400):
    sum(range(20000))
    time.sleep(0.0005)'
exec "$samples/pages" 3000
EOF
# Nothing of either is in the cgroups.
cat >wait.sh <<'EOF'
touch "began.$1"
until [ -e "$2" ]; do sleep 0.05; done
EOF
# count FILE KEY EVENT CGROUP: of analyze stat --summary --json
count() {
	"$analyze" stat --summary --json "$1" >stat.json 2>/dev/null
	json stat.json "sum(s['$2'] for s in d['totals']
		if s['event'] == '$3' and s['label'] == '$4')"
}
apart() { # GOT WANT PERCENT: no more than that
	awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN {
		d = a < b ? b - a : a - b
		exit !(b > 0 && d <= b * p / 100) }'
}

# -- Beside perf --------------------------------------------------------------

events=cpu-clock,context-switches,page-faults
if has_perf; then
	"$rec" stat -q -a -e $events -G "$a" -o a.ctr -- sh wait.sh rec over &
	perf stat -x, -o perf.txt -a -e $events -G "$a" sh wait.sh perf over \
		>perf.out 2>&1 &
	wait_for 10 test -e began.rec -a -e began.perf
	in_cgroup "$a" sh load.sh
	touch over
	wait
	for e in context-switches page-faults; do
		same "$e of a cgroup: as many as perf counts" \
			"$(count a.ctr value $e "$a")" \
			"$(awk -F, -v e=$e '$3 == e { print $1 }' perf.txt)"
	done
	ours=$(count a.ctr value cpu-clock "$a")
	theirs=$(awk -F, '$3 == "cpu-clock" { print $1 * 1e6 }' perf.txt)
	that "cpu-clock is perf's within 0.5 %: $ours, $theirs ns" \
		apart "$ours" "$theirs" 0.5
else
	skip 'as much as perf counts' "$perf_why"
fi

# -- One event of two cgroups -------------------------------------------------

rm -f began.* over
"$rec" -q -a -I 100 -e page-faults,page-faults,page-faults -G "$a,$b," \
	-o ab.ctr -- sh wait.sh rec over &
wait_for 10 test -e began.rec
in_cgroup "$b" "$samples/pages" 5000
in_cgroup "$a" true
touch over
wait
exits 'the counts of two cgroups are shown' 0 "$analyze" stat ab.ctr
that 'each by its name' [ "$(grep -c "page-faults $b\>" out.txt)" -gt 1 ]
in_a=$(count ab.ctr value page-faults "$a")
in_b=$(count ab.ctr value page-faults "$b")
all=$(count ab.ctr value page-faults '')
that "5000 pages were touched in one of them: $in_b" \
	[ "$in_b" -ge 5000 -a "$in_b" -lt 6000 ]
that "few in the other: $in_a" [ "$in_a" -gt 0 -a "$in_a" -lt 1000 ]
that "and all of both in the whole system: $all" \
	[ "$all" -ge $((in_a + in_b)) ]
exits 'by CPU they are counted, too' 0 "$rec" stat -q -a -A -e cpu-clock \
	-G "$a" -o cpu.ctr true
"$analyze" stat --summary --json cpu.ctr >stat.json
same 'a series each' "$(json stat.json \
	"len([s for s in d['totals'] if s['label'] == '$a'])")" "$(nproc)"

# -- What cannot be -----------------------------------------------------------

exits 'a cgroup that is not there is refused' 125 "$rec" stat -a -e cpu-clock \
	-G "none.$$" true
says 'by name' "no cgroup 'none.$$'"
exits 'a group of two cgroups as well' 125 "$rec" stat -a \
	-e '{cpu-clock,page-faults}' -G "$a,$b" true
says 'with the reason' 'counted in one cgroup'
exits 'a group in one is counted' 0 "$rec" stat -a \
	-e '{cpu-clock,page-faults}' -G "$a" true
exits 'of a command alone there is none' 125 "$rec" stat -e cpu-clock -G "$a" \
	true
says 'with what to do' 'try: -a'
finish
