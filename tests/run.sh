#!/bin/sh
# Runs suites of tests and prints the sum of all last:
#   B=build tests/run.sh unit golden man lib spec corpus browser e2e
# Each suite ends with "N passed, N failed, N skipped" alone on a line. A test
# that cannot run here exits 77 with the reason on stdout and is skipped. LANES of
# them (2) run at a time. Of e2e that is one of those that record and one with a
# line "# Beside others: WHY": while one program asks the kernel (6.18) for
# build-ids of mappings, it tells another, too, which perf takes for damage. The
# suites man, lib and spec, asked for with e2e, record nothing and run there, too;
# a browser has threads of its own, and would hold recorders up.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${B:=build}" "${SAN:=}"
export B SAN
# Sanitizers: every leak counts, a finding ends the program with a core's code.
export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
LIMIT=${LIMIT:-600} # seconds for one program
: "${LANES:=2}"
all_passed=0 all_failed=0 all_skipped=0

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

begin() {
	passed=0 failed=0 skipped=0
	printf '%s\n' "-- $1"
}

end() {
	all_passed=$((all_passed + passed))
	all_failed=$((all_failed + failed))
	all_skipped=$((all_skipped + skipped))
	printf '%d passed, %d failed, %d skipped\n\n' \
		"$passed" "$failed" "$skipped"
}

# Words of a line: STATUS NAME [: DETAIL]
ok() { passed=$((passed + ${2:-1})); printf 'ok    %s\n' "$1"; }
skip() { skipped=$((skipped + ${3:-1})); printf 'skip  %s: %s\n' "$1" "$2"; }
fail() {
	failed=$((failed + ${2:-1}))
	printf 'FAIL  %s\n' "$1"
	# What failed first of all, then the end.
	{
		awk '/^not ok/ { n = 6 } n-- > 0' "$work/out" | head -n 60
		tail -n "${LINES_SHOWN:-60}" "$work/out"
	} | sed 's/^/      /'
}

# run COMMAND...: output in $work/out, exit status in $rc, and how long it took
# in $took, where that is worth a word.
run() {
	began=$(date +%s)
	timeout -k 5 "$LIMIT" "$@" >"$work/out" 2>&1 </dev/null
	rc=$?
	[ $rc -eq 124 ] && echo "took longer than $LIMIT s" >>"$work/out"
	took=$(($(date +%s) - began))
	[ $took -ge 5 ] && took=", $took s" || took=
	return 0
}

