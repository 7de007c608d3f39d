#!/usr/bin/env bash
# What programs that were built against an earlier libcoltrace rely on: its names
# and their versions, sizes of structs, and a header that any compiler takes.
. "$(dirname "$0")/../man/lib.sh"
lib=$B/libcoltrace.so header=$root/lib/coltrace.h
: "${CC:=cc}" "${CXX:=g++}" "${SAN:=}"

nm -D --defined-only --with-symbol-versions "$lib" |
	awk '$2 ~ /[A-Z]/ && $3 !~ /^COLTRACE_/ { print $3 }' |
	sed 's/@@/ /; s/@/ /' | LC_ALL=C sort >seen
# A sanitizer exports names of its own.
[ -z "$SAN" ] || grep -vE '^(_|asan|ubsan)' seen >seen.own
[ -z "$SAN" ] || mv seen.own seen
if diff -u "$root/tests/lib/symbols" seen >differs; then
	ok 'the exported names are those of the list'
else
	not_ok 'the exported names are those of the list' "$(cat differs)"
fi
declared=$(sed -n 's/^[a-z].*[ *]\(ct_[a-z0-9_]*\)(.*/\1/p' "$header" |
	LC_ALL=C sort)
same 'each function of the header is exported and no other' \
	"$declared" "$(cut -d' ' -f1 seen)"
same 'the archive shows the same names' \
	"$(nm -g --defined-only "$B/libcoltrace.a" | awk 'NF == 3 { print $3 }' |
		grep -E '^(ct_|tf_|err_|buf_|span_|arena_)' | LC_ALL=C sort)" \
	"$declared"
same 'the shared object has its name' \
	"$(objdump -p "$lib" | awk '$1 == "SONAME" { print $2 }')" \
	libcoltrace.so.0
[ -n "$SAN" ] || same 'it needs libzstd and what belongs to libc only' \
	"$(objdump -p "$lib" | awk '$1 == "NEEDED" { print $2 }' |
		grep -v '^libm\.' | sort | tr '\n' ' ')" 'libc.so.6 libzstd.so.1 '

# compiles NAME COMMAND...: the header alone, and twice.
compiles() {
	local name=$1
	shift
	if ! command -v "$1" >/dev/null; then
		skip "the header is $name" "no $1 here"
		return
	fi
	printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' \
		"$header" "$header" >"in.$src"
	that "the header is $name" "$@" -Wall -Wextra -Wshadow -Werror \
		-pedantic-errors -fsyntax-only "in.$src"
}
src=c
compiles C99 "$CC" -std=c99 -Wstrict-prototypes
compiles C17 "$CC" -std=c17
compiles 'C99 for clang' clang -std=c99
src=cc
compiles C++11 "$CXX" -std=c++11
compiles C++20 "$CXX" -std=c++20
compiles 'C++11 for clang' clang++ -std=c++11

# Structs that callers make: their size is for ever.
cat >sizes.c <<-'END'
	#include <coltrace.h>
	#include <stdio.h>

	int main(void)
	{
		printf("%zu %zu %zu %zu\n", sizeof(void *),
		       sizeof(struct ct_error), sizeof(struct ct_io),
		       sizeof(struct ct_verify_result));
		return 0;
	}
END
"$CC" -I"$root/lib" -o sizes sizes.c
sizes=$(./sizes)
case $sizes in
8\ *) same 'structs that callers make keep their size' "$sizes" '8 1004 40 40' ;;
*) skip 'structs that callers make keep their size' "pointers of ${sizes%% *} bytes" ;;
esac
finish
