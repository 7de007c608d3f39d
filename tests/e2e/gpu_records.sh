#!/usr/bin/env bash
# Events of drivers that no machine here has, as their formats of two kernels lay
# them out: fields, and chains of jobs and fences.
# Beside others: it reads files.
. "$(dirname "$0")/lib.sh"
need_tool python3
SHARED=${SHARED:-$root/../shared}
formats=$SHARED/data/gpu/formats
[ -d "$formats" ] || skip_all "no formats in '$formats'"
export PYTHONDONTWRITEBYTECODE=1

# as_theirs NAME FILE ROWS: the text that libtraceevent makes of each row.
as_theirs() {
	local name=$1 file=$2 rows=$3
	if ! command -v perf >/dev/null; then
		skip "$name" 'no perf here'
		return
	fi
	perf script -f -i "$file.perf.data" -F event,trace 2>/dev/null |
		sed 's/^ *//; s/ *$//' >theirs.txt
	"$analyze" dump -F event,trace "$file.ctr" 2>/dev/null |
		sed 's/^ *//; s/ *$//' >ours.txt
	that "$name" diff theirs.txt ours.txt
	same "$name: all rows" "$(wc -l <ours.txt)" "$rows"
}
# packed HOW FILE KERNEL [KIND]: packs records and imports them.
packed() {
	local file=$2.${4:-perf.data}
	# shellcheck disable=SC2086
	python3 "$here/gpu_records.py" $1 "$formats/$3" "$file" \
		2>records.err &&
		"$rec" import -q "$file" -o "$2.ctr" 2>>records.err &&
		return
	not_ok "records of $3" "$(tail -n 3 records.err)"
	return 1
}
# fields_are FILE KERNEL OF: each field as it was packed.
fields_are() {
	"$analyze" dump -q --json "$1.ctr" >each.json
	that "each field of each event of $2 is what was packed$3" \
		python3 "$here/gpu_records.py" fields "$2" each.json
}
# chains_are FILE KERNEL OF
chains_are() {
	"$analyze" gaps --json --min 1ns "$1.ctr" >gaps.json
	"$analyze" fences --json --each "$1.ctr" >fences.json
	"$analyze" frames --json "$1.ctr" >frames.json
	that "jobs, gaps, waits and frames of $2 are those of the arithmetic$3" \
		python3 "$here/gpu_records.py" check "$2" .
}

for k in 6.1.192 7.3.4; do
	packed each "each-$k" "$k" || continue
	fields_are "each-$k" "$k" ''
	packed readable "readable-$k" "$k" || continue
	"$analyze" dump -q --json "readable-$k.ctr" >readable.json
	as_theirs "events of $k print as libtraceevent prints them" \
		"readable-$k" "$(wc -l <readable.json)"

	packed '' "$k" "$k" || continue
	as_theirs "chains of $k print as libtraceevent prints them" "$k" \
		"$(python3 "$here/gpu_records.py" count "$k")"
	chains_are "$k" "$k" ''

	packed each "each-dat-$k" "$k" dat || continue
	fields_are "each-dat-$k" "$k" ' (trace.dat)'
	packed '' "dat-$k" "$k" dat || continue
	chains_are "dat-$k" "$k" ' (trace.dat)'
	same "the clock of the trace.dat of $k is the monotonic one" \
		"$("$analyze" info "dat-$k.ctr" 2>/dev/null |
			sed -n 's/^clock *//p' | cut -d, -f1)" monotonic
done

packed stutter stutter 7.3.4 || finish
"$analyze" stalls --json stutter.ctr >stalls.json
that 'of 600 waits those seven that cross a vblank are told' \
	python3 "$here/gpu_records.py" crossings stalls.json
finish
