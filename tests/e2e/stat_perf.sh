#!/usr/bin/env bash
# rec stat is for the fingers and the scripts that know perf stat: each option
# of it is known, and what both print of the same is the same, field by field.
# Beside others: it counts, which asks for no build-ids.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3
has_perf || skip_all "$perf_why"

# near NAME GOT WANT PERCENT MORE: apart by no more than that, and MORE.
near() {
	if awk -v a="$2" -v b="$3" -v p="$4" -v m="$5" 'BEGIN {
		d = a < b ? b - a : a - b
		exit !(a != "" && b != "" && d <= b * p / 100 + m) }'; then
		ok "$1 ($2, $3)"
	else
		not_ok "$1" "'$2', not '$3'"
	fi
}
# fields FILE: each row once, without what depends on the moment: of a number
# that varies its decimals are kept, of a rate not its thousands.
fields() {
	awk -F, -v OFS=, '{
		for (i = 1; i <= NF; i++) {
			counted = i > 1 && $(i - 1) ~ /^[SN][0-9]/
			if ($i ~ /^ +[0-9]+\.[0-9]+$/)
				$i = "TIME"
			else if ($i ~ /^[0-9.]+%$/)
				$i = "VARIANCE"
			else if ($i ~ /^(99\.9[0-9]|100\.00)$/ && $(i - 1) == "N")
				$i = "ALWAYS" # of the time, but for nanoseconds
			else if ($i ~ /^[0-9]+\.[0-9]+$/)
				$i = "N." (length($i) - index($i, "."))
			else if ($i ~ /^[0-9]+$/ && !counted)
				$i = "N"
			sub(/^[KMG]?\/sec$/, "RATE", $i)
		}
		if (!seen[$0]++)
			print
	}' "$1"
}
# both NAME ARGUMENTS...: the fields of either are alike.
both() {
	local name=$1
	shift
	exits "$name" 0 "$rec" stat -x, --log-fd 3 "$@" 3>ours.txt
	perf stat -x, -o theirs.txt "$@" >perf.out 2>perf.err
	sed -i '/^#/d; /^$/d' theirs.txt
	same "$name: the fields of perf stat" "$(fields ours.txt)" \
		"$(fields theirs.txt)"
}
value() { awk -F, -v e="$2" '$3 == e { print $1 }' "$1"; }

# -- What both print ----------------------------------------------------------

both 'the default events' true
both 'events of caches' -d true
both 'and more of them' -dd true
both 'and all' -ddd true
both 'no event at all' -n true
both 'those that are named, in one group' -g -e task-clock,page-faults true
both 'caches beside those that are named' -d -e task-clock true
both 'user space' -e task-clock:u,page-faults:u true
both 'runs have a variance' -r 3 -e task-clock,page-faults,cycles true
both 'with sync' -S -r 2 -e page-faults true
both 'each CPU' -a -A -e cpu-clock,context-switches,cycles sleep 0.1
both 'some CPUs' -A -C 0 -e cpu-clock,cycles sleep 0.1
# What cannot be had is by perf of one CPU in any larger place.
both 'each core' -a --per-core -e cpu-clock,context-switches,cycles sleep 0.1
for p in socket die node; do
	both "each $p" -a --per-$p -e cpu-clock,context-switches sleep 0.1
done
both 'runs of each core' -r 2 -a --per-core -e cpu-clock,page-faults sleep 0.1
both 'intervals' -a -I 100 -e cpu-clock,context-switches,cycles sleep 0.25
both 'intervals of each CPU' -a -A -I 100 -e cpu-clock,cycles sleep 0.25
both 'intervals of each core' -a --per-core -I 100 -e cpu-clock,cycles \
	sleep 0.25
both 'intervals and what they come to' -a -I 100 --summary \
	-e cpu-clock,cycles sleep 0.25
both 'the same without a word in front' -a -I 100 --summary \
	--no-csv-summary -e cpu-clock,cycles sleep 0.25
both 'a number of intervals' -a -I 100 --interval-count 2 -e cpu-clock,cycles

