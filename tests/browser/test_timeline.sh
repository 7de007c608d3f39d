#!/bin/sh
# Timelines in a real browser: test_timeline.sh [ANALYZE]
# Draws the traces of tests/unit/test_timeline_lanes.c with `analyze timeline`
# (default $B/analyze) and opens pages and pictures in Chromium. Exit status 77,
# with the reason, where python3 or Chromium is missing.
set -eu

here=$(dirname "$0")
B=${B:-build}
analyze=${1:-$B/analyze}
maker=$B/tests/unit/test_timeline_lanes
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
for program in "$analyze" "$maker"; do
	[ -x "$program" ] || { echo "'$program' is not built"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$maker" "$dir"

# draw OUTPUT TRACE OPTIONS...
draw() {
	output=$1 trace=$2
	shift 2
	"$analyze" timeline -q -o "$dir/$output" "$@" "$dir/$trace.ctr" \
		2>/dev/null
}

for trace in one odd few; do
	draw $trace.html $trace --lanes cpus --title 'a <b> & "c"'
	draw $trace.svg $trace --lanes cpus --title 'a <b> & "c"'
done
draw states.html few
draw many.html many --lanes cpus --max-spans 1000000
draw whole.html many --max-spans 1000000
draw fitted.html many --lanes cpus --max-spans 5000
draw many.svg many
draw still.svg few --no-script
draw empty.html empty || [ $? -eq 3 ]
draw empty.svg empty || [ $? -eq 3 ]

# Captures of GPU activity, with the truth about them beside them.
captures=${SHARED:-$here/../../../shared}/data/gpu/stable
for name in causes jobs; do
	if [ -f "$captures/$name.perf.data" ] && [ -x "$B/rec" ]; then
		"$B/rec" import -q -o "$dir/$name.ctr" \
			"$captures/$name.perf.data" 2>/dev/null
		draw $name.html $name
		draw $name.svg $name
		cp "$captures/$name.perf.gt" "$dir"
	else
		echo "skip $name: no capture '$captures/$name.perf.data'"
	fi
done

python3 "$here/check_timeline.py" "$dir"
