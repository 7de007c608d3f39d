# Calls the completion of a command line as bash itself would:
#
#	bash complete.bash SCRIPT LINE [POINT]
#
# prints what would be offered, sorted. The words are those that readline makes
# of a line: it parts them at blanks and before and behind :, = and the like,
# which are words of their own.
# shellcheck source=/dev/null
. "$1"
COMP_LINE=$2 COMP_POINT=${3:-${#2}} COMP_WORDS=() COMP_CWORD=0
rest=$2 at=0 set=0
while [[ -n $rest || $at -eq 0 ]]; do
	[[ $rest =~ ^([[:blank:]]*)(\'[^\']*\'?|\"[^\"]*\"?|[:=@]+|([^[:blank:]:=@\'\"\\]|\\.)+)? ]]
	((at += ${#BASH_REMATCH[1]}))
	((at += ${#BASH_REMATCH[2]}))
	rest=${rest:${#BASH_REMATCH[0]}}
	((set || at < COMP_POINT)) || set=1 COMP_CWORD=${#COMP_WORDS[@]}
	COMP_WORDS+=("${BASH_REMATCH[2]}")
	[[ -n ${BASH_REMATCH[0]} ]] || break
done
# Behind a blank, "=" or ":" at the end an empty word is typed.
if ((COMP_POINT == ${#COMP_LINE})) && [[ $COMP_LINE == *[[:blank:]:=@] &&
	-n ${COMP_WORDS[COMP_CWORD]} ]]; then
	COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
fi
compopt() { :; } # outside of a completion there is none
_coltrace "${COMP_WORDS[0]}"
printf '%s\n' "${COMPREPLY[@]}" | sort