# A cmocka program, told to speak TAP: tests that its plan announced and that
# never came (it crashed) have failed.
unit_one() {
	name=${1#"$B"/tests/}
	CMOCKA_MESSAGE_OUTPUT=TAP run "$1"
	counts=$(awk '
		/^1\.\.[0-9]+/ { plan += substr($1, 4) }
		/^(not )?ok .*# SKIP/ { skip++; next }
		/^ok / { pass++ }
		END { print plan + 0, pass + 0, skip + 0 }' "$work/out")
	# shellcheck disable=SC2086 # three numbers
	set -- $counts
	bad=$(($1 - $2 - $3))
	if [ $rc -ne 0 ] && [ $bad -eq 0 ]; then
		bad=1
	fi
	[ "$3" -gt 0 ] && skip "$name" \
		"$(grep -Ev '^(not )?ok |^1\.\.|^#' "$work/out" |
			tail -n 1)" "$3"
	passed=$((passed + $2))
	if [ $bad -gt 0 ]; then
		fail "$name ($bad of $1, exit $rc)" $bad
	elif [ "$1" -eq 0 ]; then
		fail "$name announced no test"
	else
		printf 'ok    %s (%d%s)\n' "$name" "$2" "$took"
	fi
}

# add_sum FILE: what a process of its own left.
add_sum() {
	read -r p f s <"$1"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# many HOW LANES PATH...: each by HOW, in a process of its own, which leaves its
# sum in a file.
many() {
	how=$1 lanes=$2
	shift 2
	[ $# -gt 0 ] || return 0
	sums=$(mktemp -d "$work/sums.XXXXXX") || exit 1
	printf '%s\n' "$@" | LEAVES="$sums" xargs -P "$lanes" -I '{}' \
		sh tests/run.sh --one "$how" '{}'
	for t; do
		name=$(echo "$t" | tr / .)
		[ -f "$sums/$name" ] || echo 0 1 0 >"$sums/$name"
		add_sum "$sums/$name"
	done
	rm -r "$sums"
}

# In such a process: what it says comes as one piece.
one() {
	passed=0 failed=0 skipped=0
	"$1" "$2" >"$work/said"
	echo "$passed $failed $skipped" >"$LEAVES/$(echo "$2" | tr / .)"
	cat "$work/said"
}

unit_built() {
	if [ -x "$1" ]; then
		unit_one "$1"
	else
		echo "not built" >"$work/out"
		fail "${1#"$B"/tests/}"
	fi
}

suite_unit() {
	set --
	for t in tests/unit/test_*.c; do
		t=${t##*/}
		set -- "$@" "$B/tests/unit/${t%.c}"
	done
	many unit_built "$LANES" "$@"
}

# A runner with tests of its own: its last line is added, its words are shown.
suite_runner() {
	[ -f "$1" ] || return 0
	run sh "$@"
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' \
		"$work/out" | tail -n 1)
	if [ -z "$line" ]; then
		fail "$1 ended without a sum (exit $rc)"
		return
	fi
	grep -vxF "$line" "$work/out" | grep -v '^ok' | sed 's/^/      /'
	IFS=' ,' read -r p _ f _ s _ <<-END
		$line
	END
	if [ $rc -ne 0 ] && [ "$f" -eq 0 ]; then
		fail "$1: exit $rc"
	fi
	printf '      %s: %s%s\n' "$1" "$line" "$took"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# shellcheck disable=SC2086 # words are wanted
golden_areas() { suite_runner tests/golden/run.sh $1; }

# Every other area is of the other half.
suite_golden() {
	half='' rest=''
	for t in tests/golden/*/; do
		t=${t%/} t=${t##*/} last=$half
		half="${rest:+$rest }$t" rest=$last
	done
	many golden_areas "$LANES" "$half" "$rest"
}

# Every input that a fuzzer kept, through a plain program.
suite_corpus() {
	for t in tests/fuzz/fuzz_*.c; do
		[ -f "$t" ] || continue
		t=${t##*/fuzz_} t=${t%.c}
		dir=tests/fuzz/corpus/$t
		n=$(find "$dir" -type f 2>/dev/null | wc -l)
		if [ "$n" -eq 0 ]; then
			skip "corpus/$t" "no corpus"
			continue
		fi
		run "$B/tests/fuzz/replay_$t" "$dir"
		if [ $rc -eq 0 ]; then
			ok "corpus/$t ($n inputs$took)"
		else
			fail "corpus/$t (exit $rc)"
		fi
	done
}

# Scripts: exit 0 passed, 77 skipped, else failed; one that has many tests
# prints "ok NAME", "not ok NAME" and "skip NAME: REASON" lines.
script_one() {
	run bash "$@"
	p=$(grep -c '^ok' "$work/out")
	f=$(grep -c '^not ok' "$work/out")
	s=$(grep -c '^skip' "$work/out")
	name=${1#tests/}
	if [ $rc -eq 77 ] && [ "$f" -eq 0 ]; then
		reason=$(tail -n 1 "$work/out")
		skip "$name" "${reason#skip: }"
		passed=$((passed + p))
		return
	fi
	grep '^skip' "$work/out" | sed 's/^/      /'
	skipped=$((skipped + s))
	if [ "$f" -gt 0 ] || [ $rc -ne 0 ]; then
		[ "$f" -gt 0 ] || f=1
		passed=$((passed + p))
		fail "$name (exit $rc$took)" "$f"
		return
	fi
	[ "$p" -gt 0 ] || p=1
	ok "$name ($p$took)" "$p"
}

# is_left_out SUITE SCRIPT: WITHOUT has names of those.
is_left_out() {
	name=${2##*/} name=${name%.sh}
	case " ${WITHOUT:-} " in
	*" $name "*) skip "$1/$name" 'left out by WITHOUT' ;;
	*) return 1 ;;
	esac
}

# lane NAME SCRIPT...: one after another, beside another lane.
lane() {
	lane=$1
	shift
	passed=0 failed=0 skipped=0
	many script_one 1 "$@"
	echo "$passed $failed $skipped" >"$work/$lane.lane"
}

# scripts SUITE: those that are not left out, in $recorders and $others.
scripts() {
	recorders='' others=''
	for t in tests/"$1"/*.sh; do
		case $t in
		*/lib.sh | */'*.sh') continue ;;
		esac
		is_left_out "$1" "$t" && continue
		if [ "$1" != e2e ] || grep -q '^# Beside others: ' "$t"; then
			others="$others $t"
		else
			recorders="$recorders $t"
		fi
	done
}

# shellcheck disable=SC2086 # words are wanted
suite_scripts() {
	scripts "$1"
	many script_one "$LANES" $recorders $others
}

# shellcheck disable=SC2086 # words are wanted
suite_e2e() {
	beside=
	for t in $waiting; do
		scripts "$t"
		beside="$beside $others"
	done
	scripts e2e
	if [ "$LANES" -lt 2 ]; then
		many script_one 1 $recorders $others
		return
	fi
	(lane others $others $beside) &
	(lane recorders $recorders)
	wait
	add_sum "$work/others.lane"
	add_sum "$work/recorders.lane"
}

suite_man() { suite_scripts man; }
suite_lib() { suite_scripts lib; }
suite_spec() { suite_scripts spec; }
suite_browser() { suite_scripts browser; }

if [ "${1:-}" = --one ]; then
	one "$2" "$3"
	exit
fi
# Tests begin python3 a thousand times. It is Debian's, where that is: a manager of
# versions before it in PATH takes ten times as long for each.
if [ -x /usr/bin/python3 ]; then
	mkdir "$work/bin" && ln -s /usr/bin/python3 "$work/bin/python3"
	PATH=$work/bin:$PATH
	export PATH
fi
# What waits for e2e, to run beside it.
waiting='' able=
case "$LANES $* " in
[01]\ *) ;;
*' e2e '*) able='man lib spec' ;;
esac
for s; do
	case " $able " in
	*" $s "*)
		waiting="$waiting $s"
		continue
		;;
	esac
	if [ "$s" = e2e ]; then begin "e2e$waiting"; else begin "$s"; fi
	"suite_$s"
	end
done
if [ $# -ne 1 ]; then
	printf 'all %s:\n%d passed, %d failed, %d skipped\n' "$*" \
		$all_passed $all_failed $all_skipped
fi
[ $all_failed -eq 0 ]
