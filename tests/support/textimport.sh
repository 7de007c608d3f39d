# shellcheck shell=bash disable=SC2154
# Sourced by the tests that import text. What is public lies in $data.
data=${SHARED:-$root/../shared}/data/public

imported() { # FILE: into t.ctr
	rm -f t.ctr
	"$rec" import -q -o t.ctr "$1" >import.out 2>import.err
}
check_rows() { # KIND FILE [nameless]: without the names of threads
	local name=${2#"$data"/}
	if ! imported "$2"; then
		not_ok "$name" "$(cat import.err)"
		return
	fi
	python3 "$here/textwant.py" "$@" >want.txt
	"$analyze" dump --json t.ctr 2>dump.err |
		python3 "$here/textrows.py" "$1" ${3+"$3"} >got.txt
	if [ -s want.txt ] && cmp -s want.txt got.txt; then
		ok "$name: $(wc -l <got.txt) rows, as a second reading has them"
	else
		not_ok "$name" "$(diff want.txt got.txt | head -n 6 | cut -c1-300)"
	fi
}
