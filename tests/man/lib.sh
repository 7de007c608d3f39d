# shellcheck shell=bash
# Sourced by the tests of manuals and completion: nothing is recorded.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${here%/tests/man}
B=${B:-build}
case $B in /*) ;; *) B=$root/$B ;; esac
. "$root/tests/support/words.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1
# "…" is three bytes and one character.
export LC_ALL=C.UTF-8

empty() {
	if [ -z "$2" ]; then ok "$1"; else not_ok "$1" "$2"; fi
}
