# shellcheck shell=bash
# Sourced by the libraries of test scripts: how a thing that was shown, or was
# not, is said. `finish` ends a script.
n_bad=0
ok() { echo "ok $1"; }
not_ok() {
	n_bad=$((n_bad + 1))
	echo "not ok $1"
	[ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/  # /'
}
skip() { echo "skip $1: $2"; }
skip_all() {
	echo "$1"
	exit 77
}
# that NAME CONDITION...: a test command.
that() {
	local name=$1
	shift
	if "$@"; then ok "$name"; else not_ok "$name" "$*"; fi
}
same() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "'$2', not '$3'"; fi
}
finish() {
	[ $n_bad -eq 0 ]
	exit
}
