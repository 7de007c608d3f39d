#!/usr/bin/env bash
# analyze folded --compat stackcollapse-perf: the answers that the script gave for
# public files, the rules of spec/folded.md on text that perf prints now, and the
# same from perf's own file.
. "$(dirname "$0")/lib.sh"
need_tool python3
public=${SHARED:-$root/../shared}/data/public/perfscript

compat() { "$analyze" folded -q --compat stackcollapse-perf "$@"; }
total() { awk '{ n += $NF } END { printf "%.0f", n }' "$1"; }
# The option that stands for one of the script's.
option() {
	case $1 in pid | tid) echo "--with-$1" ;; *) echo "--$1" ;; esac
}

# The script forgets a last sample that no blank line ends: it is cut off.
ended() {
	if [ -z "$(tail -n 1 "$1")" ]; then
		cat "$1"
	else
		tac "$1" | sed '1,/^$/d' | tac
	fi
}
# answer NAME TRACE OPTION FILE
answer() {
	if compat "$3" "$2" >got.txt 2>err.txt && cmp -s got.txt "$4"; then
		ok "$1"
	else
		not_ok "$1" "$(diff got.txt "$4" | head -n 4 | cut -c 1-200)
$(cat err.txt)"
	fi
}
flamegraph_file() {
	local name=$1 kind want
	ended "$public/flamegraph/$name.txt" >in.txt
	exits "$name is imported" 0 "$rec" import -q -o t.ctr in.txt || return
	for kind in kernel jit all addrs pid tid; do
		want=$public/flamegraph/results/$name-collapsed-$kind.txt
		case $name-$kind in
		*java*-[pt]id) # an older script's, which left classes their L
			sed 's/;Ljava\//;java\//g' "$want" >want.txt
			want=want.txt ;;
		esac
		answer "$name --$kind" t.ctr "$(option $kind)" "$want"
	done
}
# cut_file NAME COUNT: without a blank line at the end there is one sample more.
cut_file() {
	local want=$public/flamegraph/results/$1-collapsed-all.txt
	"$rec" import -q -o t.ctr "$public/flamegraph/$1.txt" && compat t.ctr >got.txt
	same "$1: the last sample counts, too" "$(total got.txt)" \
		"$(($(total "$want") + $2))"
}
inferno_file() {
	exits "$1 is imported" 0 "$rec" import -q -o t.ctr \
		"$public/inferno/$1.txt" &&
		answer "$1 --kernel" t.ctr --kernel \
			"$public/inferno/results/$2.txt"
}

if [ -d "$public" ]; then
	for f in "$public"/flamegraph/*.txt; do
		f=${f##*/}
		flamegraph_file "${f%.txt}"
	done
	cut_file perf-dd-stacks-01 10101010
	cut_file perf-mirageos-stacks-01 1
	inferno_file single-line-stacks single-line-stacks-collapsed
	inferno_file versioned-vmlinux versioned-vmlinux-collapsed-kernel
	exits 'of several events the first is shown' 0 "$rec" import -q \
		-o t.ctr "$public/flamegraph/perf-cycles-instructions-01.txt"
	run "$analyze" folded -q --compat stackcollapse-perf t.ctr
	says '... and the others are told' "'instructions' is shown.* 111 samples"
	compat -e cycles t.ctr >got.txt
	same '... or are asked for' "$(total got.txt)" 111
else
	skip 'public answers' "no '$public'"
fi

# -- What perf prints now ----------------------------------------------------

cat >model.py <<'END'
# The rules of spec/folded.md over perf script text, by regular expressions.
import re, sys
from collections import defaultdict

opts = set(sys.argv[2:])
kernel, jit = opts & {"--kernel", "--all"}, opts & {"--jit", "--all"}
header = re.compile(r"^(\S.*?) +(-?\d+) +(?:\[\d+\] +)?[\d.]+: +"
                    r"(?:(\d+) +)?(\S+): *$")
frame = re.compile(r"^\s*([0-9a-f]+) (.+) \(([^()]*(?: \(deleted\))?)\)$")

def tidy(name, java):
    name = name.replace(";", ":")
    if not re.search(r"\.\(.*\)\.", name):
        name = re.sub(r"\((?!anonymous namespace\)).*", "", name)
    name = re.sub("[\"']", "", name)
    return name[1:] if java and name[0] == "L" and "/" in name else name

def nameless(pc, dso):
    image = re.sub(r" \(deleted\)$", "", dso.split("/")[-1])
    image = "unknown" if dso == "[unknown]" else image
    return "[%s <%s>]" % (image, pc) if "--addrs" in opts else "[%s]" % image

