#!/bin/sh
# cppcheck over the product: errors, warnings, portability.
cd "$(dirname "$0")/../.." || exit 1
: "${B:=build}"
command -v cppcheck >/dev/null || {
	echo 'no cppcheck here'
	exit 77
}
# Ownership that leaves through memcpy or a struct assignment looks lost to it.
mkdir -p "$B/cppcheck"
cppcheck -q -j2 --std=c11 -I. -D_GNU_SOURCE --cppcheck-build-dir="$B/cppcheck" \
	--enable=warning,portability --inline-suppr \
	--suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
	--suppress=memleak:format/base/mem.c \
	--suppress=memleak:flamegraph/tree.c \
	--suppress=uninitvar:flamegraph/folded.c \
	--template='{file}:{line}: {severity}: {id}: {message}' \
	--error-exitcode=1 format record analyze flamegraph 2>&1
