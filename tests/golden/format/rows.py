#!/usr/bin/env python3
"""Has the second reader read the rows of files that are sound as far as they
go, and compares them with the rows in their dumps, which README.md explains.

    rows.py FILE.CTR..."""
import contextlib
import io
import json
import struct
import sys
import zlib

import check
from check import In, need


def u64(v):
    return struct.pack("<Q", v & check.M64)


def bits(kind, v):
    return struct.pack("<d", float(v)) if kind == "f64" else u64(v)


def one(kind, v):
    if kind == "bytes":
        data = v.encode("latin-1")
        if len(data) > 64:
            return {"bytes": len(data), "crc32": f"{zlib.crc32(data):08x}"}
        return data.hex()
    if kind == "f64":
        return f"0x{int.from_bytes(bits(kind, v), 'little'):016x}"
    return v


def shown(column, v):
    if column["list"]:
        return [one(column["type"], i) for i in v]
    return one(column["type"], v)


def checksum(column, values):
    crc = 0
    for v in values:
        if column["list"]:
            data = u64(len(v)) + b"".join(bits(column["type"], i) for i in v)
        elif column["type"] == "bytes":
            data = u64(len(v)) + v.encode("latin-1")
        else:
            data = bits(column["type"], v)
        crc = zlib.crc32(data, crc)
    return f"{crc:08x}"


class Rows:
    """Gets each part before it is shortened for printing."""

    def __init__(self, data):
        self.data, self.tables, self.lines = data, {}, []

    def part(self, number, epoch, directory, body, packed):
        got = check.part(directory, body, packed, self.tables, whole=True)
        head, columns = got
        line = {"table": head["table"], "chunk": number, "epoch": epoch}
        if head["rows"] > 64:
            self.lines.append({**line, "row": head["base"],
                               "rows": head["rows"],
                               "crc32": {c["name"]: checksum(c, v)
                                         for c, v in columns}})
            return
        for i in range(head["rows"]):
            self.lines.append({**line, "row": head["base"] + i, "values":
                               {c["name"]: shown(c, v[i])
                                for c, v in columns}})

    def chunk(self, number, at, kind, flags, epoch, parts, n_dir, n_body):
        directory = In(self.data[at + 80:at + 80 + n_dir])
        body = In(self.data[at + 80 + n_dir:at + 80 + n_dir + n_body])
        if flags & 2:
            codec, raw, crc = (directory.number(1), directory.varint(),
                               directory.number(4))
            body = In(check.block(codec, raw, body.take(body.left()), crc))
        if kind == 1:
            check.schema(body.take(body.left()), self.tables)
        for _ in range(parts if kind == 2 else 0):
            self.part(number, epoch, directory, body, flags & 2)

    def read(self):
        at, number = int.from_bytes(self.data[12:16], "little"), 0
        while len(self.data) - at >= 80:
            kind, flags = struct.unpack_from("<HH", self.data, at + 4)
            epoch, = struct.unpack_from("<I", self.data, at + 28)
            parts, n_dir, n_body = struct.unpack_from("<III", self.data,
                                                      at + 48)
            end = at + 80 + (n_dir + n_body + 7) // 8 * 8
            if end > len(self.data):
                break
            self.chunk(number, at, kind, flags, epoch, parts, n_dir, n_body)
            at, number = end, number + 1


def order(line):
    return line["table"], line["chunk"], line["row"]


def no_payload(line):
    """All NaN are one to the second reader."""
    text = json.dumps(line, sort_keys=True)
    return text.replace("0x7ff8000000000123", "0x7ff8000000000000")


def main():
    for path in sys.argv[1:]:
        with open(path, "rb") as f:
            rows = Rows(f.read())
        with open(path[:-3] + "jsonl", encoding="utf-8") as f:
            dump = [json.loads(line) for line in f]
        dump = [line for line in dump if "table" in line]
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                rows.read()
            got, want = (sorted(lines, key=order)
                         for lines in (rows.lines, dump))
            need(len(got) == len(want), f"{len(got)} rows, {len(want)} said")
            for g, w in zip(got, want):
                need(no_payload(g) == no_payload(w), f"{g} is not {w}")
        except check.Bad as e:
            sys.exit(f"{path}: {e}")
        print(f"{path.rsplit('/', 1)[-1]}: {len(want)} lines hold")


main()
