#!/bin/sh
# clang-tidy with the checks of .clang-tidy over the product. NODES: how far the
# analyzer goes into a function; its own 225000 takes four times as long.
cd "$(dirname "$0")/../.." || exit 1
command -v clang-tidy >/dev/null || {
	echo 'no clang-tidy here'
	exit 77
}
sh tests/lint/sources.sh format lib record analyze flamegraph | grep '\.c$' |
	xargs -P2 -n8 sh -c 'clang-tidy --quiet "$@" -- -x c -std=c17 \
		-D_GNU_SOURCE -I. -Xclang -analyzer-config \
		-Xclang max-nodes='"${NODES:-50000}"' 2>/dev/null' sh |
	grep -E '^/.*(warning|error):' | sed "s|^$PWD/||" | LC_ALL=C sort -u |
	awk '{ print; n++ } END { exit n > 0 }'
