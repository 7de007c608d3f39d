#!/bin/sh
# Records samples/demo, reports it and draws its flame graph.
set -eu
cd "$(dirname "$0")/.."
: "${B:=build}"
mkdir -p "$B/demo"
show() {
	printf '\n$'
	for word; do
		case $word in
		*' '*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	echo
	"$@"
}
show "$B/rec" -F 4999 -g -o "$B/demo/demo.ctr" -- "$B/samples/demo"
show "$B/analyze" report --no-children -g none --percent-limit 1 \
	"$B/demo/demo.ctr"
show "$B/analyze" flamegraph --title 'A small log cruncher' \
	-o "$B/demo/demo.svg" "$B/demo/demo.ctr"
printf '\nThe flame graph: %s/demo/demo.svg (open it in a browser).\n' "$B"
