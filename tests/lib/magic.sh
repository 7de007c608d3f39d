#!/usr/bin/env bash
# file(1) and desktops know a trace by its first bytes.
. "$(dirname "$0")/../man/lib.sh"
trace=$root/tests/golden/format/clean.ctr
magic=$root/share/magic/coltrace
xml=$root/share/mime/packages/coltrace.xml
head -c 64 "$trace" >front
# Version 3.258 by its bytes, whatever else.
{ head -c 8 "$trace" && printf '\003\000\002\001' && tail -c 52 front; } >newer
{ printf '\211CTR\n\n\032\n' && tail -c 56 front; } >text_mode

if ! command -v file >/dev/null; then
	skip 'file(1) knows a trace' 'no file here'
else
	says() { file -b -m "$magic" "$@"; }
	same 'file(1) knows a trace' "$(says "$trace")" \
		'coltrace trace, version 1.0'
	same 'and its beginning' "$(says front)" 'coltrace trace, version 1.0'
	same 'and its version' "$(says newer)" 'coltrace trace, version 3.258'
	same 'and its MIME type' "$(says --mime-type "$trace")" \
		application/x-coltrace
	same 'and its extension' "$(says --extension "$trace")" ctr
	that 'what a transfer as text made of it is none' \
		test "$(says text_mode)" = data
	empty 'the entry has no mistake' "$(file -c -m "$magic" 2>&1 >/dev/null |
		grep -iE 'warning|error' | grep -v 'regular magic file')"
fi
if ! command -v xmllint >/dev/null; then
	skip 'the MIME type is XML' 'no xmllint here'
else
	that 'the MIME type is XML' xmllint --noout "$xml"
fi
if ! command -v update-mime-database >/dev/null; then
	skip 'desktops know a trace' 'no update-mime-database here'
else
	mkdir -p mime/packages
	cp "$xml" mime/packages
	said=$(update-mime-database mime 2>&1) ||
		not_ok 'the MIME database takes it' "$said"
	same 'desktops know a trace by its name' \
		"$(grep -v '^#' mime/globs2)" '50:application/x-coltrace:*.ctr'
	head -c 8 "$trace" >first
	that 'and by its first bytes' \
		grep -qUF "$(sed -n 1p first | tr -d '\r\n')" mime/magic
fi
finish
