#!/bin/sh
# Prints C that holds the style sheet and the script of a picture.
#   embed.sh flame.css flame.js > assets.c
set -eu

# One array from the lines of a file; "]]>" would end the CDATA around it.
embed() {
	if grep -q ']]>' "$2"; then
		echo "embed.sh: '$2' holds ']]>'" >&2
		exit 1
	fi
	printf 'const char %s[] =\n' "$1"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/	"/' -e 's/$/\\n"/' "$2"
	printf '	"";\n'
}

[ $# -eq 2 ] || { echo "usage: embed.sh CSS JS" >&2; exit 2; }
echo '/* Made by embed.sh. */'
echo '#include "assets.h"'
embed fg_css "$1"
embed fg_js "$2"