# In a cgroup, which is a further field of all.
groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$groups" ] && mkdir "$groups/stat-perf" 2>/dev/null; then
	later 'rmdir "$groups/stat-perf"'
	# shellcheck disable=SC2016 # of the shell that goes there
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$groups/stat-perf" \
		"$samples/spin" 1 60 >/dev/null &
	later "kill $! 2>/dev/null; wait $! 2>/dev/null"
	wait_for 5 grep -q . "$groups/stat-perf/cgroup.procs"
	both 'a cgroup' -a -e cpu-clock,context-switches -e page-faults \
		-G stat-perf,stat-perf, sleep 0.3
	that 'whose program had a CPU' awk -F, \
		'$3 == "cpu-clock" { n = $1 } END { exit !(n > 0) }' ours.txt
else
	skip 'a cgroup' 'none can be made here'
fi

exits 'any separator' 0 "$rec" stat -x '\t' --log-fd 3 -e page-faults true \
	3>tab.txt
same 'a tab is one' "$(awk -F'\t' '{ print NF, $3 }' tab.txt)" '7 page-faults'

# -- What was counted ---------------------------------------------------------

# within LEVEL INNER OUTER: what the outer one counts has all that the inner one
# does, at each place, and the program's faults are where it ran.
within() {
	local label n count more
	while IFS=, read -r label n count _; do
		more=$(awk -F, -v l="$label" -v n="$n" \
			'$1 == l && $2 == n { print $3 }' "$3")
		that "faults of $label, ${2%.txt} in ${3%.txt} ($count, $more)" \
			[ "$count" -le "${more:-0}" ]
	done < <(grep page-faults "$2")
	that "each $1: the program's are in ${2%.txt}" [ "$(awk -F, \
		'$3 > n { n = $3 } END { print n + 0 }' "$2")" -ge 60000 ]
}
on_core() { # on_core LEVEL: either in the other
	local ours=("$rec" stat -a "--per-$1" "-x," --log-fd 3 -e page-faults --)
	local theirs=(perf stat -a "--per-$1" "-x," --log-fd 4 -e page-faults --)
	local work=(taskset -c "$cpu" "$samples/pages" 60000)
	exits "faults of each $1" 0 "${ours[@]}" "${theirs[@]}" "${work[@]}" \
		3>ours.txt 4>theirs.txt
	within "$1" theirs.txt ours.txt
	exits "the other way round" 0 "${theirs[@]}" "${ours[@]}" \
		"${work[@]}" 3>ours.txt 4>theirs.txt
	within "$1" ours.txt theirs.txt
}
cpu=$(awk -F'[-,]' '{ print $NF }' /sys/devices/system/cpu/online)
for p in socket die core node; do
	on_core $p
done
exits 'a trace by CPU' 0 "$rec" stat -q -a -A -o cpus.ctr -e page-faults -- \
	taskset -c "$cpu" "$samples/pages" 60000
for p in socket core; do
	"$analyze" stat --per-$p -x, cpus.ctr >$p.txt 2>>err.txt
done
same 'cores together are their sockets' \
	"$(awk -F, '{ n += $3 } END { print n }' core.txt)" \
	"$(awk -F, '{ n += $3 } END { print n }' socket.txt)"
same 'each core has its CPUs' \
	"$(awk -F, '{ n += $2 } END { print n }' core.txt)" \
	"$(getconf _NPROCESSORS_ONLN)"

# What faults before the delay is not counted.
late=(sh -c '"$0" 3000; sleep 0.8; exec "$0" 7000' "$samples/pages")
both 'a delay' -D 400 -e page-faults -- "${late[@]}"
near 'what came after it' "$(value ours.txt page-faults)" \
	"$(value theirs.txt page-faults)" 1 0
exits 'a delay that is longer than the command' 0 "$rec" stat -D 300 \
	-e page-faults true
says 'is said' 'over before the delay'

begin=$(date +%s%N)
exits 'a time in ms' 0 "$rec" stat --timeout 300 -e task-clock sleep 5
near 'ends in time' $((($(date +%s%N) - begin) / 1000000)) 300 0 700
near 'and was so long' "$(sed -n 's/ *\([0-9.]*\) seconds time elapsed/\1/p' \
	<<<"$err")" 0.3 50 0

exits 'a group' 0 "$rec" stat -x, -g --log-fd 3 \
	-e page-faults,minor-faults "$samples/pages" 2000 3>ours.txt
same 'counts the same at once' "$(value ours.txt page-faults)" \
	"$(value ours.txt minor-faults)"

# -- Around runs --------------------------------------------------------------

