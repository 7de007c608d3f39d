#!/usr/bin/env bash
# spec/reader.py was written from the specification alone: it and the programs
# must see the same values in every stored trace.
. "$(dirname "$0")/../man/lib.sh"
command -v python3 >/dev/null || skip_all 'no python3 here'
export PYTHONPATH=$root/spec PYTHONDONTWRITEBYTECODE=1
python3 -c 'import reader' 2>why ||
	skip_all "no zstd for python3 here: $(tail -n 1 why)"

if python3 "$root/tests/spec/test_reader.py" >out.txt 2>&1; then
	ok "its own tests: $(grep -oE 'Ran [0-9]+ tests' out.txt)"
else
	not_ok 'its own tests' "$(tail -n 20 out.txt)"
fi
for f in "$root"/tests/golden/format/*.ctr; do
	python3 "$root/spec/reader.py" --hash "$f" 2>theirs.err |
		awk '$1 != "index" && $3 > 0' >theirs
	"$B/tests/support/colhash" "$f" >ours 2>ours.err
	if [ -s ours ] && diff ours theirs >differs; then
		ok "${f##*/}: the same in all $(wc -l <ours) columns"
	else
		not_ok "${f##*/}" "$(head -n 5 differs theirs.err ours.err)"
	fi
done
finish
