#!/bin/sh
# Flame graphs in a real browser: test_flame.sh [FLAMEGRAPH]
# Makes pictures with the filter (default $B/flamegraph), reads their XML and
# opens them in Chromium. Exit status 77, with the reason, where python3 or
# Chromium is missing.
set -eu

here=$(dirname "$0")
flamegraph=${1:-${B:-build}/flamegraph}
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
[ -x "$flamegraph" ] || { echo "'$flamegraph' is not built"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

python3 "$here/inputs.py" "$dir"

draw() {
	name=$1
	shift
	"$flamegraph" -o "$dir/$name.svg" "$@" 2>/dev/null
}

draw mixed --title 'mixed <kinds> & "quotes"' "$dir/mixed.txt"
draw icicle --icicle --unit 'time (ns)' "$dir/mixed.txt"
draw diff --palette diff "$dir/diff.txt"
draw narrow --min-width 2 --width 800 "$dir/wide.txt"
draw whole --min-width 0 "$dir/wide.txt"
draw deep "$dir/deep.txt"
draw hostile "$dir/hostile.txt"
draw reverse --reverse --palette safe "$dir/mixed.txt"
draw still --no-script "$dir/mixed.txt"
draw empty /dev/null || :

status=0
python3 "$here/check_xml.py" "$dir"/*.svg || status=1
python3 "$here/check_flame.py" "$dir"/*.svg || {
	rc=$?
	[ $rc -eq 77 ] && [ $status -eq 0 ] && status=77
	[ $rc -eq 77 ] || status=1
}
exit $status
