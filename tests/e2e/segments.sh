#!/usr/bin/env bash
# A recording that is split into files has the rows of one that is not, each
# file stands alone, and the oldest ones go where only some are to be kept.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events

# A shell that waits until the recorders have it, then makes programs whose page
# faults are counted, until it is stopped.
start_load() {
	rm -f go stop ready && mkfifo go
	# shellcheck disable=SC2016 # it is the shell's
	sh -c ': >ready; read -r _ <go
		while [ ! -e stop ]; do
			"$1" 400; sleep 0.02
		done >/dev/null' sh "$samples/pages" &
	load=$!
	later "kill $load 2>/dev/null"
	wait_for 10 test -e ready
	sleep 0.3 # its own last faults
}
recording() { # recording PID...
	for p; do
		find "/proc/$p/fd" -lname '*perf_event*' 2>/dev/null | grep -q . || return 1
	done
}
faults() { # faults ARGS...
	"$rec" -q -e page-faults -c 1 -g -p "$load" "$@" &
}
rows_of() { "$analyze" folded "$@" 2>/dev/null | awk '{ s += $NF } END { print s + 0 }'; }
count_of() { echo $#; }
has_files() { [ "$(count_of parts.*.ctr)" -gt "$1" ]; }
# Rows with a frame that has no name.
nameless_of() { "$analyze" folded "$@" 2>/dev/null | awk '/\[unknown\]/ { s += $NF } END { print s + 0 }'; }

start_load
faults -o whole.ctr
one=$!
faults --switch-output -o parts.ctr
many=$!
wait_for 10 recording $one $many || not_ok 'both recorders begin'
sleep 0.3
echo >go
sleep 0.2
# Signals that come while names are waited for are one.
for n in $(seq 23); do
	kill -USR2 $many
	wait_for 10 has_files "$n"
	sleep 0.15
done
touch stop
wait $load
wait $one
same 'the recorder of one file ends well' $? 0
wait $many
same 'the recorder of many files ends well' $? 0
segments=(parts.*.ctr)
same 'a file more for each signal' ${#segments[@]} 24

bad=0 nameless=0 empty=0
for f in "${segments[@]}"; do
	"$analyze" check -s "$f" >check.txt 2>&1 || bad=$((bad + 1))
	nameless=$((nameless + $(nameless_of "$f")))
	[ "$(rows_of "$f")" -gt 0 ] || empty=$((empty + 1))
done
same 'each is whole' $bad 0
same 'each has all names that they have together' "$nameless" "$(nameless_of "${segments[@]}")"
same 'each has rows' $empty 0

"$analyze" folded whole.ctr >whole.folded 2>/dev/null
"$analyze" folded "${segments[@]}" >parts.folded 2>parts.err
that 'there are rows to compare' [ "$(rows_of whole.ctr)" -gt 20000 ]
same 'as many rows as in one file' "$(rows_of "${segments[@]}")" "$(rows_of whole.ctr)"
if cmp -s whole.folded parts.folded; then
	ok 'each stack as often as in one file'
else
	not_ok 'each stack as often as in one file' "$(diff whole.folded parts.folded | head -5)"
fi
"$analyze" report --no-children -g none whole.ctr 2>/dev/null | grep -v '^#' >whole.txt
"$analyze" report --no-children -g none "${segments[@]}" 2>/dev/null | grep -v '^#' >parts.txt
if cmp -s whole.txt parts.txt; then
	ok 'the report has the same lines'
else
	not_ok 'the report has the same lines' "$(diff whole.txt parts.txt | head -5)"
fi
# In any order, and with a hole that is told.
mapfile -t backwards < <(printf '%s\n' "${segments[@]}" | tac)
"$analyze" folded "${backwards[@]}" >backwards.folded 2>/dev/null
that 'in any order' cmp -s backwards.folded parts.folded
"$analyze" report "${segments[@]:0:5}" "${segments[@]:8}" 2>/dev/null >hole.txt
that 'missing segments are told' grep -q '^# Segments: 3 segments between .* missing' hole.txt
dumped=$("$analyze" dump "${segments[@]}" 2>/dev/null | grep -cE '^[^	]')
same 'dump has each row' "$dumped" "$(rows_of whole.ctr)"

# A storm of signals does no harm.
start_load
faults --switch-output -o storm.ctr
many=$!
wait_for 10 recording $many
echo >go
for _ in $(seq 20000); do kill -USR2 $many 2>/dev/null; done
touch stop
wait $load
wait $many
same 'a storm of signals ends nothing' $? 0
bad=0
for f in storm.*.ctr; do "$analyze" check -s "$f" >/dev/null 2>&1 || bad=$((bad + 1)); done
same 'each file of the storm is whole' $bad 0
that 'the storm has rows' [ "$(rows_of storm.*.ctr)" -gt 1000 ]

# A flight recorder.
"$rec" -q -a -F 999 --switch-output=300ms --max-files 3 -o ring.ctr --duration 2s >ring.txt 2>&1
same 'the newest files are kept' "$(count_of ring.*.ctr)" 3
exits 'they are read as one' 0 "$analyze" report ring.*.ctr
that 'that earlier ones are gone is told' grep -q '^# Segments: .*ones before it missing' out.txt

# By size, and an end by size.
exits 'the end by size is a good one' 0 "$rec" -e page-faults -c 1 -g --max-size 300K -o size.ctr -- \
	sh -c "while :; do '$samples/pages' 3000; done >/dev/null"
says 'and is said' 'max-size'
exits 'its file is whole' 0 "$analyze" check size.ctr
that 'it is about as large' [ "$(stat -c %s size.ctr)" -ge 307200 ]
exits 'files by size' 0 "$rec" -q -e page-faults -c 1 -g --switch-output=100K --max-size 400K -o by.ctr -- \
	sh -c "while :; do '$samples/pages' 3000; done >/dev/null"
that 'there are some' [ "$(count_of by.*.ctr)" -ge 2 ]

# The files that were closed before a kill stay whole.
"$rec" -q -a -F 999 --switch-output=500ms -o killed.ctr --duration 20s 2>/dev/null &
many=$!
three() { [ "$(count_of killed.*.ctr)" -ge 3 ]; }
wait_for 10 three
disown $many
kill -9 $many
wait_for 10 no_recorders
open=0 whole=0
for f in killed.*.ctr; do
	if "$analyze" check -s "$f" >check.txt 2>&1; then whole=$((whole + 1));
	elif grep -q 'sound, not closed' check.txt; then open=$((open + 1)); fi
done
that 'closed files stay whole' [ $whole -ge 2 ]
same 'one is open' $open 1
run "$analyze" report killed.*.ctr
same 'they are read all the same' "$rc" 0
says 'and that one is open is said' 'not closed'

# A full disk.
if mkdir disk && mount -t tmpfs -o size=600k tmpfs disk 2>/dev/null; then
	later "umount $work/disk 2>/dev/null"
	run "$rec" -e page-faults -c 1 -g --switch-output=200K -o disk/d.ctr -- \
		sh -c "for i in \$(seq 200); do '$samples/pages' 3000; done >/dev/null"
	same 'a full disk is a failure' "$rc" 125
	says 'and is said' 'No space left'
	whole=0
	for f in disk/d.*.ctr; do "$analyze" check -s "$f" >/dev/null 2>&1 && whole=$((whole + 1)); done
	that 'earlier files are kept' [ $whole -ge 1 ]
else
	skip 'a full disk' 'no tmpfs'
fi

exits 'standard output cannot be split' 125 "$rec" --switch-output -o - -- true
says 'and why' 'do not go together'
exits 'a device cannot be split' 125 "$rec" --switch-output -o /dev/null -- true
exits 'a strange word is refused' 125 "$rec" --switch-output=often -- true
finish
