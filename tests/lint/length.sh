#!/bin/sh
# Long functions and files. Reported past 50 lines and 500; fails past 80 and
# 700: by then there is a second noun in it.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck disable=SC2046
awk '
function base(f) { sub(/.*\//, "", f); return f }
FNR == 1 { if (last) file(); last = FILENAME }
{ lines = FNR }
/^[a-z_].*\(/ { head = $0; sub(/\(.*/, "", head); sub(/.*[ *]/, "", head) }
/^{/ { start = FNR; name = head }
/^}/ && start {
	n = FNR - start - 1
	if (n > 50)
		printf "%s:%d: function %s: %d lines%s\n", FILENAME, start, \
			name, n, (n > 80 ? ", limit 80" : "")
	if (n > 80)
		bad = 1
	start = 0
}
function file() {
	# A test program is one list of cases: it may be longer.
	limit = last ~ /^tests\// ? 900 : 700
	if (lines > limit - 200)
		printf "%s: %d lines%s\n", last, lines, \
			(lines > limit ? ", limit " limit : "")
	if (lines > limit)
		bad = 1
}
END { file(); exit bad }
' $(sh tests/lint/sources.sh)
