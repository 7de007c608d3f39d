#!/bin/sh
# Prints the C files of the tree, one a line: sources.sh [FOLDER...]
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] || set -- format lib record analyze flamegraph samples tests
find "$@" \( -name '*.c' -o -name '*.h' \) -type f 2>/dev/null | LC_ALL=C sort
