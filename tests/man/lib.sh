# shellcheck shell=bash
# Sourced by the tests of manuals and completion: nothing is recorded.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${here%/tests/man}
B=${B:-build}
case $B in /*) ;; *) B=$root/$B ;; esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1
# "…" is three bytes and one character.
export LC_ALL=C.UTF-8
n_bad=0

ok() { echo "ok $1"; }
not_ok() {
	n_bad=$((n_bad + 1))
	echo "not ok $1"
	[ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/  # /'
}
skip() { echo "skip $1: $2"; }
that() {
	local name=$1
	shift
	if "$@"; then ok "$name"; else not_ok "$name" "$*"; fi
}
same() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "'$2', not '$3'"; fi
}
empty() {
	if [ -z "$2" ]; then ok "$1"; else not_ok "$1" "$2"; fi
}
finish() {
	[ $n_bad -eq 0 ]
	exit
}