around() { # around WHO: what the hooks and the runs wrote, in order
	rm -f log.txt
	"$@" -r 2 --pre 'echo pre >>log.txt' --post 'echo post >>log.txt' \
		-e page-faults -- sh -c 'echo run >>log.txt' >hook.txt 2>&1
	tr '\n' ' ' <log.txt
}
same 'commands before and after each run' "$(around "$rec" stat)" \
	"$(around perf stat)"
exits 'one that fails ends it' 125 "$rec" stat --pre 'exit 3' -e page-faults \
	-- sh -c 'touch ran'
says 'and is named' "option '--pre': 'exit 3' ended with status 3"
that 'nothing was run' [ ! -e ran ]

"$rec" stat -r 3 --post 'touch posted; sleep 1' -x, --log-fd 3 -e page-faults \
	-- sh -c 'echo >>runs.txt' 3>ours.txt 2>err.txt &
pid=$!
wait_for 5 test -e posted
kill -TERM $pid
wait $pid
same 'a signal between runs begins none' "$(wc -l <runs.txt)" 1
that 'what was counted is printed' grep -q ',page-faults,0.00%,' ours.txt

exits 'a table of runs' 0 "$rec" stat -n -r 4 --table sleep 0.05
table=$(sed -n 's/^ *\([0-9.]*\) ([-+][0-9.]*) #*$/\1/p' <<<"$err")
same 'has each' "$(wc -l <<<"$table")" 4
near 'whose mean is the result' "$(sed -n \
	's/^ *\([0-9.]*\) +- .* time elapsed.*/\1/p' <<<"$err")" \
	"$(awk '{ n += $1 } END { printf "%.9f", n / NR }' <<<"$table")" \
	0 0.00000001

# -- Where it goes ------------------------------------------------------------

exits 'to a descriptor' 0 "$rec" stat --log-fd 3 -x, -e page-faults true \
	3>fd.txt
that 'the counts' grep -q 'page-faults' fd.txt
same 'standard error stays empty' "$err" ''
exits 'behind what is there' 0 "$rec" stat --log-fd 3 -x, -e page-faults true \
	3>>fd.txt
that 'nothing is lost' [ "$(grep -c page-faults fd.txt)" -eq 2 ]
exits 'to none that is open' 125 "$rec" stat --log-fd 77 true
says 'is refused' "option '--log-fd': no file is open as 77"
"$rec" stat -j -e page-faults,cycles true 2>stat.json
that 'JSON is JSON' python3 -c 'import json, sys; json.load(open("stat.json"))'

# -- What does not go together ------------------------------------------------

refused() { # refused PATTERN ARGUMENTS...
	local pattern=$1
	shift
	exits "refused: $*" 125 "$rec" stat "$@" true
	says 'with a reason' "$pattern"
}
refused "nothing would be between" -x ''
refused 'exclude each other' -x, --json
refused 'exclude each other' --per-core --per-socket
refused "places are printed as text" --per-core --json
refused 'needs -I' --interval-count 3
refused 'needs -I' --summary
refused 'no interval' -I 100 --interval-count 0
refused 'needs -r' --table
refused 'nothing could begin it later' -D -1
refused '1 to 100000 runs' -r 0
refused 'groups of metrics are not known' -M TopdownL1
refused 'log-fd 3 3>>FILE' --append
refused 'counted together' --per-thread

# -- All of perf's options ----------------------------------------------------

# Each of the usage text by its letter and its name, with a value where it has
# one; the option behind it must be the first that is not known, unless there is
# a reason.
perf stat -h >usage.txt 2>&1
sed -nE 's/^    (-(.), )?    ?--([a-z-]+)([ =[].*)?$/\2 \3 \4/p
	s/^    -(.), --([a-z-]+)(.*)$/\1 \2 \3/p' usage.txt >options.txt
unknown=
while read -r one two three; do
	words=("--$one")
	value=$two
	if [ ${#one} -eq 1 ]; then
		words=("-$one" "--$two")
		value=$three
	fi
	for w in "${words[@]}"; do
		case $value in
		'<'*) set -- "$w" 1 ;;
		*) set -- "$w" ;;
		esac
		"$rec" stat "$@" --frobnicate true 2>opt.txt
		grep -qE "unknown option '--frobnicate'|option '(-.|$w)': " opt.txt ||
			unknown+="$w "
	done
done <options.txt
that "perf stat has options here" [ "$(wc -l <options.txt)" -gt 50 ]
same 'each is known' "$unknown" ''
finish
