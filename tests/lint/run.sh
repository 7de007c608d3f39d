#!/bin/sh
# Every lint, each finding, and their sum.
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0 skipped=0
for l in arrows banned statics length layout shell cppcheck tidy; do
	out=$(sh tests/lint/$l.sh 2>&1)
	case $? in
	0) passed=$((passed + 1)) word=ok ;;
	77) skipped=$((skipped + 1)) word=skip ;;
	*) failed=$((failed + 1)) word=FAIL ;;
	esac
	printf '%-5s lint/%s\n' $word $l
	[ -z "$out" ] || printf '%s\n' "$out" | sed 's/^/      /'
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
