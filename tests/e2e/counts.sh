#!/usr/bin/env bash
# Counted work gives the exact number of rows, and every view of them has the
# same sum.
. "$(dirname "$0")/lib.sh"
need_perf_events
need_tool python3

rows_of() { # rows_of FILE
	"$analyze" info --json "$1" >info.json 2>/dev/null &&
		json info.json 'sum(e["rows"] for e in d["events"])'
}
# Pages of files are mapped in windows that start where the loader put them:
# at fixed places their number is the same each time.
fixed=
setarch -R true 2>/dev/null && fixed='setarch -R'
pages() { # pages N FILE
	exits "$1 pages are recorded" 0 \
		$fixed "$rec" -e page-faults -c 1 -g -o "$2" -- \
		"$samples/pages" "$1"
}
touched() { # rows below the function that touches the pages
	"$analyze" folded "$1" 2>/dev/null |
		awk '/;touch[; ]/ { s += $NF } END { print s + 0 }'
}

pages 500 a.ctr # the files come into the page cache
pages 1000 a.ctr
pages 6000 b.ctr
a=$(rows_of a.ctr) b=$(rows_of b.ctr)
if [ -n "$fixed" ]; then
	same 'exactly 5000 faults more' "$((b - a))" 5000
else
	skip 'exactly 5000 faults more' 'addresses cannot be fixed here'
fi
same 'exactly 1000 of them in touch()' "$(touched a.ctr)" 1000
same 'exactly 6000 of them in touch()' "$(touched b.ctr)" 6000

for f in a.ctr b.ctr; do
	rows=$(rows_of $f)
	folded=$("$analyze" folded $f 2>/dev/null |
		awk '{ s += $NF } END { print s }')
	same "$f: folded has every row" "$folded" "$rows"
	# A row is a header line; its frames begin with a tab.
	dumped=$("$analyze" dump $f 2>/dev/null | grep -cE '^[^	]')
	same "$f: dump has every row" "$dumped" "$rows"
	"$analyze" folded $f >$f.folded 2>/dev/null
	"$analyze" flamegraph --min-width 0 -o $f.svg $f 2>/dev/null
	root=$(python3 "$here/svgcheck.py" $f.svg $f.folded 2>svg.txt)
	if [ "$root" = "$rows" ]; then
		ok "$f: the picture's root and every box have the stacks' sums"
	else
		not_ok "$f: picture" "root $root, rows $rows
$(head -5 svg.txt)"
	fi
done

# Period sums: with -c 1 each row is one event.
period=$(json info.json 'sum(e["period_sum"] for e in d["events"])')
same 'periods add up to the rows' "$period" "$b"
exits 'check finds the file whole' 0 "$analyze" check b.ctr

# A narrow picture folds boxes, and says how many; the sum stays.
"$analyze" flamegraph -o narrow.svg b.ctr 2>/dev/null
same 'default picture: same root' \
	"$(python3 "$here/svgcheck.py" narrow.svg b.ctr.folded 2>/dev/null)" "$b"
finish
