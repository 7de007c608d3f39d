#!/usr/bin/env bash
# Man pages: made of the help and of prose, without a word that is wrong in
# form, with each option of the help and no other.
. "$(dirname "$0")/lib.sh"

mkdir pages
if sh "$root/man/pages.sh" "$B" pages 2>err.txt; then
	ok 'all pages are made'
else
	not_ok 'all pages are made' "$(cat err.txt)"
fi
empty 'and nothing is said' "$(cat err.txt)"

# Page by page.
programs='rec analyze flamegraph'
declare -A help # by page
for p in $programs; do
	[ -x "$B/$p" ] || continue
	help[$p]="$p --help"
	for c in $("$B/$p" --help | awk '/^Instead of rec|^[Cc]ommands/ { on = 1;
			next } !/^  / { on = 0 } on && /^  [a-z]/ { print $1 }'); do
		help[$p-$c]="$p $c --help"
	done
done
same 'a page for each program and command' \
	"$(cd pages && printf '%s\n' *.1 | sort | tr '\n' ' ')" \
	"$(printf '%s.1\n' "${!help[@]}" | sort | tr '\n' ' ')"

# options: the left side of each option, one a line, out of a text whose
# options are indented. The page is read as it is shown.
options() {
	sed -nE 's/^ +(-[A-Za-z](, --[a-z0-9-]+)?|--[a-z0-9-]+)([ []+.*)?$/\1/p' |
		sort
}
shown() {
	MANWIDTH=200 MANPAGER=cat PAGER=cat man -P cat -l "$1" 2>/dev/null |
		col -bx
}
if ! command -v man >/dev/null; then
	skip 'pages as they are shown' 'no man here'
else
	for page in "${!help[@]}"; do
		# Only what is at the depth of an option's head.
		head=$(shown "pages/$page.1" |
			sed -n '/^OPTIONS/,/^[A-Z]/p' |
			grep -E '^       -' | options)
		want=$("$B/"${help[$page]} | grep -E '^(  |      )-' |
			sed 's/^ */ /' | options)
		same "$page: the options of the help and no other" \
			"$head" "$want"
		# Blanks are those of a justified text.
		words=$(shown "pages/$page.1" | tr -s ' \n' '  ')
		lost=$("$B/"${help[$page]} | sed -nE \
			'/^usage: /,/^$/s/^(usage: |       )//p' |
			tr -s ' ' | sed 's/…/.../g' |
			while read -r l; do
				[[ $words == *"$l"* ]] || echo "$l"
			done)
		empty "$page: the usage of the help" "$lost"
	done
	for page in pages/*; do
		said=$(MANROFFOPT='' man --warnings=w -l "$page" 2>&1 \
			>/dev/null)
		empty "${page#pages/}: groff has no warning" "$said"
	done
fi
if ! command -v mandoc >/dev/null; then
	skip 'pages are clean for mandoc' 'no mandoc here'
else
	empty 'pages are clean for mandoc' "$(mandoc -T lint pages/*)"
fi

# What the texts say.
for page in "${!help[@]}"; do
	if [ ! -f "$root/man/$page.txt" ]; then
		skip "$page: prose" 'none is written'
		continue
	fi
	lacks=
	for s in DESCRIPTION 'FOR USERS OF PERF' EXAMPLES 'EXIT STATUS' \
		'SEE ALSO'; do
		case $page:$s in
		# It draws what others recorded.
		flamegraph:FOR*) continue ;;
		esac
		grep -qx ".SH $s" "pages/$page.1" || lacks+="$s "
	done
	empty "$page: has its sections" "$lacks"
done
for common in "$root"/man/*-common.txt; do
	p=${common##*/} p=${p%-common.txt}
	lost=$(sed -n 's/^## //p' "$common" | while read -r o; do
		for page in "${!help[@]}"; do
			[[ $page == "$p"-* ]] || continue
			"$B/"${help[$page]} | grep -qE -e "(^| )$o( |\$)" &&
				continue 2
		done
		echo "$o"
	done)
	empty "${common##*/}: each option is one of a command" "$lost"
done
# What is said to be refused is, and what is said to be accepted is not.
for word in $(sed -n '/^= Refused/,/^$/p' "$root/man/rec.txt" |
	grep -oE -e '-[-a-zA-Z]+'); do
	said=$("$B/rec" "$word" x -- true 2>&1 </dev/null) && said=nothing
	[[ $said == *"option '"* && $said != *unknown* ]] ||
		not_ok "rec $word is refused with a reason" "$said"
done
for word in $(sed -n '/^= Accepted/,/^$/p' "$root/man/rec.txt" |
	sed '/^= Refused/,$d' | grep -oE -e '-[-a-zA-Z]+'); do
	said=$("$B/rec" "$word" --help 2>&1 >/dev/null) ||
		not_ok "rec $word is accepted" "$said"
done
ok 'what rec is said to refuse and to accept'
lost=$(grep -hoE '(rec|analyze|flamegraph)(-[a-z]+)?\(1\)|coltrace\(5\)' \
	"$root"/man/*.txt | sort -u | sed 's/(\(.\))/.\1/' | while read -r r; do
	[ -f "pages/$r" ] || echo "$r"
done)
empty 'each page that is referred to exists' "$lost"

# Command lines are tried with --help put into them: they are parsed, and then
# nothing is done.
mkdir dry
for p in $programs; do
	cat >"dry/$p" <<-END
		#!/bin/sh
		case \$1 in
		help) exec "$B/$p" "\$@" ;;
		$(printf '%s\n' "${!help[@]}" | sed -n "s/^$p-//p" | tr '\n' '|')-)
			word=\$1
			shift
			exec "$B/$p" "\$word" --help "\$@" ;;
		esac
		exec "$B/$p" --help "\$@"
	END
done
printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >dry/ssh
printf '#!/bin/sh\nexec "$@"\n' >dry/sudo
printf '#!/bin/sh\nexit 0\n' >dry/perf # its output is not looked at
chmod +x dry/*
for text in "$root"/man/*.txt; do
	name=${text##*/}
	n=0 bad=
	while IFS= read -r line; do
		n=$((n + 1))
		said=$(PATH=$work/dry:$PATH HOST=there PID=1 TID=1 \
			bash -c "$line" 2>&1 >/dev/null </dev/null) || :
		[ -z "$said" ] || bad+="$line: $said"$'\n'
	done < <(sh "$root/tests/support/examples.sh" "$text")
	empty "$name: the $n command lines are parsed" "$bad"
done

# The maker itself.
mkdir other texts
cp "$root"/man/* texts/
printf '\n# OPTIONS\n\n## --no-such-option\nWords.\n' >>texts/rec-list.txt
said=$(sh texts/pages.sh "$B" other 2>&1) && said="went well: $said"
same 'prose of an option that there is not is refused by name' "$said" \
	"man/page.awk: rec-list: no option '--no-such-option' in the help"
rm texts/*.txt
said=$(sh texts/pages.sh "$B" other 2>&1) || said="failed: $said"
empty 'without any prose the pages are those of the help' "$said"
sh "$root/man/pages.sh" "$B" other ct-
that 'a prefix is one of the page' test -f other/ct-rec-list.1
that 'of its name' grep -q '^ct\\-rec\\-list \\-' other/ct-rec-list.1
that 'of what is typed' grep -q '^\\fBct\\-rec\\fR \\fBlist' other/ct-rec-list.1
finish