def names(line, java):
    pc, symbol, dso = frame.match(line).groups()
    symbol = re.sub(r"\+0x[0-9a-f]+$", "", symbol)
    if symbol.startswith("("):
        return
    for i, name in enumerate(re.sub("(->)+$", "", symbol).split("->")):
        if name == "[unknown]":
            name = nameless(pc, dso)
        name = tidy(name, java)
        if i:
            name += "_[i]"
        elif kernel and "unknown" not in dso and re.search(
                r"^\[|vmlinux$|/vmlinux-[^/]*$|\.ko$", dso):
            name += "_[k]"
        elif jit and re.search(r"/tmp/perf-\d+\.map", dso):
            name += "_[j]"
        yield name

sums = defaultdict(int)
for sample in open(sys.argv[1], errors="surrogateescape").read().split("\n\n"):
    lines = [l for l in sample.split("\n") if l and l[0] != "#"]
    if not lines:
        continue
    comm, tid, period, event = header.match(lines[0]).groups()
    comm = comm.strip().replace(" ", "_").replace(";", ":")
    java = comm.startswith("java")
    if "--with-tid" in opts:
        comm += "-?/" + tid
    stack = [list(names(l, java)) for l in lines[1:]]
    sums[";".join([comm] + [n for s in reversed(stack) for n in s])] += \
        int(period or 1)
out = open(1, "w", errors="surrogateescape")
for k in sorted(sums, key=lambda k: k.encode(errors="surrogateescape")):
    out.write("%s %d\n" % (k, sums[k]))
END

# recorded FILE PERF-WORDS...: by perf, with its text in FILE.txt.
recorded() {
	local to=$1
	shift
	perf record --no-bpf-event -q -N -o "$to" "$@" >perf.why 2>&1 &&
		perf script -i "$to" >"$to.txt" 2>>perf.why
}
# as_model NAME FILE: text of perf as the rules have it.
as_model() {
	local o
	exits "$1: the text is imported" 0 "$rec" import -q -o text.ctr \
		"$2.txt" || return
	for o in --all --addrs --with-tid; do
		python3 model.py "$2.txt" "$o" >want.txt
		[ -s want.txt ] || not_ok "$1: the rules say something"
		answer "$1 $o: as the rules have it" text.ctr "$o" want.txt
	done
}
# Names differ where perf takes another one of an address, and where it does not
# follow a stack.
as_own_file() {
	exits "$1: the file is imported" 0 "$rec" import -q -o data.ctr "$2" ||
		return
	compat data.ctr >data.txt
	compat text.ctr >text.txt
	same "$1: file and text weigh the same" "$(total data.txt)" \
		"$(total text.txt)"
	same "$1: ... by command" "$(by_comm <data.txt)" "$(by_comm <text.txt)"
}
by_comm() {
	awk '{ c = $1; sub(/;.*/, "", c); n[c] += $NF }
	END { for (c in n) printf "%s %.0f\n", c, n[c] }' | LC_ALL=C sort
}

if ! has_perf; then
	skip 'what perf prints' "$perf_why"
elif ! recorded p.data -e cpu-clock -F 2999 -g -- sh -c "$samples/demo
	find $root/format -type f | sort | xargs cat | sed s/a/b/ | md5sum
	python3 -c 'import re
for i in range(3000): re.sub(\"a+\", str(i), \"baab\" * 50)'"; then
	skip 'what perf prints' "perf failed: $(tail -n 1 perf.why)"
else
	as_model 'a mix' p.data
	as_own_file 'a mix' p.data
	if recorded c.data -e cpu-clock -c 500000 -g -- "$samples/demo"; then
		as_model 'a fixed period' c.data
		as_own_file 'a fixed period' c.data
	else
		skip 'a fixed period' "perf failed: $(tail -n 1 perf.why)"
	fi
fi

# -- Options -----------------------------------------------------------------

"$rec" -q -o t.ctr -e cpu-clock -g -- "$samples/demo" >demo.txt ||
	not_ok 'demo is recorded'
for o in --addrs --with-pid --with-tid; do
	exits "$o alone is refused" 2 "$analyze" folded $o t.ctr
done
exits 'another tool is refused' 2 "$analyze" folded --compat x t.ctr
says '... and the known one named' stackcollapse-perf
exits 'weights are refused' 2 "$analyze" folded --compat stackcollapse-perf \
	--weight period t.ctr
finish
