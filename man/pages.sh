#!/bin/sh
# Makes the man pages of the programs in a folder:
#
#	sh man/pages.sh PROGRAMS OUT [PREFIX]
#
# A page for each program, for each command that its help lists, and one for
# each man/NAME.5.txt. Programs are called by what is installed: PREFIX stands
# before their names.
set -u
from=$1 out=$2 prefix=${3-}
here=$(cd "$(dirname "$0")" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export LC_ALL=C
failed=0
# Each text says when it was changed: "% 2026-11-29".
date=$(cat "$here"/*.txt 2>/dev/null | sed -n 's/^% //p' | sort | tail -n 1)

# The first words of the rows below the heading of the commands.
commands() {
	awk '/^Instead of recording|^[Cc]ommands/ { on = 1; next }
		!/^  / { on = 0 }
		on && /^  [a-z]/ { print $1 }' "$work/$1"
}

# page NAME VOLUME HELP COMMON
page() {
	target=$prefix$1.$2
	[ "$2" = 1 ] || target=$1.$2
	own=$here/$1.txt
	[ "$2" = 1 ] || own=$here/$1.$2.txt
	[ -f "$own" ] || own=/dev/null
	awk -v page="$1" -v volume="$2" -v prefix="$prefix" \
		-v date="$date" \
		-f "$here/page.awk" part=help "$3" part=own "$own" \
		part=common "$4" >"$work/page" &&
		cp "$work/page" "$out/$target" || failed=1
}

# common PROGRAM
common() {
	if [ -f "$here/$1-common.txt" ]; then
		echo "$here/$1-common.txt"
	else
		echo /dev/null
	fi
}

mkdir -p "$out" && rm -f "$out"/*.[15] || exit 1
for p in rec analyze flamegraph; do
	[ -x "$from/$p" ] || continue
	"$from/$p" --help >"$work/$p" || exit 1
	page "$p" 1 "$work/$p" /dev/null
	for c in $(commands "$p"); do
		"$from/$p" "$c" --help >"$work/help" || exit 1
		page "$p-$c" 1 "$work/help" "$(common "$p")"
	done
done
for f in "$here"/*.5.txt; do
	[ -f "$f" ] || continue
	f=${f##*/}
	page "${f%.5.txt}" 5 /dev/null /dev/null
done
exit $failed
