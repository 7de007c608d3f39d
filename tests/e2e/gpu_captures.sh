#!/usr/bin/env bash
# Captures of a real DRM driver with planted causes: what analyze says of them is
# the ground truth that the load wrote down on the same clock.
# Beside others: it reads files.
. "$(dirname "$0")/lib.sh"
need_tool python3
SHARED=${SHARED:-$root/../shared}
data=$SHARED/data/gpu
[ -d "$data" ] || skip_all "no captures in '$data'"

# said COMMAND CAPTURE OPTIONS...: imports once, analyses into said.json.
said() {
	local command=$1 capture=$2 ctr
	shift 2
	ctr=$(echo "$capture" | tr / _).ctr
	[ -f "$ctr" ] || "$rec" import -q "$data/$capture" -o "$ctr" || return
	"$analyze" "$command" --json "$@" "$ctr" >said.json
}
# is NAME CHECK TRUTH...: as gpu_truth.py has it.
is() {
	local name=$1 check=$2 truth=$3
	shift 3
	if python3 "$here/gpu_truth.py" "$check" "$truth" said.json "$@" \
		>truth.txt 2>&1; then
		ok "$name: $(cat truth.txt)"
	else
		not_ok "$name" "$(tail -n 5 truth.txt)"
	fi
}
# compare NAME COMMAND CAPTURE CHECK TRUTH: a command of two words has an option.
compare() {
	local name=$1 command=$2 capture=$3 check=$4 truth=$5
	shift 5
	# shellcheck disable=SC2086
	if said ${command%% *} "$capture" ${command#"${command%% *}"} \
		2>said.err; then
		is "$name" "$check" "$truth" "$@"
	else
		not_ok "$name" "$(cat said.err)"
	fi
}

for k in stable new; do
	for c in perf.data:perf.gt trace.dat:trace.gt; do
		compare "late frames of $k/flip.${c%%:*}" stalls \
			"$k/flip.${c%%:*}" late "$data/$k/flip.${c##*:}"
	done
done
for c in stable/causes new/flip; do
	compare "rate of $c" frames "$c.perf.data" rate "$data/$c.perf.gt"
done
compare 'late frames of two cards' stalls new/two.perf.data heads \
	"$data/new/two.bochs.gt,$data/new/two.virtio.gt"
compare 'causes of late frames' stalls stable/causes.perf.data causes \
	"$data/stable/causes.perf.gt"
compare 'gaps of a ring and their causes' gaps stable/gaps.perf.data gaps \
	"$data/stable/gaps.perf.gt"
compare 'time that rings were busy' gaps stable/jobs.perf.data busy \
	"$data/stable/jobs.perf.gt"
compare 'the same of deep queues' gaps stable/gaps.perf.data busy \
	"$data/stable/gaps.perf.gt"

# The one that was asked for is the last in its time.
for n in 1 7 13; do
	said stalls stable/causes.perf.data
	want=$(json said.json "d['late_frames'][$n - 1]['seq']")
	said stalls stable/causes.perf.data --around late:$n,0
	same "around late frame $n" \
		"$(json said.json "d['late_frames'][-1]['seq']")" "$want"
done
exits 'there is no late frame 14' 2 "$analyze" report --around late:14 \
	stable_causes.perf.data.ctr

# A frame whose record is damaged was shown all the same: the one behind it seems to
# be late, and nobody is to be sure of that. Of the others all is as sure as it was,
# but for those right beside it.
truth=$data/stable/causes.perf.gt
damage() { python3 "$here/gpu_damage.py" "$@"; }
said stalls stable/causes.perf.data
read -r wrong sure late <<<"$(damage judge "$truth" said.json)"
same 'no frame of the whole one is wrong' "$wrong" 0
that 'and most are sure' [ "$sure" -gt $((late * 3 / 4)) ]
for how in id type size; do
	for n in 18 30 45 78; do
		damage "$data/stable/causes.perf.data" hurt.data $n $how
		"$rec" import -q -o hurt.ctr hurt.data 2>/dev/null
		"$analyze" stalls --json hurt.ctr >hurt.json 2>/dev/null
		name="frame $n with a wrong $how of its record"
		if counts=$(damage judge "$truth" hurt.json); then
			ok "$name: nothing wrong is above low"
		else
			not_ok "$name" "$counts"
		fi
		read -r n_wrong n_sure _ <<<"$counts"
		same 'one frame seems to be late that was not' "$n_wrong" 1
		that 'and the others are as sure' [ "$n_sure" -ge $((sure - 2)) ]
	done
done

if command -v perf >/dev/null; then
	for c in stable/stall new/stall stable/causes stable/gaps stable/jobs; do
		perf script -f -i "$data/$c.perf.data" -F comm,tid,cpu,time,event \
			--ns >script.txt 2>/dev/null
		compare "waits of $c" "fences --each" "$c.perf.data" waits \
			"$data/$c.perf.gt" script.txt
	done
else
	skip 'waits are those of the kernel' 'no perf here'
fi
finish
