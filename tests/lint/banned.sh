#!/bin/sh
# Calls that this code does without, and words that mean unfinished work.
cd "$(dirname "$0")/../.." || exit 1
product='format lib record analyze flamegraph'

code=$(mktemp) || exit 1
trap 'rm -f "$code"' EXIT
# shellcheck disable=SC2086,SC2046 # words are wanted
set -- $(sh tests/lint/sources.sh $product)
# FILE:LINE: code. Comments and strings are blanked out first, line by line, so
# that prose may name a call.
awk '{
	gsub(/"([^"\\]|\\.)*"/, "\"\"")
	sub(/\/\*.*/, ""); sub(/^ ?\*.*/, ""); sub(/^[ \t]+\* .*/, "")
	sub(/\/\/.*/, ""); sub(/^[ \t]+/, "")
	if ($0 != "") print FILENAME ":" FNR ": " $0
}' "$@" >"$code"

# deny WHY PATTERN [FILE]: in all of them, or in such lines of FILE.
deny() {
	grep -E "^[^:]*:[0-9]+: (.*[^A-Za-z0-9_.>])?($2)[ ]*\(" "${3:-$code}" |
		sed -E "s|^([^:]*:[0-9]+:)|\1 $1:|"
}

found=$(
	deny 'unbounded copy' 'strcpy|strcat|sprintf|vsprintf|gets|stpcpy'
	deny 'hidden state' 'strtok|gmtime|localtime|ctime|asctime|strerror_l'
	deny 'no way to fail' 'atoi|atol|atoll|atof'
	deny 'runs a shell' 'system|popen'
	deny 'guessable name' 'mktemp|tmpnam|tempnam'
	deny 'sizes the stack from data' 'alloca'
	# A forked child has no main to return to: _exit there is sound.
	grep -vE '^([^:]*/)?main\.c:' "$code" |
		deny 'only main ends the process' 'exit|abort|quick_exit' -
	words='TODO|FIXME|XXX|HACK|not (yet )?implemented'
	find format lib record analyze flamegraph samples spec tests Makefile README.md \
		-type f ! -name '*.ctr' ! -path '*/corpus/*' \
		! -path tests/lint/banned.sh -exec \
		grep -nIE "\\b($words)\\b" /dev/null {} + 2>/dev/null |
		sed -E 's/^([^:]*:[0-9]+):/\1: unfinished: /'
	# A build that works in one folder of one machine only.
	find . -path './.git' -prune -o -path './build*' -prune -o -type f \
		! -name '*.ctr' ! -path './tests/fuzz/corpus/*' -exec grep \
		-nIE '(^|[^A-Za-z0-9_}$])/(home|work|root|Users)/[a-z]' {} + |
		grep -vE '^\./tests/(unit|golden)/|^\./tests/lint/banned\.sh:' |
		sed -E 's/^([^:]*:[0-9]+):/\1: path of one machine: /'
)
[ -z "$found" ] || printf '%s\n' "$found"
[ -z "$found" ]
