#!/bin/sh
# Who may include whom:
#   format      nobody, and only zblock.c the compressor's header
#   format/base nobody, not even format
#   lib         format; only the sample and tests include lib
#   record      format; libdw and libelf in record/symbol and record/stack only
#   analyze     format and flamegraph/fg.h
#   flamegraph  nobody
# Prints each include that breaks this.
cd "$(dirname "$0")/../.." || exit 1

# includes FOLDER: "file:line:path" of each include, "path" as from the root:
# a name without a folder is a neighbour.
includes() {
	sh tests/lint/sources.sh "$1" |
		xargs -r grep -nE '^[ 	]*#[ 	]*include' /dev/null |
		sed -nE 's/^([^:]*):([0-9]+):[^"<]*(["<][^">]*).*/\1 \2 \3/p' |
		awk '{
			path = substr($3, 2)
			if ($3 ~ /^"/ && path !~ /\//) {
				dir = $1
				sub(/\/[^\/]*$/, "", dir)
				path = dir "/" path
			} else if ($3 ~ /^"\.\.?\//)
				path = "relative/" path
			print $1 ":" $2 ":" path
		}'
}

# deny FOLDER WHY PATTERN [EXCEPT]: PATTERN over "file:line:path".
deny() {
	includes "$1" | grep -E "$3" | grep -vE "${4:-^$}" |
		sed -E "s|^([^:]*:[0-9]+):(.*)|\1: includes '\2': $2|"
}

found=$(
	deny format 'format knows nobody' \
		':(lib|record|analyze|flamegraph|tests|samples|relative)/'
	deny lib 'lib uses format only' \
		':(record|analyze|flamegraph|tests|samples|relative)/'
	deny format/base 'base knows nobody' ':format/' ':format/base/'
	deny format 'only zblock.c compresses' ':zstd' '^format/zblock\.c:'
	deny flamegraph 'flamegraph stands alone' \
		':(format|lib|record|analyze|tests|samples|relative)/'
	deny record 'record uses format only' \
		':(lib|analyze|flamegraph|tests|samples|relative)/'
	deny record 'ELF belongs to symbol and stack' \
		':(elfutils/|gelf|libelf|dwarf)' \
		'^record/(symbol|stack)/'
	deny analyze 'analyze uses format and flamegraph/fg.h' \
		':(lib|record|tests|samples|relative)/'
	deny analyze 'only fg.h is for others' ':flamegraph/' \
		':flamegraph/fg\.h$'
	deny analyze 'analyze opens no ELF file' \
		':(elfutils/|gelf|libelf|dwarf)'
)
[ -z "$found" ] || printf '%s\n' "$found"
[ -z "$found" ]
