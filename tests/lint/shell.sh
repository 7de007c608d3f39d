#!/bin/sh
# Every script through shellcheck.
cd "$(dirname "$0")/../.." || exit 1
command -v shellcheck >/dev/null || {
	echo 'no shellcheck here'
	exit 77
}
# shellcheck disable=SC2046
shellcheck -x -P SCRIPTDIR -S warning -f gcc $(find tests samples flamegraph man completion .ci \
	-path tests/golden -prune -o -type f \( -name '*.sh' -o -path '.ci/*' \) \
	-print) $(find tests/golden -name run.sh)
