#!/bin/sh
# Prints C that holds the style sheets and scripts beside it.
#   embed.sh > assets.c
set -eu
cd "$(dirname "$0")"

# embed NAME FILE...: one array from the lines of the files. What would end the
# element, or the CDATA, around it is refused.
embed() {
	name=$1
	shift
	if grep -iqE ']]>|</(script|style)|<!--' "$@"; then
		echo "embed.sh: '$*' would end what it stands in" >&2
		exit 1
	fi
	printf 'const char %s[] =\n' "$name"
	# "\?", as two of them may begin a trigraph.
	cat "$@" | sed -e 's/\\/\\\\/g' -e 's/["?]/\\&/g' -e 's/^/	"/' \
		-e 's/$/\\n"/'
	printf '	"";\n'
}

echo '/* Made by embed.sh. */'
echo '#include "analyze/timeline/assets.h"'
embed an_page_css page.css
# In this order: each uses those before it.
embed an_page_js data.js units.js view.js draw.js find.js address.js input.js \
	page.js
embed an_picture_css picture.css
embed an_picture_js units.js picture.js
