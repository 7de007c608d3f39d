#!/usr/bin/env bash
# What is selected apart adds up to the whole: by command, CPU, time, file.
. "$(dirname "$0")/lib.sh"
need_perf_events
need_tool python3

sum() { # sum FILE OPTIONS: samples that are selected; none is 0
	local file=$1
	shift
	"$analyze" folded "$@" "$file" 2>/dev/null |
		awk '{ s += $NF } END { print s + 0 }'
}
adds_up() { # adds_up NAME OPTION WORD...: the sums of the words are all
	local name=$1 option=$2 total=0 n
	shift 2
	for word; do
		n=$(sum t.ctr "$option" "$word")
		total=$((total + n))
	done
	same "$name" "$total" "$all"
}
column() { # column KEY: the different values of a sort key
	"$analyze" report --no-children -s "$1" --percent-limit 0 --csv t.ctr \
		2>/dev/null | python3 -c '
import csv, sys
rows = csv.DictReader(l for l in sys.stdin if not l.startswith("#"))
print("\n".join(sorted({r[sys.argv[1]] for r in rows})))' "$2"
}

exits 'two programs are recorded' 0 "$rec" -F 1999 -g -o t.ctr -- \
	sh -c "'$samples/hot' 3 & '$samples/demo' 3 >/dev/null; wait"
all=$(sum t.ctr)
that 'there are samples' [ "$all" -gt 100 ]

mapfile -t comms < <(column comm command)
that 'of both programs' [ ${#comms[@]} -ge 2 ]
adds_up 'commands add up' --comm "${comms[@]}"
same 'words of one option widen' \
	"$(sum t.ctr --comm hot,demo)" \
	"$(($(sum t.ctr --comm hot) + $(sum t.ctr --comm demo)))"
same 'a star is any name' "$(sum t.ctr --comm '*')" "$all"
mapfile -t images < <(column dso dso)
adds_up 'files add up' --image "${images[@]}"
cpus=()
for ((c = 0; c < $(nproc --all); c++)); do cpus+=("$c"); done
adds_up 'CPUs add up' --cpu "${cpus[@]}"
adds_up 'ten slices of the time add up' --time 0%,10% 10%,20% 20%,30% 30%,40% \
	40%,50% 50%,60% 60%,70% 70%,80% 80%,90% 90%,100%

# hot and warm are called, they call nothing: leaf and stack say the same.
hot=$(sum t.ctr --symbol hot)
that 'hot ran' [ "$hot" -gt 0 ]
same 'and was passed as often' "$(sum t.ctr --through hot --image hot)" "$hot"
same 'as the stacks tell' "$hot" \
	"$("$analyze" folded t.ctr 2>/dev/null |
		awk '/;hot [0-9]+$/ { s += $NF } END { print s + 0 }')"
same 'through main is below main' "$(sum t.ctr --through main)" \
	"$("$analyze" folded t.ctr 2>/dev/null |
		awk '/;main[; ]/ { s += $NF } END { print s + 0 }')"
same 'what perf calls them' "$(sum t.ctr -S hot -d hot -c hot)" "$hot"

exits 'a name that is not there is refused' 2 \
	"$analyze" folded --image no-such-file t.ctr
says 'with those that are' 'no image .no-such-file. .*there is: .*hot'

# The same without the index: of a recorder that was killed.
head -c $(($(stat -c %s t.ctr) - 80)) t.ctr >cut.ctr
same 'without an end, the same' "$(sum cut.ctr --time 10%,40% --comm hot)" \
	"$(sum t.ctr --time 10%,40% --comm hot)"
# Events that share a table are told apart, and a star is all of a subsystem.
rows() { # rows OPTIONS: of s.ctr
	"$analyze" dump --json "$@" s.ctr 2>/dev/null | grep -c '"event":'
}
if ! "$rec" -e cpu-clock -e 'syscalls:*' -e sched:sched_switch -o s.ctr -- \
	ls -R /usr/include >/dev/null 2>why.txt; then
	skip 'system calls add up' "no tracepoints: $(tail -n 1 why.txt)"
else
	same 'subsystems add up' "$(rows)" "$(($(rows -e 'syscalls:*') +
		$(rows -e 'sched:*') + $(rows -e cpu-clock)))"
	"$analyze" info --json s.ctr >s.json 2>/dev/null
	for call in openat close getdents64; do
		same "$call alone" "$(rows -e "syscalls:sys_enter_$call")" "$(json \
			s.json "sum(e['rows'] for e in d['events']
				if e['name'] == 'syscalls:sys_enter_$call')")"
	done
	same 'enter and exit are all system calls' "$(rows -e 'syscalls:*')" \
		"$(($(rows -e 'syscalls:sys_enter_*') +
			$(rows -e 'syscalls:sys_exit_*')))"
fi

# A program in a group of its own, another outside.
unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=$unified/select-$$
if [ -z "$unified" ] || ! mkdir "$group" 2>/dev/null; then
	skip 'what is in a cgroup' 'no cgroup can be made here'
else
	later "rmdir '$group'"
	sh -c "echo 0 >'$group/cgroup.procs' && exec '$samples/spin' 1 60" &
	inside=$!
	later "kill $inside; wait $inside"
	"$samples/spin" 1 60 &
	outside=$!
	later "kill $outside"
	wait_for 5 grep -q "$inside" "$group/cgroup.procs"
	exits 'two programs are recorded' 0 "$rec" -F 1999 --duration 1s \
		-p $inside,$outside -o g.ctr
	n=$(sum g.ctr --cgroup "select-$$")
	that 'one is in a cgroup' [ "$n" -gt 0 ]
	same 'it is that one' "$n" "$(sum g.ctr --pid $inside)"
	same 'by its path, too' "$(sum g.ctr --cgroup "/select-$$")" "$n"
	same 'by a part of it' "$(sum g.ctr --cgroup '/sel*')" "$n"
fi

exits 'a slice is read' 0 "$analyze" folded -v --time 50%,51% t.ctr
says 'and what was read is said' 'read [0-9]+ of [0-9]+ chunks, [0-9]+ of [0-9]+ bytes'
finish
