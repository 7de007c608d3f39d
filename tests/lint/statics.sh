#!/bin/sh
# No mutable globals or function statics: no symbol of the product's objects
# lies in .data or .bss. Read-only data, also where it holds addresses
# (.data.rel.ro), is fine. And no name is defined twice: of two in archives the
# linker takes either without a word.
cd "$(dirname "$0")/../.." || exit 1
: "${B:=build}"

# A row per exception: object symbol reason.
allowed() {
	cat <<-'END'
	END
}

objects=$(find "$B"/obj/format "$B"/obj/lib "$B"/obj/record "$B"/obj/analyze \
	"$B"/obj/flamegraph -name '*.o' 2>/dev/null)
if [ -z "$objects" ]; then
	echo "nothing is built in '$B'"
	exit 77
fi
if strings -a "$B/flags.stamp" | grep -qE 'fsanitize|--coverage'; then
	echo "'$B' is built with tools that add their own data"
	exit 77
fi
# Sections decide, not nm's letters: it calls .data.rel.ro "d" too.
found=$(for o in $objects; do
	objdump -t "$o" | awk -v o="${o#"$B"/obj/}" '
		NF > 3 && $(NF - 2) ~ /^\.(data|bss|tdata|tbss)/ &&
		$(NF - 2) !~ /^\.data\.rel\.ro/ && $(NF - 1) !~ /^0+$/ {
			print o, $NF
		}'
done | while read -r o s; do
	allowed | grep -q "^$o $s " || echo "$o: mutable static '$s'"
done)
twice=$(nm -g --defined-only "$B/libtf.a" "$B/libct.a" "$B/librec.a" \
	"$B/liban.a" "$B/libfg.a" |
	awk 'NF == 3 && $2 ~ /^[TDBR]$/ { print $3 }' | sort | uniq -d |
	sed 's/$/: defined in several objects/')
found=$(printf '%s\n%s\n' "$found" "$twice" | sed '/^$/d')
[ -z "$found" ] || printf '%s\n' "$found"
[ -z "$found" ]
