#!/bin/sh
# Golden tests: each tests/golden/AREA/CASE.sh runs in an empty folder with the
# built programs in PATH and the fixture traces in $FIX (see
# tests/support/mkfixtures.c); what it prints and its exit status must equal
# CASE.out, CASE.err and CASE.rc to the byte. A missing one fails.
#
#	B=build sh tests/golden/run.sh [AREA[/CASE]]...
#	BLESS=1 ... writes what came out instead
#
# Ends with "N passed, N failed, N skipped"; a case that exits 77 is skipped,
# with its standard output for the reason.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
: "${B:=build}" "${BLESS:=}"
B=$(cd "$here/../.." && cd "$B" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0 skipped=0

export B
export PATH="$B:$PATH"
export LC_ALL=C TZ=UTC
export FIX="$work/fix"
mkdir "$FIX"
"$B/tests/support/mkfixtures" "$FIX" || exit 1

# compare NAME EXPECTED ACTUAL: a difference is shown and counted.
compare() {
	if [ -n "$BLESS" ]; then
		cp "$3" "$2"
	elif [ ! -f "$2" ]; then
		echo "      $1: no golden (make bless writes it)"
		return 1
	elif ! cmp -s "$2" "$3"; then
		echo "      $1 differs:"
		diff -u "$2" "$3" | sed 's/^/      /' | head -n 40
		return 1
	fi
}

one() {
	name=$1 base=$here/$1 bad=0
	rm -rf "$work/in"
	mkdir "$work/in"
	(cd "$work/in" && sh "$base.sh") >"$work/out" 2>"$work/err" </dev/null
	echo $? >"$work/rc"
	if [ "$(cat "$work/rc")" = 77 ]; then
		skipped=$((skipped + 1))
		echo "skip  $name: $(tail -n 1 "$work/out")"
		return
	fi
	for part in out err rc; do
		compare "$part" "$base.$part" "$work/$part" >>"$work/why" ||
			bad=1
	done
	if [ $bad -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok    $name"
	else
		failed=$((failed + 1))
		echo "not ok $name"
		cat "$work/why"
	fi
	rm -f "$work/why"
}

# chosen NAME WORDS...: all, or those of an area or of one name.
chosen() {
	name=$1
	shift
	[ $# -eq 0 ] && return 0
	for word; do
		case $name in
		"$word" | "$word"/*) return 0 ;;
		esac
	done
	return 1
}

for case in "$here"/*/*.sh; do
	[ -f "$case" ] || continue
	name=${case#"$here"/}
	name=${name%.sh}
	chosen "$name" "$@" && one "$name"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
