#!/bin/sh
# Fuzzes targets one after another, TIME seconds each: TIME=60 run.sh NAME...
# New inputs go to $B/fuzz/corpus; what a target found is beside it and named.
# Keep what is worth it in tests/fuzz/corpus/NAME, which `make check` replays.
cd "$(dirname "$0")/../.." || exit 1
: "${B:=build}" "${TIME:=60}"
bad=0
for name; do
	new=$B/fuzz/corpus/$name kept=tests/fuzz/corpus/$name
	mkdir -p "$new" "$kept"
	echo "-- $name, $TIME s"
	"$B/fuzz/fuzz_$name" -max_total_time="$TIME" -timeout=20 \
		-rss_limit_mb=1024 -max_len=1048576 -print_final_stats=1 \
		-artifact_prefix="$B/fuzz/$name-" "$new" "$kept" \
		>"$B/fuzz/$name.log" 2>&1
	rc=$?
	grep -E 'SUMMARY|ERROR|Test unit written|number_of_executed|new_units' \
		"$B/fuzz/$name.log"
	[ $rc -eq 0 ] || bad=1
done
exit $bad
