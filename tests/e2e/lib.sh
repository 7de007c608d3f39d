# shellcheck shell=bash
# Sourced by the tests of this folder, which run as root on a live kernel.
# A test says "ok NAME", "not ok NAME" or "skip NAME: REASON" for each thing it
# shows and ends with `finish`; what it cannot do at all it leaves by
# `skip_all REASON`.
set -u
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${here%/tests/e2e}
B=${B:-build}
case $B in /*) ;; *) B=$root/$B ;; esac
. "$root/tests/support/words.sh"
rec=$B/rec analyze=$B/analyze samples=$B/samples support=$B/tests/support
export B rec analyze samples support

work=$(mktemp -d) || exit 1
chmod 755 "$work"
cd "$work" || exit 1
# perf keeps copies of every binary that it met in the home folder.
export HOME=$work
at_exit=()
# later COMMAND: done at the end, however that comes; the last one first.
later() { at_exit=("$1" "${at_exit[@]}"); }
clean_up() {
	for c in "${at_exit[@]}"; do eval "$c"; done
	cd / && rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM


# Pids of the recorders, and of their helpers, that this test started and that
# still run.
export E2E_MARK=$work
recorders() {
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/exe")" = "$rec" ] &&
			tr '\0' '\n' <"$p/environ" | grep -qxF "E2E_MARK=$work" &&
			echo "${p#/proc/}"
	done 2>/dev/null
}
no_recorders() { [ -z "$(recorders)" ]; }

# run COMMAND...: its output in $out and $err, its exit status in $rc.
# shellcheck disable=SC2034 # the tests read them
run() {
	"$@" >out.txt 2>err.txt </dev/null
	rc=$?
	out=$(tr -d '\0' <out.txt) err=$(tr -d '\0' <err.txt)
}
# exits NAME WANT COMMAND...
exits() {
	local name=$1 want=$2
	shift 2
	run "$@"
	if [ $rc -eq "$want" ]; then
		ok "$name"
	else
		not_ok "$name" "exit $rc, not $want: $*
$err"
		return 1
	fi
}
# says NAME PATTERN: what the last run wrote to stderr.
says() {
	if printf '%s\n' "$err" | grep -qE -e "$2"; then
		ok "$1"
	else
		not_ok "$1" "no '$2' in: $err"
	fi
}

need_built() {
	[ -x "$rec" ] || skip_all "no rec in '$B'"
	[ -x "$analyze" ] || skip_all "no analyze in '$B'"
}
need_root() {
	[ "$(id -u)" -eq 0 ] || skip_all "needs root"
}
# Asked of the kernel by a program of the tests, not by rec.
need_perf_events() {
	local why
	why=$("$support/canperf" "$@") || skip_all "no perf events: $why"
}
need_tool() {
	command -v "$1" >/dev/null || skip_all "no $1 here"
}
# The reason in $perf_why where not.
has_perf() {
	# Its thread for events of BPF takes a second to end.
	perf record --no-bpf-event -BN -o perf.probe -e cpu-clock true \
		>perf.why 2>&1 && return
	# shellcheck disable=SC2034 # the tests read it
	perf_why="no working perf here (exit $?: $(tail -n 1 perf.why))"
	return 1
}

# The program ./prog of the manuals' examples, shorter than demo is by itself.
make_prog() {
	mkdir short && cp "$samples/demo" short/prog
	printf '#!/bin/sh\nexec "%s/short/prog" 70\n' "$work" >prog
	chmod +x prog
}

# wait_for SECONDS COMMAND...: polls until it succeeds.
wait_for() {
	local n=$(($1 * 20))
	shift
	while ! "$@"; do
		n=$((n - 1))
		[ $n -gt 0 ] || return 1
		sleep 0.05
	done
}
json() { # json FILE EXPRESSION: of the object d
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$1" "$2"
}

need_built
