#!/usr/bin/env bash
# What perf records beside plain samples of one file: copies of user stacks,
# folders, namespaces, cgroups.
. "$(dirname "$0")/lib.sh"
need_root
need_tool python3
has_perf || skip_all "$perf_why"

deep=("$samples/deep" 1 0.2)
# record NAME OPTIONS...: NAME.data. Without build-ids perf cannot read its own
# file where somebody else asks for them at the same time.
record() {
	local name=$1
	shift
	perf record -q -N --buildid-mmap -o "$name.data" "$@" >"$name.why" 2>&1 ||
		skip "$name" "perf cannot: $(grep -m1 . "$name.why")"
}
table() { # table NAME COLUMN...: of rows of a table, by the other reader
	python3 - "$here/../../spec" "$@" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
import reader
with reader.Trace(sys.argv[2]) as t:
    known = [x['name'] for x in t.tables()]
    for p in t.parts(sys.argv[3]) if sys.argv[3] in known else ():
        columns = [[t.text(p.epoch, v) if n == 'cgroup' else v
                    for v in p.values(n)] for n in sys.argv[4:]]
        for row in zip(*columns):
            print(*row)
P
}

# -- Copies of user stacks -----------------------------------------------------

# dumps TITLE TRACE: has those that perf shows.
dumps() {
	if python3 "$here/userdumpcmp.py" dwarf.raw "$2" >cmp.txt 2>&1; then
		ok "$1 ($(tail -n 1 cmp.txt))"
	else
		not_ok "$1" "$(tail -c 2000 cmp.txt)"
	fi
}

if record dwarf --call-graph dwarf,16384 -F 1999 -e cpu-clock -- \
	"${deep[@]}"; then
	perf script -D -i dwarf.data >dwarf.raw 2>/dev/null
	exits 'dwarf is imported' 0 "$rec" import -q -o dwarf.ctr dwarf.data
	dumps 'registers and stacks are those of perf' dwarf.ctr
	run "$analyze" info dwarf.ctr
	n=$(grep -c 'ustack: size' dwarf.raw)
	that 'info says how many' \
		grep -qE "^ *user_dump +$n +[0-9]+\$" out.txt
	run "$analyze" dump dwarf.ctr
	same 'dump shows the samples' "$rc $(grep -c cpu-clock out.txt)" "0 $n"
	exits 'check finds nothing wrong' 0 "$analyze" check dwarf.ctr
	"$analyze" compact -q -o made.ctr dwarf.ctr 2>/dev/null
	dumps 'compact keeps them' made.ctr
	"$analyze" cut -q --comm deep -o made.ctr dwarf.ctr 2>/dev/null
	dumps 'so does a cut' made.ctr
	head -c -40 dwarf.ctr >hurt.ctr
	"$analyze" recover -q -o made.ctr hurt.ctr >/dev/null 2>&1
	dumps 'and recover' made.ctr
	if record flat -F 499 -e cpu-clock -- "${deep[@]}"; then
		"$rec" import -q -o flat.ctr flat.data
		"$analyze" merge -q -o made.ctr dwarf.ctr flat.ctr 2>/dev/null
		dumps 'and merge' made.ctr
		same 'a trace without has no such table' \
			"$(table flat.ctr user_dump time)" ''
	fi
fi

# -- Folders -------------------------------------------------------------------

# folder NAME OPTIONS...: line by line what perf script prints of it.
folder() {
	local name=$1
	shift
	record "$name" --threads "$@" || return
	[ -d "$name.data" ] || { skip "$name" 'perf makes no folder'; return; }
	exits "$name is imported" 0 "$rec" import -q -o "$name.ctr" "$name.data"
	perf script --max-stack 4096 -i "$name.data" >"$name.perf" 2>/dev/null
	"$analyze" dump "$name.ctr" >"$name.ours" 2>/dev/null
	if python3 "$here/importcmp.py" script "$name.perf" "$name.ours" \
		"$text" >cmp.txt 2>&1; then
		ok "$name: dump is perf script ($(tail -n 1 cmp.txt))"
	else
		not_ok "$name: dump is perf script" "$(cat cmp.txt)"
	fi
}

