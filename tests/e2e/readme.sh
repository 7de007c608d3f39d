#!/usr/bin/env bash
# Each command of the README's block works as it stands there, in its order.
# The long waits are cut short; the far machine is this one.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system

mkdir bin
ln -s "$rec" bin/rec
ln -s "$analyze" bin/analyze
ln -s "$B/flamegraph" bin/flamegraph
printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >bin/ssh
chmod +x bin/ssh
make_prog
export PATH=$work/bin:$PATH HOST=there
"$samples/spin" 1 120 &
export PID=$!
later "kill $PID 2>/dev/null"
has_perf && perf record -q -g -F 999 -e cpu-clock -o perf.data -- ./prog \
	>perf.txt 2>&1

sed -n '/^```sh$/,/^```$/p' "$root/README.md" | grep -v '^```' | grep . |
	sed 's/--duration [0-9]*s/--duration 1s/' >commands.txt
while IFS= read -r line; do
	name=$(printf '%s\n' "$line" | sed 's/ *# .*//')
	# head ends its pipe early, on purpose.
	pipefail='-o pipefail'
	case $name in *'| head'*) pipefail= ;; esac
	case $name in
	*perf.data* | 'perf '*)
		[ -f perf.data ] || { skip "$name" 'no working perf'; continue; }
		;;
	esac
	# shellcheck disable=SC2086
	if bash $pipefail -c "$name" >out.txt 2>err.txt </dev/null; then
		ok "$name"
	else
		not_ok "$name" "exit $?: $(tail -n 5 err.txt)"
	fi
done <commands.txt
that 'there were commands' test "$(wc -l <commands.txt)" -ge 15
that 'the picture is one' grep -q '</svg>' flame.svg
that 'the second too' grep -q '</svg>' main.svg
finish
