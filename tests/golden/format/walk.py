#!/usr/bin/env python3
"""Proves spec/walk.md: its hexadecimal is spec/vectors/walk.ctr, its rows lie
end to end and leave no byte out, and each value is what the bytes say.

    walk.py WALK.MD WALK.CTR"""
import re
import sys

import check
from check import In, crc32c, need, unzz

HEAD = "| offset | bytes | type | field | value |"
BELOW = re.compile(r"### The decoded body of the block at (\d+)$")


def pattern(text):
    """`00 20*3 (00 01)*2` as bytes."""
    out = bytearray()
    for group, byte, times in re.findall(
            r"(?:\(([^)]*)\)|([0-9A-F]{2}))(?:\*(\d+))?", text):
        out += bytes.fromhex(group or byte) * int(times or 1)
    return bytes(out)


def column_of(data):
    c = In(data).counted()
    c_id, name = c.varint(), c.string()
    kind, is_list, unit = c.varint(), c.varint(), c.string()
    words = [c_id, f'"{name}"', kind, is_list, f'"{unit}"']
    while c.left():
        words.append(c.varint())
    return " ".join(str(w) for w in words)


class Walk:
    def __init__(self, data):
        self.data = data
        self.blocks = {}  # offset in the file: its decoded bytes
        self.lower = {}   # those walked through: how far
        self.fields = 0
        self.at, self.inside = 0, None  # inside: a decoded block

    def where(self, block):
        if self.inside is not None:
            self.lower[self.inside] = self.at
        else:
            self.upper = self.at
        self.inside = block
        self.at = 0 if block is not None else self.upper

    def size(self, offset, text):
        long = re.fullmatch(r"([0-9A-F ]+) … (\d+) bytes", text)
        size = int(long[2]) if long else len(bytes.fromhex(text))
        shown = bytes.fromhex(long[1] if long else text)
        need(offset == self.at, f"begins at {offset}, not at {self.at}")
        source = self.source()
        need(source[offset:offset + len(shown)] == shown, "other bytes")
        need(offset + size <= len(source), "beyond the end")
        return size

    def source(self):
        return (self.data if self.inside is None
                else self.blocks[self.inside])

    def row(self, offset, shown, kind, value):
        size = self.size(offset, shown)
        data = self.source()[offset:offset + size]
        self.at += size
        self.fields += 1
        getattr(self, "is_" + re.sub(r"^u\d+$", "number", kind))(
            In(data), value, offset, kind)

    def is_number(self, data, value, _, kind):
        need(data.left() * 8 == int(kind[1:]), "of another size")
        need(data.number(data.left()) == int(value.split(":")[0]), "value")

    def is_varint(self, data, value, *_):
        need(data.varint() == int(value.split(":")[0]), "value")
        data.used_up()

    def is_zz(self, data, value, *_):
        need(unzz(data.varint()) == int(value.split(":")[0]), "value")
        data.used_up()

    def is_text(self, data, value, *_):
        need(f'"{data.data.decode()}"' == value, "value")

    def is_string(self, data, value, *_):
        need(f'"{data.string()}"' == value, "value")
        data.used_up()

    def is_bytes(self, *_):
        pass

    def is_crc(self, data, value, *_):
        said = re.fullmatch(r"([0-9A-F]{8}) of (\d+) to (\d+)", value)
        crc = crc32c(self.data[int(said[2]):int(said[3]) + 1])
        need(crc == data.number(4) == int(said[1], 16), "value")

    def is_zeros(self, data, value, *_):
        end = int(re.match(r"to (\d+), a multiple of 8$", value)[1])
        need(not any(data.data) and end == self.at and end % 8 == 0, "value")

    def block(self, codec, data, value, offset):
        said = re.match(r"(\d+) bytes(?:: `(.*)`|, decoded below)$", value)
        plain = check.block(codec, int(said[1]), data.data,
                            crc32c(data.data))
        if said[2]:
            need(pattern(said[2]) == plain, "decoded bytes")
        else:
            self.blocks[offset] = plain

    def is_zstd(self, data, value, offset, _):
        self.block(1, data, value, offset)

    def is_raw(self, data, value, offset, _):
        self.block(0, data, value, offset)

    def is_plane(self, data, value, *_):
        need(list(data.data) == [int(v) for v in value.split(", ")], "value")

    def is_varints(self, data, value, *_):
        for v in value.split(", "):
            need(data.varint() == int(v), "value")
        data.used_up()

    def is_column(self, data, value, *_):
        need(column_of(data.data) == value, "value")


def walk(text, data):
    w, in_table, dump = Walk(data), False, bytearray()
    for n, line in enumerate(text.splitlines(), 1):
        below = BELOW.match(line)
        if below:
            w.where(int(below[1]))
        elif line.startswith("## "):
            w.where(None)
        cells = [c.strip() for c in line.strip("|").split(" | ")]
        in_table = line.startswith("|") and (in_table or line == HEAD)
        if in_table and cells[0].isdigit():
            try:
                need(len(cells) == 5, "not five cells")
                w.row(int(cells[0]), cells[1].strip("`"), cells[2], cells[4])
            except (check.Bad, ValueError, TypeError) as e:
                sys.exit(f"walk.md:{n}: {e}: {line}")
        hexes = re.fullmatch(r"(\d{4})  ([0-9A-F ]+)", line)
        if hexes:
            need(int(hexes[1]) == len(dump), f"walk.md:{n}: offset")
            dump += bytes.fromhex(hexes[2])
    w.where(None)
    need(bytes(dump) == data, "the hexadecimal is not the file")
    need(w.upper == len(data), f"rows end at {w.upper} of {len(data)}")
    for block, at in w.lower.items():
        need(at == len(w.blocks[block]), f"rows of {block} end at {at}")
    need(set(w.lower) == set(w.blocks), "a block is not walked through")
    return w.fields


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        text = f.read()
    with open(sys.argv[2], "rb") as f:
        data = f.read()
    try:
        print(f"{walk(text, data)} fields in {len(data)} bytes hold")
    except check.Bad as e:
        sys.exit(f"walk.py: {e}")


main()