text=$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms)
folder parts -F 999 -e cpu-clock "${deep[@]}"
folder packed -z -F 999 -e cpu-clock "${deep[@]}"
folder scheduler -a -e sched:sched_switch -e sched:sched_wakeup sleep 0.3
if [ -d parts.data ]; then
	run "$analyze" dump parts.data
	same 'analyze reads a folder at once' \
		"$rc $(cmp out.txt parts.ours && echo same)" '0 same'
	says 'and says what it does' "importing 'parts.data' \\(perf.data\\)"
	exits 'its first file alone is a part' 0 \
		"$rec" import -o one.ctr parts.data/data
	says 'and that is said' 'try: the folder'
	mkdir folder
	run "$analyze" dump folder
	says 'another folder is no trace' 'Is a directory'
fi

# -- Groups of tracepoints -----------------------------------------------------

# by_event TEXT: how many samples of each tracepoint.
by_event() {
	grep -oE 'sched:sched_(switch|waking)' "$1" | sort | uniq -c
}
if record members -a -e '{sched:sched_switch,sched:sched_waking}:S' -- sleep 1 &&
	perf script -i members.data >members.txt 2>/dev/null &&
	grep -q sched_waking members.txt; then
	exits 'a group of tracepoints' 0 \
		"$rec" import -q -o members.ctr members.data
	"$analyze" dump members.ctr >ours.txt 2>/dev/null
	same 'has the samples that perf shows' "$(by_event ours.txt)" \
		"$(by_event members.txt)"
	same 'no payload is made up' "$(grep -c 'waking: *comm=' ours.txt)" 0
	"$analyze" info members.ctr >info.txt 2>/dev/null
	that 'and that there is none is said' \
		grep -q 'samples of tracepoints have no payload' info.txt
else
	skip 'groups of tracepoints' 'perf cannot'
fi

# -- Where processes are -------------------------------------------------------

if record spaces -a -F 499 -e cpu-clock --namespaces -- sh -c "
	${deep[*]}
	unshare -p -f sh -c 'readlink /proc/self/ns/pid >inner.txt
		exec ${deep[*]}'" && [ -s inner.txt ]; then
	"$rec" import -q -o spaces.ctr spaces.data
	table spaces.ctr process pid_ns | sort | uniq -c >spaces.txt
	outer=$(readlink /proc/self/ns/pid) inner=$(cat inner.txt)
	outer=${outer//[!0-9]/} inner=${inner//[!0-9]/}
	that 'a process is in its pid namespace' grep -q " $inner\$" spaces.txt
	that 'others are in the first one' grep -q " $outer\$" spaces.txt
	same 'and none in any other' \
		"$(grep -cv -e " $inner\$" -e " $outer\$" -e ' 0$' spaces.txt)" 0
else
	skip 'pid namespaces' 'perf or unshare cannot'
fi

groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$groups" ] && mkdir "$groups/e2e-$$" 2>/dev/null; then
	later "rmdir $groups/e2e-$$"
	if record groups -a -F 499 -e cpu-clock --all-cgroups -- sh -c "
		echo \$\$ >$groups/e2e-$$/cgroup.procs && exec ${deep[*]}"
	then
		"$rec" import -q -o groups.ctr groups.data
		table groups.ctr process cgroup | sort -u >groups.txt
		perf report -i groups.data --stdio --sort cgroup -g none \
			2>/dev/null | awk '/%/ { print $2 }' | sort -u >want.txt
		that 'processes are in the cgroup where perf saw them' \
			grep -qxF "/e2e-$$" groups.txt
		same 'in no other than perf says' \
			"$(grep -vxF -f want.txt groups.txt)" ''
	fi
else
	skip 'cgroups' 'no cgroup2 to make one in'
fi

# -- Counts ----------------------------------------------------------------------

perf stat record -o counts.data -e page-faults,context-switches true 2>/dev/null
exits 'counts of perf stat are no rows' 0 "$rec" import -q -o counts.ctr counts.data
"$analyze" report counts.ctr >report.txt 2>/dev/null
that 'which the head of a report says' \
	grep -q '^# Note: 2 counts of perf stat were not imported' report.txt

# -- Filters -------------------------------------------------------------------

if record filter -a -e sched:sched_switch --filter 'prev_prio > 100' -- \
	sleep 0.1; then
	"$rec" import -q -o filter.ctr filter.data
	"$analyze" report filter.ctr >report.txt 2>/dev/null
	that 'of a filter the head of a report says so' \
		grep -q "^# Note: of 'sched:sched_switch' .* 'prev_prio > 100'" \
		report.txt
fi
finish
