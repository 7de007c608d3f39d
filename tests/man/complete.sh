#!/usr/bin/env bash
# Completion, in real shells and from the installed files.
. "$(dirname "$0")/lib.sh"

that 'it is made' sh "$root/completion/make.sh" "$work/made" ''
for p in rec analyze flamegraph; do
	ln -s "$B/$p" "$p"
done
export PATH=$work:$PATH
cp "$B"/tests/support/mkfixtures . 2>/dev/null || skip 'traces' 'none here'
mkdir fix
./mkfixtures fix && cp fix/basic.ctr trace.ctr
cp fix/events.ctr far.ctr
mkdir folder
: >folder.txt

# in_bash LINE WANT [POINT]: what is offered.
in_bash() {
	local got
	got=$(bash "$here/complete.bash" "$work/made/bash/rec" "$1" ${3:+"$3"} |
		tr '\n' ' ')
	same "bash: $1" "${got% }" "$2"
}
that 'bash accepts it' bash -n made/bash/rec
in_bash 'rec --no-i' '--no-inherit'
in_bash 'rec -e cpu-cl' 'cpu-clock'
in_bash 'rec --event=cpu-cl' 'cpu-clock'
in_bash 'rec --event=page-faults,cpu-cl' 'page-faults,cpu-clock'
in_bash "rec -e 'cpu-cl" 'cpu-clock'
in_bash 'rec -g -- prog --out fa' 'far.ctr'
in_bash 'rec -g -o fa' 'far.ctr'
in_bash 'rec --output=fa' 'far.ctr'
in_bash 'rec docto' 'doctor'
in_bash 'rec list --j' '--json'
in_bash 'rec -g -- ./fa' './far.ctr'
in_bash 'analyze rep' 'report'
in_bash 'analyze help rep' 'report'
in_bash 'analyze report f' 'far.ctr fix folder'
in_bash 'analyze report --comm wor' 'worker\ 12'
in_bash 'analyze report -e ' 'cpu-clock'
in_bash 'analyze report --event  far.ctr' \
	'context-switches cpu-clock page-faults' 23
in_bash 'analyze report -s comm,sym' 'comm,symbol'
in_bash 'analyze nonsense -' ''
in_bash 'flamegraph --pal' '--palette'
in_bash 'flamegraph -p s' 'safe'
in_bash 'flamegraph folder' 'folder folder.txt'

# A session that is typed, in zsh and fish.
for p in rec analyze flamegraph; do
	that "a file for $p in each shell" test -s "made/bash/$p" -a \
		-s "made/zsh/_$p" -a -s "made/fish/$p.fish"
done
in_zsh() {
	same "zsh: $1" "$(zsh -f "$here/complete.zsh" "$work/made/zsh" "$1")" \
		"$2"
}
if ! command -v zsh >/dev/null; then
	skip 'zsh' 'no zsh here'
else
	in_zsh 'rec --no-i' 'rec --no-inherit '
	in_zsh 'rec --event=page-faults,cpu-cl' \
		'rec --event=page-faults,cpu-clock '
	in_zsh 'rec --output=fa' 'rec --output=far.ctr '
	in_zsh 'rec -g -- basenam' 'rec -g -- basename '
	in_zsh 'analyze rep' 'analyze report '
	in_zsh 'analyze report --comm wor' 'analyze report --comm worker\ 12 '
	in_zsh 'flamegraph -p s' 'flamegraph -p safe '
fi
in_fish() {
	same "fish: $1" "$(HOME=$work fish -c "
		for f in $work/made/fish/*; source \$f; end
		complete -C \"$1\"" | sed 's/\t.*//' | tr '\n' ' ')" "$2 "
}
if ! command -v fish >/dev/null; then
	skip 'fish' 'no fish here'
else
	in_fish 'rec --no-i' '--no-inherit'
	in_fish 'rec --event=page-faults,cpu-cl' '--event=page-faults,cpu-clock'
	in_fish 'rec --output=fa' '--output=far.ctr'
	in_fish 'rec -g -- ls --almost-a' '--almost-all'
	in_fish 'analyze rep' 'report'
	in_fish 'analyze report --comm wor' 'worker 12'
	in_fish 'flamegraph -p s' 'safe'
fi

# Typing must not be held up.
slow=
for line in 'rec --complete 1 -- -e sched:' 'rec --complete 1 -- -t 1' \
	'analyze --complete 2 -- report -e c'; do
	start=$(date +%s%N)
	timeout 10 $line >/dev/null
	ms=$((($(date +%s%N) - start) / 1000000))
	[ $ms -le 1000 ] || slow+="$line: $ms ms"$'\n'
done
empty 'answers come while one types' "$slow"
finish
