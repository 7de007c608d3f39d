#!/bin/sh
# cppcheck over the product: errors, warnings, portability.
cd "$(dirname "$0")/../.." || exit 1
: "${B:=build}"
command -v cppcheck >/dev/null || {
	echo 'no cppcheck here'
	exit 77
}
mkdir -p "$B/cppcheck"
# Not believed: ownership that leaves through memcpy or a struct assignment, the
# address of a compound literal, a report's borrowed pointer that ends with its
# caller, a loop over two arrays of which one ends by NULL.
cppcheck -q -j2 --std=c11 -I. -D_GNU_SOURCE --cppcheck-build-dir="$B/cppcheck" \
	--enable=warning,portability \
	--suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
	--suppress=internalAstError --suppress=arrayIndexThenCheck \
	--suppress=memleak:format/base/mem.c \
	--suppress=memleak:flamegraph/tree.c \
	--suppress=uninitvar:flamegraph/folded.c \
	--suppress=autoVariables:analyze/cmd/report.c \
	--template='{file}:{line}: {severity}: {id}: {message}' \
	--error-exitcode=1 format lib record analyze flamegraph 2>&1
