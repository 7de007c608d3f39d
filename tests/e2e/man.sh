#!/usr/bin/env bash
# Each example of the manuals works as it stands there, in its order, page by
# page. The long waits are cut short; the far machine is this one.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system

mkdir bin
for p in rec analyze flamegraph; do
	ln -s "$B/$p" "bin/$p"
done
printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >bin/ssh
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
chmod +x bin/ssh bin/sudo
export PATH=$work/bin:$PATH HOST=there
"$samples/spin" 1 300 &
export PID=$!
later "kill $PID 2>/dev/null"

# What the examples find where they are run: a trace of a program whose name is
# prog, with stacks and two events, and one in two parts.
make_prog
rec -q -g -e cpu-clock -e page-faults -o trace.ctr -- ./prog >out.txt 2>&1
cp trace.ctr far.ctr
cp trace.ctr events.ctr
rec -q -a -e cpu-clock --switch-output=1s -o part.ctr --duration 4s
n=0
for f in part.2*.ctr; do
	n=$((n + 1))
	mv "$f" "part.$n.ctr"
done
"$B/analyze" folded >stacks.folded 2>/dev/null
cp trace.ctr killed.ctr
for f in server client; do
	rec -q -a -e cpu-clock -g --duration 0.2s -o "$f.ctr"
done
has_perf && perf record -q -g -F 999 -e cpu-clock -o perf.data -- ./prog \
	>perf.txt 2>&1 &&
	for f in a b; do
		perf record -q -k mono -g -F 999 -e cpu-clock -o $f.data \
			-- ./prog >perf.txt 2>&1
	done
mkdir fix && "$support/mkfixtures" fix # for readings that no machine here has
mkdir keep && mv ./*.ctr stacks.folded keep

# What an example about readings is of.
readings_for() {
	case $1 in
	'analyze stat --by client'*) cp fix/clients.ctr trace.ctr ;;
	'analyze stat'*) cp fix/counters.ctr trace.ctr ;;
	'analyze gpu'*) cp fix/nvidia.ctr trace.ctr ;;
	esac
}

# Marks need a recording, and what comes after them needs it ended.
recorder=
begin() {
	[ "$1" = rec-mark ] || return 0
	rec -q -a -e cpu-clock --duration 20s -o trace.ctr &
	recorder=$!
	wait_for 5 rec mark now 2>mark.txt
}
end_before() {
	case $1 in
	analyze*) [ -z "$recorder" ] || kill -TERM "$recorder" ;;
	*) return ;;
	esac
	[ -z "$recorder" ] || wait "$recorder"
	recorder=
}

for text in "$root"/man/*.txt; do
	page=${text##*/} page=${page%.txt}
	cp keep/* .
	begin "$page"
	while IFS= read -r line; do
		end_before "$line"
		readings_for "$line"
		short=$(printf '%s\n' "$line" |
			sed 's/--duration [0-9]*[sm]/--duration 1s/')
		# head ends its pipe early, on purpose.
		pipefail='-o pipefail'
		case $line in *'| head'*) pipefail= ;; esac
		case $line in
		*.data* | 'perf '*)
			[ -f b.data ] ||
				{ skip "$page: $line" 'no working perf'; continue; }
			;;
		esac
		# shellcheck disable=SC2086
		timeout 60 bash $pipefail -c "$short" >out.txt 2>err.txt \
			</dev/null
		rc=$?
		case $line in
		# Not every machine has what is asked for.
		'rec list '*) [ $rc -ne 1 ] || rc=0 ;;
		'analyze '[fsgv]*) # without a GPU they are inconclusive
			case $line in
			*verdict* | *fences* | *frames* | *stalls* | *gaps*)
				[ $rc -ne 3 ] || rc=0 ;;
			esac ;;
		esac
		if [ $rc -eq 0 ]; then
			ok "$page: $line"
		else
			not_ok "$page: $line" "exit $rc: $(tail -n 5 err.txt)"
		fi
	done < <(sh "$root/tests/support/examples.sh" "$text")
	rm -f ./*.ctr ./*.ctr.old
done
finish
