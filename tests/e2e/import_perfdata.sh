#!/usr/bin/env bash
# Files of perf that others recorded: what is imported must be what is published
# about them, in sum and record by record.
# Beside others: it reads files.
. "$(dirname "$0")/lib.sh"
data=${SHARED:-$root/../shared}/data/public/perfdata
[ -d "$data" ] || skip_all "no published files in '$data'"
need_tool python3
need_tool xz
[ -x "$support/importshow" ] || skip_all "no importshow in '$B'"

# Qt's container: four bytes of size, then a stream of zlib.
plain() { # FILE.zlib
	python3 -c 'import sys, zlib
sys.stdout.buffer.write(zlib.decompress(open(sys.argv[1], "rb").read()[4:]))' \
		"$1"
}

# file_of NAME: the file itself, in $file.
file_of() {
	file=$data/${1#perfdata/}
	case $1 in
	*.zlib) plain "$file" >plain.data && file=plain.data ;;
	esac
}

# -- In sum, through rec and analyze -------------------------------------------

facts() { # NAME
	file_of "$1"
	rm -f t.ctr
	"$rec" import -q -o t.ctr "$file" >rec.txt 2>&1 || {
		not_ok "$1 is imported" "$(cat rec.txt)"
		return
	}
	"$analyze" dump -q --json t.ctr >dump.json 2>dump.err
	if python3 "$here/perfdatafacts.py" "$data/facts.tsv" "$1" dump.json \
		>facts.txt 2>&1; then
		ok "$1 has the published sums: $(cat facts.txt)"
	else
		not_ok "$1 has the published sums" "$(cat rec.txt facts.txt)"
	fi
}

# The copies with a shortened attribute are of nobody but the one who measured.
for name in $(cut -f 1 "$data/facts.tsv" | grep ^perfdata/); do
	file_of "$name"
	[ -e "$file" ] || { skip "$name" 'not there'; continue; }
	case $name in *zero_size*) continue ;; esac
	facts "$name"
done

# -- Record by record ----------------------------------------------------------

# by_record KIND FILE ANSWER
by_record() {
	"$support/importshow" "$2" >shown.txt 2>shown.err
	if [ $? -ge 2 ]; then
		not_ok "$(basename "$2") is read" "$(cat shown.err)"
	elif python3 "$here/perfdatacmp.py" "$1" shown.txt "$3" >cmp.txt 2>&1
	then
		ok "$(basename "$2"), $1: $(tail -n 1 cmp.txt)"
	else
		not_ok "$(basename "$2"), $1" "$(cat shown.err cmp.txt)"
	fi
}

for answer in "$data"/quipper/*.pb_text.xz; do
	file=${answer%.pb_text.xz}
	xz -dc "$answer" >answer.txt
	by_record pb "${file%.pr.out}" answer.txt
done
for answer in "$data"/quipper/*.buildids; do
	by_record build-ids "${answer%.buildids}" "$answer"
done
for answer in "$data"/kdab/*.expected.txt.zlib; do
	plain "$answer" >answer.txt
	file=$(basename "${answer%.expected.txt.zlib}")
	plain "$data/kdab/$file.zlib" >"$file"
	by_record chains "$file" answer.txt
done

# -- What is broken ------------------------------------------------------------

# In half a gigabyte of address space nothing huge can be allocated.
limited() { (ulimit -v $((512 * 1024)) && timeout 20 "$@"); }

for file in "$data"/malformed/*; do
	name=$(basename "$file")
	rm -f t.ctr
	limited "$rec" import -q -o t.ctr "$file" >rec.txt 2>&1
	rc=$?
	if [ $rc -eq 0 ] && grep -q warning rec.txt && [ -e t.ctr ]; then
		ok "${name:0:16}: a part is kept, with a warning"
	elif [ $rc -eq 6 ] && grep -q error rec.txt && [ ! -e t.ctr ]; then
		ok "${name:0:16}: refused"
	else
		not_ok "${name:0:16}: fails cleanly" "exit $rc: $(cat rec.txt)"
	fi
done

run "$rec" import -q -o t.ctr "$data/simpleperf/invalid_perf.data"
same 'what begins with zeros is not taken for one' \
	"$([ "$rc" -ne 0 ] && echo refused)" refused
says 'and its first bytes are told' 'begins with 00 00'

file=$data/quipper/perf.data.piped.corrupted.zero_size_sample-3.2
rm -f t.ctr
exits 'a record of no size ends the import, what came before is kept' 0 \
	"$rec" import -q -o t.ctr "$file"
says 'and the place is told' 'broken record at offset 49104, with a size of 0 bytes'
finish
