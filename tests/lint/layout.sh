#!/bin/sh
# Tabs, line ends and width. clang-format (`make format`) does more than is asked
# for: tables are laid out by hand.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck disable=SC2046
set -- $(sh tests/lint/sources.sh)
bad=0
awk '
function say(what) { print FILENAME ":" FNR ": " what; bad = 1 }
/[ \t]$/ { say("blanks at the end of the line") }
/^        / { say("eight blanks where a tab is meant") }
/\r/ { say("carriage return") }
{
	# Bytes that continue a UTF-8 character take no room.
	s = $0
	gsub(/[\200-\277]/, "", s)
	if (length(s) + 7 * gsub(/\t/, "\t", s) <= 80)
		next
	n = 0
	for (i = 1; i <= length(s); i++)
		n = substr(s, i, 1) == "\t" ? n + 8 - n % 8 : n + 1
	if (n > 100)
		say(n " columns, limit 100")
	else if (n > 80)
		over++
}
END {
	if (over)
		print "note: " over " lines past 80 columns"
	exit bad
}' "$@" || bad=1
exit $bad
