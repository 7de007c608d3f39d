#!/usr/bin/env bash
# A program makes exactly known numbers of ioctls on known files: so many there
# are for each file and number, and the files are what the kernel calls them.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events system
need_tool python3

cat >ioctls.py <<'EOP'
"""ioctls.py TRUTH REPORT: the rows of `syscalls --by fd,cmd --json` are those
that the program says ("FD COUNT CMD ERRNO FILE" a line), and no others."""
import errno, json, sys

want = {}
for line in open(sys.argv[1]):
    fd, count, cmd, error, name = line.split()
    error = errno.errorcode[int(error)] if int(error) else ""
    want[name, int(cmd, 16)] = int(count), error
report = json.load(open(sys.argv[2]))
got = {(r["file"], int(r["cmd_number"], 16)): (r["calls"], r["error"])
       for r in report["rows"]}
if len(report["rows"]) != len(got):
    print("a file and number twice")
for key in sorted(set(want) | set(got)):
    if want.get(key) != got.get(key):
        print(f"{key}: did {want.get(key)}, report {got.get(key)}")
for key in "lost", "unfinished", "no_end", "no_begin", "unknown_files", \
        "doubtful_files":
    if report[key]:
        print(f"{key}: {report[key]}")
if not want:
    print("no truth")
EOP

# counted NAME FILE OPTIONS...: its ioctls are those of truth.txt.
counted() {
	local name=$1 file=$2
	shift 2
	exits "$name: the report" 0 "$analyze" syscalls --by fd,cmd --json "$@" \
		"$file"
	same "$name: counts, files and errors" \
		"$(python3 ioctls.py truth.txt out.txt 2>&1)" ''
}

pair='-e syscalls:sys_enter_ioctl -e syscalls:sys_exit_ioctl'
# shellcheck disable=SC2086 # two options
exits 'recorded as a child' 0 "$rec" $pair -o child.ctr -- \
	"$samples/ioctls" 500
cp out.txt truth.txt
counted 'as a child' child.ctr

# shellcheck disable=SC2086
exits 'recorded with the system' 0 "$rec" -a $pair -o all.ctr -- \
	"$samples/ioctls" 500
cp out.txt truth.txt
counted 'with the system' all.ctr --comm ioctls

exits 'all calls of it' 0 "$rec" -e 'syscalls:*' -o every.ctr -- \
	"$samples/ioctls" 500
cp out.txt truth.txt
exits 'by call and file' 0 "$analyze" syscalls --by call,fd --csv every.ctr
same 'four files have ioctls, all of them' \
	"$(python3 -c 'import csv
rows = [r for r in csv.DictReader(open("out.txt")) if r["call"] == "ioctl"]
print(len(rows), sum(int(r["calls"]) for r in rows))')" '4 5000'
same 'a wait of 300 ms is one' "$(python3 -c 'import csv
rows = [r for r in csv.DictReader(open("out.txt"))
        if r["call"] == "clock_nanosleep"]
print(len(rows), rows[0]["calls"], 300e6 <= int(rows[0]["max_ns"]) < 600e6)')" \
	'1 1 True'

# As numbers: names come from the numbers, files from the first argument.
exits 'by raw_syscalls' 0 "$rec" -e 'raw_syscalls:*' -o raw.ctr -- \
	"$samples/ioctls" 500
cp out.txt truth.txt
exits 'raw: by call' 0 "$analyze" syscalls --by call --csv raw.ctr
same 'raw: 5000 ioctls' "$(awk -F, '$13 == "ioctl" { print $2 }' out.txt)" 5000
exits 'raw: by file' 0 "$analyze" syscalls --by fd,cmd,call --json raw.ctr
python3 - out.txt >raw.txt <<'EOP'
import json, sys
d = json.load(open(sys.argv[1]))
print(sum(r["calls"] for r in d["rows"] if r["cmd"] == "FIONREAD"
          and r["file"].startswith("pipe:")))
EOP
same 'raw: 2000 of a pipe' "$(cat raw.txt)" 2000

# A number that becomes another file's: what was seen later has its time, and
# the report says that calls may be of either.
cat >reuse.py <<'EOP'
import fcntl, os, time
def ask(path, n):
    fd = os.open(path, os.O_RDWR)
    assert fd == 9 or os.dup2(fd, 9) == 9
    if fd != 9:
        os.close(fd)
    for _ in range(n):
        try:
            fcntl.ioctl(9, 0x80045430, b"\0" * 64)
        except OSError:
            pass
        time.sleep(0.01)
ask("/dev/null", 20)
ask("/dev/zero", 150)
EOP
# shellcheck disable=SC2086
exits 'a number is used again' 0 "$rec" $pair -o reuse.ctr -- \
	python3 reuse.py
exits 'reuse: the report' 0 "$analyze" syscalls --by fd,cmd --json reuse.ctr
same 'reuse: both files, no call lost, and a doubt' "$(python3 - <<'EOP'
import json
d = json.load(open("out.txt"))
n = {r["file"]: r["calls"] for r in d["rows"] if r["cmd"] == "TIOCGPTN"}
print(sorted(n), sum(n.values()), n["/dev/null"] >= 20, n["/dev/zero"] >= 40,
      d["doubtful_files"] >= 170)
EOP
)" "['/dev/null', '/dev/zero'] 170 True True True"
finish
