#!/usr/bin/env bash
# What rec writes today is read by spec/reader.py, which knows the specification
# and none of our code: the same values in every column.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3
export PYTHONDONTWRITEBYTECODE=1
python3 -c "import sys; sys.path.insert(0, '$root/spec'); import reader" 2>why ||
	skip_all "no zstd for python3 here: $(tail -n 1 why)"

# both NAME REC-WORDS...
both() {
	local name=$1
	shift
	exits "$name is recorded" 0 "$rec" -q -o t.ctr "$@" || return
	python3 "$root/spec/reader.py" --hash t.ctr 2>theirs.err |
		awk '$1 != "index" && $3 > 0' >theirs
	"$support/colhash" t.ctr >ours 2>ours.err
	if [ -s ours ] && diff ours theirs >differs; then
		ok "$name: the same in all $(wc -l <ours) columns"
	else
		not_ok "$name" "$(head -n 5 differs theirs.err ours.err)"
	fi
}
both 'samples with stacks' -F 4999 -g -- "$samples/demo"
both 'scheduler events with stacks' -a -g -e 'sched:*' -- sleep 0.5
both 'system calls by name' -e 'syscalls:*' -- ls -R /etc
both 'events of many kinds' -a -e 'irq:*,timer:*,kmem:*' -- sleep 0.2
both 'several shards' -a --drain-threads 2 -g -e 'sched:*' -- sleep 0.3
finish
