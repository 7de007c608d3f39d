#!/bin/sh
# No mutable globals or function statics: no symbol of the product's objects
# lies in .data or .bss. Read-only data, also where it holds addresses
# (.data.rel.ro), is fine.
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
[ -z "$found" ] || printf '%s\n' "$found"
[ -z "$found" ]
