#!/bin/sh
# Prints the command lines of a manual, as they are typed: blocks that begin
# with one of the programs.
#
#	sh tests/support/examples.sh FILE...
awk '
/^    ([A-Z]+=[^ ]+ )*(sudo |perf script . |ssh [^ ]+ .)?(rec|analyze|flamegraph)( |$)/ {
	line = substr($0, 5)
	while (line ~ /\\$/ && (getline more) > 0) {
		sub(/\\$/, "", line)
		sub(/^ +/, "", more)
		line = line more
	}
	sub(/  +#.*/, "", line)
	print line
}' "$@"
