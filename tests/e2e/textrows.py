"""The rows of `analyze dump --json`, sorted, as textwant.py has them.
    textrows.py perfscript|ftrace [nameless]"""
import json, sys
rows = []
for line in sys.stdin.buffer.read().decode("utf-8", "surrogateescape").split("\n"):
    if not line:
        continue
    d = json.loads(line)
    if "tid" not in d:  # a mark
        continue
    head = (d["time"], d["pid"], d["tid"], d["cpu"], d["comm"])
    if "fields" in d and sys.argv[1] == "ftrace":
        rows.append(head + (d["event"].partition(":")[2], d["period"],
                            d["fields"]["text"]))
    else:
        rows.append(head + (d["event"], d["period"],
                            [f["sym"] for f in d["stack"]]))
for row in sorted(rows, key=repr):
    print(repr(row if sys.argv[2:] != ["nameless"] else row[:4] + row[5:]))
