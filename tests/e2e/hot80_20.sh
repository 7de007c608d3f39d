#!/usr/bin/env bash
# A program whose time is known to be 80/20 shows as 80/20, and as perf sees it.
. "$(dirname "$0")/lib.sh"
need_perf_events

# share FUNCTION < "percent symbol" lines: of what the two have together, since a
# busy machine's kernel may take its part.
share() {
	awk -v f="$1" '$2 == f { s += $1 }
		$2 == "hot" || $2 == "warm" { all += $1 }
		END { print (all > 20 ? 100 * s / all : 0) }'
}
near() { # near NAME GOT WANT: within 3 points
	if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a - b <= 3 && b - a <= 3) }'
	then ok "$1 ($2, $3)"
	else not_ok "$1" "$2 %, not $3 % +- 3"
	fi
}
# "percent symbol" from analyze report: self time by symbol.
ours() {
	"$analyze" report --no-children -s sym --csv "$1" >"$1.csv" || return
	python3 - "$1.csv" <<-'END'
		import csv, sys
		for row in csv.DictReader(
		        l for l in open(sys.argv[1]) if not l.startswith("#")):
		    percent = next(row[k] for k in row
		                   if k in ("overhead_percent", "self_percent"))
		    print(percent.rstrip("%"), row["symbol"].split()[-1])
	END
}

exits 'hot is recorded' 0 "$rec" -F 999 -g -o t.ctr -- "$samples/hot" 8
ours t.ctr >ours.txt || not_ok 'report --csv' "$(cat t.ctr.csv)"
near 'hot is 80 %' "$(share hot <ours.txt)" 80
near 'warm is 20 %' "$(share warm <ours.txt)" 20

if ! has_perf; then
	skip 'as perf has it' "$perf_why"
elif ! perf record -q -BN -e cpu-clock -F 999 -g -o p.data -- "$samples/hot" 8 \
	>perf.why 2>&1; then
	skip 'as perf has it' "perf failed: $(tail -n 1 perf.why)"
else
	perf report -i p.data --no-children -g none --stdio -s sym 2>/dev/null |
		awk '/%/ { sub(/%/, "", $1); print $1, $NF }' >perf.txt
	near 'hot as perf has it' "$(share hot <ours.txt)" \
		"$(share hot <perf.txt)"
	near 'warm as perf has it' "$(share warm <ours.txt)" \
		"$(share warm <perf.txt)"
fi

# The same program with counts instead of a rate, and the default output.
exits 'default output is trace.ctr' 0 "$rec" -c 1000000 -- "$samples/hot" 1
exits 'report reads trace.ctr here' 0 "$analyze" report
that 'and names hot' grep -qw hot out.txt
finish
