# What a shell is told: N of the words behind "--" is being typed.
cd "$FIX" || exit
ask() {
	echo "-- $*"
	at=$1
	shift
	analyze --complete "$at" -- "$@"
}
ask 0 f
ask 1 help inf
ask 1 report --sh
ask 1 report --no-c
ask 2 report -s comm,s
ask 2 report --weight ''
ask 2 report -g f
ask 2 report --pid '' basic.ctr
ask 2 report basic.ctr --tid=100
ask 4 report -i basic.ctr --comm wor
ask 3 dump -inothing.ctr -e ''
ask 3 dump -ievents.ctr -e page-faults,c
ask 2 dump -e '' events.ctr
ask 2 dump -i t
ask 1 dump t
ask 1 nonsense ''
