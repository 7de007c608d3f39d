#!/usr/bin/env bash
# Everything that goes wrong is said, in words that help, with its exit status.
. "$(dirname "$0")/lib.sh"
need_perf_events
need_tool python3
hot=$samples/hot

# -- The command line and the command ----------------------------------------

exits 'unknown event' 125 "$rec" -e cpu-clok -o x.ctr -- true
says 'unknown event is named' "cpu-clok"
says 'and what was meant' "cpu-clock"
that 'unknown event leaves no file' test ! -e x.ctr
exits 'unknown option' 125 "$rec" --no-such-option -- true
exits 'no such process' 125 "$rec" -p 999999999 -o x.ctr
exits 'command not found' 127 "$rec" -o x.ctr -- no-such-command-here
says 'command not found is named' 'no-such-command-here'
echo 'not a program' >plain.txt
chmod 644 plain.txt
exits 'command not executable' 126 "$rec" -o x.ctr -- ./plain.txt
exits "the command's exit status" 3 "$rec" -q -o x.ctr -- sh -c 'exit 3'
exits "the command's signal" 143 "$rec" -q -o x.ctr -- sh -c 'kill -TERM $$'
exits 'analyze: unknown subcommand' 2 "$analyze" repport
says 'and what was meant' 'report'
exits 'analyze: unknown option' 2 "$analyze" report --no-such-option x.ctr

# -- No samples ---------------------------------------------------------------

exits 'a recording without samples' 0 \
	"$rec" -e major-faults -c 1000000 -o none.ctr -- true
exits 'report says so' 3 "$analyze" report none.ctr
if printf '%s %s' "$out" "$err" | grep -qi 'no samples'; then
	ok 'no samples: in words'
else
	not_ok 'no samples: in words' "$out $err"
fi

# -- Where the file goes ------------------------------------------------------

mkdir folder
exits 'output is a folder' 125 "$rec" -o folder -- true
says 'the folder is named' "folder"
exits 'output in no folder' 125 "$rec" -o no/such/t.ctr -- true
if [ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=256k none full
then
	later "umount '$work/full' 2>/dev/null"
	# 400,000 rows: some megabyte, of which the first chunks fit.
	run "$rec" -e page-faults -c 1 -g -o full/t.ctr -- \
		"$samples/pages" 400000
	same 'full disk: own failure' $rc 125
	says 'full disk is said' '[Nn]o space|full'
	run "$analyze" check full/t.ctr
	# Closed where the end still fitted, else not; sound in both cases.
	that 'full disk: what fitted is sound' test $rc -eq 0 -o $rc -eq 6
	run "$analyze" report full/t.ctr
	that 'full disk: and can be read' test $rc -eq 0
else
	skip 'full disk' 'cannot mount a tmpfs'
fi

# -- Files that are not traces, or not any more -------------------------------

"$rec" -q -F 999 -g -o good.ctr -- "$hot" 2 2>/dev/null >/dev/null
exits 'no such file' 7 "$analyze" report no-such.ctr
says 'it is named' 'no-such.ctr'
head -c 5000 /dev/zero >zero.ctr
exits 'not a trace' 6 "$analyze" report zero.ctr
says 'not a trace is named' 'zero.ctr'
: >empty.ctr
exits 'an empty file' 6 "$analyze" report empty.ctr
exits 'a text' 6 "$analyze" info "$root/Makefile"
exits 'a folder' 7 "$analyze" info folder
head -c $(($(stat -c %s good.ctr) - 50)) good.ctr >cut.ctr
exits 'a cut trace fails check' 6 "$analyze" check cut.ctr
exits 'a cut trace is reported' 0 "$analyze" report cut.ctr
says 'with a warning' 'cut.ctr'
that 'and has its names' grep -qw hot out.txt

# The header's major number set to 99, its checksum made to fit: CRC-32C, here
# bit by bit.
python3 - <<'END'
import struct
def crc32c(data):
    c = 0xffffffff
    for byte in data:
        c ^= byte
        for _ in range(8):
            c = c >> 1 ^ (0x82f63b78 if c & 1 else 0)
    return c ^ 0xffffffff
b = bytearray(open("good.ctr", "rb").read())
assert crc32c(b"123456789") == 0xe3069283
assert crc32c(b[:60]) == struct.unpack_from("<I", b, 60)[0]
struct.pack_into("<H", b, 8, 99)
struct.pack_into("<I", b, 60, crc32c(b[:60]))
open("newer.ctr", "wb").write(b)
END
exits 'a newer format' 6 "$analyze" report newer.ctr
says 'and which' '99'
printf 'x' | dd of=newer.ctr bs=1 seek=20 conv=notrunc status=none
exits 'a damaged header' 6 "$analyze" report newer.ctr
# A damaged middle: the rest is read, the damage is said.
cp good.ctr hurt.ctr
printf 'damage' | dd of=hurt.ctr bs=1 seek=$(($(stat -c %s good.ctr) / 2)) \
	conv=notrunc status=none
exits 'a damaged trace fails check' 6 "$analyze" check hurt.ctr
exits 'a damaged trace is read as far as it goes' 6 "$analyze" report hurt.ctr

# -- An ordinary user ---------------------------------------------------------

paranoid=/proc/sys/kernel/perf_event_paranoid
as_user() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}
if [ "$(id -u)" -eq 0 ] && [ -w $paranoid ] && as_user test -x "$rec"; then
	was=$(cat $paranoid)
	later "echo $was >$paranoid"
	mkdir user && chown 65534:65534 user
	for level in 2 3 4; do
		echo $level >$paranoid
		rm -f user/t.ctr
		run as_user "$rec" -g -o user/t.ctr -- "$hot" 1
		if as_user "$support/canperf" >/dev/null; then
			same "paranoid $level: own program is recorded" $rc 0
			run "$analyze" report user/t.ctr
			that "paranoid $level: and named" grep -qw hot out.txt
		else
			same "paranoid $level: refused" $rc 125
			says "paranoid $level: says why" perf_event_paranoid
		fi
		as_user "$support/canperf" system >/dev/null || {
			exits "paranoid $level: system-wide is refused" 125 \
				as_user "$rec" -a -o user/t.ctr -- true
			says "paranoid $level: and why" perf_event_paranoid
		}
	done
	exits "another user's process" 125 as_user "$rec" -o user/t.ctr -p $$
	same "the file is the user's alone" \
		"$(stat -c %a user/t.ctr 2>/dev/null || echo 600)" 600
else
	skip 'an ordinary user' "needs root, and '$B' readable for all"
fi
finish
