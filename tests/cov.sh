#!/bin/sh
# Line coverage of the product after the tests ran in a build of `make cov`.
cd "$(dirname "$0")/.." || exit 1
: "${B:=build/cov}"
command -v gcov >/dev/null || { echo 'cov: no gcov here'; exit 77; }
find "$B"/obj/format "$B"/obj/record "$B"/obj/analyze "$B"/obj/flamegraph \
	-name '*.gcda' | while read -r f; do
	gcov -n -o "$f" "$f" 2>/dev/null
done | awk '
	/^File / { f = $2; gsub(/\047/, "", f) }
	/^Lines executed:/ {
		split($0, a, /[:% ]+/)
		if (f ~ /^(format|record|analyze|flamegraph)\/.*\.c$/) {
			n[f] = $NF
			sub(/.*of /, "", n[f])
			hit[f] = a[3] * n[f] / 100
		}
		f = ""
	}
	END {
		for (f in n) {
			printf "%6.2f%% of %5d  %s\n", 100 * hit[f] / n[f], n[f], f
			h += hit[f]; all += n[f]
		}
		if (all)
			printf "%6.2f%% of %5d  all\n", 100 * h / all, all
	}' | LC_ALL=C sort -k4
