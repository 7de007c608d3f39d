#!/usr/bin/env bash
# A file of many epochs is read in slices and by several threads; one that still
# grows, and a pipe, can be read.
#
#	LARGE=1000000000 bash tests/e2e/large.sh	bytes of the longest
. "$(dirname "$0")/lib.sh"
need_perf_events

exits 'a program is recorded' 0 "$rec" -F 1999 -g -o base.ctr -- \
	sh -c "'$samples/hot' 2 & '$samples/demo' 2 >/dev/null; wait"
exits 'and made longer' 0 "$support/largetrace" base.ctr long.ctr 4000000
exits 'the long one is sound' 0 "$analyze" check long.ctr
epochs=$("$analyze" info long.ctr | awk '$1 == "event" { print $3 }')
that 'it has many epochs' [ "${epochs:-0}" -gt 16 ]

share() { # share OPTIONS: of the chunks that are read, in percent
	"$analyze" folded -v "$@" long.ctr 2>&1 >/dev/null |
		awk '/ chunks, / { print int(100 * $4 / $6) }'
}
# A name that is asked for makes the whole file count: any will do.
for time in 50%,51% 0%,3% '90%,' '-1ms,'; do
	same "the slice $time says what the whole file says" \
		"$("$analyze" folded --time $time long.ctr 2>/dev/null)" \
		"$("$analyze" folded --time $time --symbol '*' long.ctr \
			2>/dev/null)"
done
# Each of its many epochs has names of a few chunks, some of which hold for all of
# the file; below is what a slice reads of a file that is long in itself.
that 'a slice leaves out rows and names' [ "$(share --time 50%,51%)" -lt 85 ]
that 'the whole is read without one' [ "$(share)" -gt 80 ]
for what in report dump folded info; do
	same "$what by four threads is the same" \
		"$("$analyze" "$what" --threads 4 long.ctr 2>&1 | md5sum)" \
		"$("$analyze" "$what" --threads 1 long.ctr 2>&1 | md5sum)"
done

# As if it had been recorded for hours: epochs of minutes, not of one second.
: "${LARGE:=16000000}"
exits 'a denser one is recorded' 0 "$rec" -F 9999 -g -o dense.ctr -- \
	sh -c "'$samples/hot' 12 & '$samples/demo' 12 2>/dev/null; wait"
exits 'and made longer' 0 "$support/largetrace" dense.ctr hours.ctr "$LARGE" 75
exits 'the long one is sound' 0 "$analyze" check hours.ctr
percent() { # percent LEAST MOST BYTES: of that file
	local size
	size=$(stat -c %s hours.ctr)
	[ $(($3 * 100)) -ge $(($1 * size)) ] &&
		[ $(($3 * 100)) -le $(($2 * size)) ]
}
# touched COMMAND...: bytes of it that are read. Those that are read again do not
# count again: how often depends on how large the chunks became.
touched() {
	rm -f calls.*
	strace -ff -o calls -e trace=pread64 -P hours.ctr "$@" >/dev/null 2>&1
	cat calls.* | sed -nE \
		's/^pread64\(.*, ([0-9]+)\) += ([0-9]+)$/\1 \2/p' | sort -n |
		awk '{ if ($1 > to) to = $1
			if ($1 + $2 > to) { n += $1 + $2 - to; to = $1 + $2 }
		} END { print n + 0 }'
}
if command -v strace >/dev/null && strace -o calls true 2>/dev/null; then
	for time in 0%,1% 10%,11% 50%,51% '99%,'; do
		that "the slice $time reads at most 3 % of it" percent 1 3 \
			"$(touched "$analyze" report --time $time hours.ctr)"
	done
	that 'without a slice most of it is' percent 50 100 \
		"$(touched "$analyze" report hours.ctr)"
else
	skip 'what a slice reads' 'no strace here, or it may not'
fi
mib=$(python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' \
	"$analyze" report hours.ctr)
that 'a report takes at most 256 MiB' [ "${mib:-999}" -le 256 ]

"$rec" -q -F 999 -g -o grows.ctr -- "$samples/hot" 6 >/dev/null &
recorder=$!
for ((i = 0; i < 50; i++)); do
	"$analyze" report grows.ctr >now.txt 2>/dev/null && break
	sleep 0.1
done
exits 'a file that grows is read' 0 "$analyze" report grows.ctr
says 'with a warning' 'still runs|recorder was killed'
wait $recorder
exits 'and when it is whole, without one' 0 "$analyze" report grows.ctr
same 'nothing is said then' "$err" ''

"$rec" -q -F 999 -g -o - -- "$samples/hot" 1 2>/dev/null |
	"$analyze" report - >piped.txt 2>/dev/null
same 'a pipe is read' "${PIPESTATUS[*]}" '0 0'
that 'to its end' grep -q hot piped.txt
finish
