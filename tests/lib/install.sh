#!/usr/bin/env bash
# What `make install` installs is what another program needs: the example is
# built against it as a stranger would, and run.
. "$(dirname "$0")/../man/lib.sh"
: "${CC:=cc}" "${SAN:=}"
to=$work/to prefix=/opt/coltrace
libs=$to$prefix/lib64
install_to() {
	make -C "$root" --no-print-directory B="$B" DESTDIR="$to" \
		PREFIX=$prefix LIBDIR=$prefix/lib64 "$@" >make.out 2>&1
}
if ! install_to install; then
	not_ok 'it is installed' "$(cat make.out)"
	finish
fi
version=$(sed -n 's/^#define CT_VERSION "\([0-9.]*\)".*/\1/p' \
	"$to$prefix/include/coltrace.h")
same 'the library and what belongs to it are there' \
	"$(cd "$to$prefix" && find lib64 include share/magic share/mime \
		! -type d | LC_ALL=C sort)" \
	"include/coltrace.h
lib64/libcoltrace.a
lib64/libcoltrace.so
lib64/libcoltrace.so.0
lib64/libcoltrace.so.$version
lib64/pkgconfig/coltrace.pc
share/magic/coltrace
share/mime/packages/coltrace.xml"
that 'the links lead to it' test -f "$libs/libcoltrace.so"
empty 'nothing says where it was put before it is used' \
	"$(grep -l "$work" "$libs/pkgconfig/coltrace.pc")"

export PKG_CONFIG_PATH=$libs/pkgconfig PKG_CONFIG_SYSROOT_DIR=$to
pc() { pkg-config "$@" coltrace; }
same 'pkg-config knows the version' "$(pc --modversion)" "$version"
same 'and where things are' "$(env -u PKG_CONFIG_SYSROOT_DIR pkg-config \
	--cflags --libs coltrace | sed 's/ *$//')" \
	"-I$prefix/include -L$prefix/lib64 -lcoltrace"
same 'and what a static program needs further' \
	"$(pc --static --libs | grep -o -e -lzstd | head -n 1)" -lzstd
flags=(-std=c99 -D_DEFAULT_SOURCE -Wall -Wextra -Werror)
[ -z "$SAN" ] || flags+=("-fsanitize=$SAN")
# shellcheck disable=SC2046 # words are wanted
that 'the example is built against the shared library' \
	"$CC" "${flags[@]}" -o shared "$root/samples/readtrace.c" \
	$(pc --cflags --libs)
# shellcheck disable=SC2046
that 'the example is built against the archive' \
	"$CC" "${flags[@]}" -o static "$root/samples/readtrace.c" \
	$(pc --cflags) "$libs/libcoltrace.a" $(pkg-config --libs libzstd)
export LD_LIBRARY_PATH=$libs
same 'it finds the library by its name' \
	"$(ldd ./shared | awk '$1 == "libcoltrace.so.0" { print $3 }')" \
	"$libs/libcoltrace.so.0"

mkdir fix
"$B/tests/support/mkfixtures" fix
# As the rows are in tests/support/points.c: two epochs, not in order.
rows='0.000005000 cat -> dog
0.000004000 dog -> swapper/0'
for how in shared static; do
	same "$how: it prints the rows" "$(./$how fix/points.ctr 2>&1)" "$rows"
	said=$(./$how nothing.ctr 2>&1) && said="went well: $said"
	same "$how: it says what is wrong" "$said" \
		"readtrace: cannot open 'nothing.ctr': No such file or directory"
	said=$(./$how fix/basic.ctr 2>&1) && said="went well: $said"
	same "$how: it says what is missing" "$said" \
		'readtrace: the trace has no such table'
	# valgrind 3.19 gives up at the debug information of clang.
	case ${CC:-cc} in *clang*) clang=1 ;; *) clang= ;; esac
	if [ -n "$SAN$clang" ] || ! command -v valgrind >/dev/null; then
		skip "$how: valgrind is content" \
			'no valgrind, or a sanitizer or clang'
		continue
	fi
	said=$(valgrind -q --leak-check=full --show-leak-kinds=all \
		--error-exitcode=9 ./$how fix/points.ctr 2>&1)
	same "$how: valgrind is content" "$said" "$rows"
done

if [ -n "$SAN" ] || ! command -v python3 >/dev/null; then
	skip 'Python reads it by ctypes' 'no python3, or a sanitizer'
else
	same 'Python reads it by ctypes' \
		"$(python3 "$root/tests/lib/rows.py" fix/points.ctr 2>&1)" \
		"$(printf '5000 cat dog\n4000 dog swapper/0')"
fi

install_to uninstall
empty 'all of it is removed again' \
	"$(cd "$to$prefix" && find . ! -type d | sort)"
finish
