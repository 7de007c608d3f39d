#!/usr/bin/env python3
"""Decodes the streams in spec/vectors, which its README.md explains, and
compares them with the values there.

    vectors.py FILE..."""
import re
import struct
import sys

import check
from check import In, need


def hexes(text):
    out = bytearray()
    for word in text.split():
        byte, _, times = word.partition("*")
        out += bytes.fromhex(byte) * int(times or 1)
    return bytes(out)


def value(kind, word):
    if kind == "bytes":
        return "" if word == "-" else hexes(word).decode("latin-1")
    if kind == "f64":
        bits = (bytes.fromhex(word[2:]) if word.startswith("0x")
                else struct.pack(">d", float(word)))
        return repr(struct.unpack(">d", bits)[0])
    return int(word)


def values(column, text):
    if not column["list"]:
        return [value(column["type"], w) for w in text.split()]
    return [[value(column["type"], w) for w in row.split()]
            for row in re.findall(r"\[([^]]*)\]", text)]


def vectors(text):
    """(name, columns) of each."""
    for paragraph in text.split("\n\n"):
        name, columns = None, []
        for line in paragraph.splitlines():
            if line.startswith("#"):
                continue
            word, rest = line.split(": ", 1)
            if word == "vector":
                name = rest
            elif word == "column":
                words = rest.split()
                columns.append({"id": int(words[0]), "type": words[1],
                                "list": "list" in words, "streams": []})
            elif word == "values":
                columns[-1]["values"] = values(columns[-1], rest)
            elif word == "stream":
                columns[-1]["streams"].append(hexes(rest))
            elif word != "writer":
                columns[-1][word] = hexes(rest)
        if name:
            yield name, columns


def decode(columns):
    others = {}
    for c in columns:
        c["tail"] = In(c["statistics"] + c["encoding"])
    for c in sorted(columns, key=lambda c: check.is_keyed(c["tail"])):
        keyed = check.is_keyed(c["tail"])
        got = check.values_of(c, c["tail"], list(c["streams"]),
                              len(c["values"]), others if keyed else None)
        need(got == c["values"], f"column {c['id']}: {got}")
        if not keyed:
            others[c["id"]] = [check.bits(v) for v in got]


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            all_of_file = list(vectors(f.read()))
        for name, columns in all_of_file:
            try:
                decode(columns)
            except check.Bad as e:
                sys.exit(f"{path}: {name}: {e}")
        print(f"{path.rsplit('/', 1)[-1]}: {len(all_of_file)} vectors hold")


main()
