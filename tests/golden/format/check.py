#!/usr/bin/env python3
"""Reads coltrace files by the rules of spec/format.md alone and prints what is
in them, one JSON value a line. Shares nothing with the reader in C.

    check.py FILE...

Needs the module zstandard or the program zstd."""
import json
import struct
import subprocess
import sys

try:
    import zstandard
except ImportError:
    zstandard = None

M64 = (1 << 64) - 1
TYPES = {1: "u64", 2: "i64", 3: "f64", 4: "bool", 5: "bytes", 6: "ref"}
KINDS = {1: "SCHEMA", 2: "DATA", 4: "INDEX", 5: "END"}


class Bad(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Bad(why)


def crc32c_table():
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    return table


CRC = crc32c_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


class In:
    """Bytes that are taken from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, n):
        need(n <= self.left(), "cut short")
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, n):
        return int.from_bytes(self.take(n), "little")

    def varint(self):
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        need(value <= M64 and (byte or not shift), "bad varint")
        return value

    def string(self):
        return self.take(self.varint()).decode()

    def counted(self):
        return In(self.take(self.varint()))

    def used_up(self):
        need(self.left() == 0, "bytes too many")


def unzz(v):
    return v >> 1 ^ -(v & 1)


def block(codec, raw, stored, crc):
    need(crc32c(stored) == crc, "checksum differs")
    if codec == 1:
        if zstandard:
            stored = zstandard.ZstdDecompressor().decompress(stored)
        else:
            stored = subprocess.run(["zstd", "-dcq"], input=stored, check=True,
                                    stdout=subprocess.PIPE).stdout
    need(codec in (0, 1) and len(stored) == raw, "bad block")
    return stored


def planes(streams, w, n):
    values = [0] * n
    for b in range(w):
        plane = streams.pop(0)
        need(len(plane) == n, "plane of another length")
        for i in range(n):
            values[i] |= plane[i] << 8 * b
    return values


def guessed(streams, keys, initial, n):
    """KLAST and LINK: by the last values of each row's key."""
    guesses, side = streams.pop(0), In(streams.pop(0))
    need(len(guesses) == n, "guesses of another length")
    values, seen, last, before, fresh = [], set(), dict(initial), {}, 0
    for guess, key in zip(guesses, keys):
        was = value = last.get(key, 0)
        if guess == 1:
            value = before.get(key, 0)
        elif guess:
            need(guess == 2, "unknown guess")
            start = was if key in seen else fresh
            fresh = value = (start + unzz(side.varint())) & M64
        if guess:
            seen.add(key)
            last[key], before[key] = value, was
        values.append(value)
    side.used_up()
    return values


def keyed(encoding, tail, streams, n, others):
    """The values of a column that others predict."""
    count = 2 if encoding == 7 else tail.number(1)
    need(count in (1, 2), "number of keys")
    keys = [others[tail.varint()] for _ in range(count)]
    if encoding == 7:
        last, lag = {}, []
        for source, by in zip(*keys):
            lag.append(last.get(by))
            last[by] = source
        return guessed(streams, lag, {v: v for v in keys[0]}, n)
    keys = list(zip(*keys))
    if encoding == 6:
        return guessed(streams, keys, {}, n)
    base, w = tail.varint(), tail.number(1)
    side, last, values = In(streams.pop(0)), {}, []
    for key, d in zip(keys, planes(streams, w, n)):
        if key not in last:
            last[key] = base + unzz(side.varint())
        last[key] = (last[key] + unzz(d)) & M64
        values.append(last[key])
    side.used_up()
    return values


def numbers(tail, streams, n, kind, others=None):
    """The values of one number encoding, as bits."""
    encoding = tail.number(1)
    if encoding in (4, 6, 7):
        need(others is not None, "a key where none can be")
        return keyed(encoding, tail, streams, n, others)
    if encoding == 10:
        base, w = tail.varint(), tail.number(1)
        return [(base + i - d) & M64
                for i, d in enumerate(planes(streams, w, n))]
    if encoding == 0:
        values = planes(streams, tail.number(1), n)
        return [unzz(v) & M64 for v in values] if kind == "i64" else values
    if encoding == 1:
        v = tail.number(8) if kind == "f64" else tail.varint()
        return [unzz(v) & M64 if kind == "i64" else v] * n
    if encoding == 3:
        value, values = tail.varint(), []
        for d in planes(streams, tail.number(1), n):
            value = (value + unzz(d)) & M64
            values.append(value)
        return values
    need(encoding == 5, "unknown encoding")
    w, count = tail.number(1), tail.varint()
    source, distinct = In(streams.pop(0)), []
    for i in range(count):
        step = source.varint()
        need(not i or step, "distinct values do not rise")
        distinct.append(step + (distinct[-1] if i else 0))
    source.used_up()
    return [distinct[i] for i in planes(streams, w, n)]


def shown(v, kind):
    if kind == "i64":
        return v - (1 << 64) if v >> 63 else v
    if kind == "f64":
        return repr(struct.unpack("<d", v.to_bytes(8, "little"))[0])
    return v


def is_keyed(tail):
    tail = In(tail.data[tail.at:])
    if tail.number(1):
        tail.varint(), tail.varint()
    return tail.number(1) in (4, 6, 7)


def bits(v):
    return v & M64 if isinstance(v, int) else None


def values_of(column, tail, streams, rows, others):
    kind, stats = column["type"], tail.number(1)
    need(stats in (0, 1), "unknown statistics")
    low_high = [tail.varint(), tail.varint()] if stats else None
    if column["list"] or kind == "bytes":
        need(tail.number(1) == (9 if column["list"] else 8), "encoding")
        lengths, at, out = numbers(tail, streams, rows, "u64"), 0, []
        if column["list"]:
            total = tail.varint()
            items = [shown(v, kind)
                     for v in numbers(tail, streams, total, kind)]
        else:
            items = streams.pop(0).decode("latin-1") if sum(lengths) else ""
        for n in lengths:
            out.append(items[at:at + n])
            at += n
        need(at == len(items), "lengths do not sum up")
    else:
        out = [shown(v, kind)
               for v in numbers(tail, streams, rows, kind, others)]
        if low_high:
            if kind == "i64":
                low_high = [unzz(v) for v in low_high]
            need(low_high == [min(out), max(out)], "range is not true")
    need(not streams, "streams too many")
    tail.used_up()
    return out


def brief(values):
    """A long column: its ends, and a checksum of all of it."""
    if len(values) <= 64:
        return [v if not isinstance(v, str) or len(v) <= 4096 else
                {"bytes": len(v), "crc": f"{crc32c(v.encode('latin-1')):08x}"}
                for v in values]
    text = ",".join(str(v) for v in values).encode()
    return {"first": values[:3], "last": values[-3:],
            "crc": f"{crc32c(text):08x}"}


def schema(body, tables):
    body = In(body)
    while body.left():
        t = body.counted()
        number, name = t.varint(), t.string()
        table = {"name": name, "kind": t.varint(), "columns": {}}
        for _ in range(t.varint()):
            c = t.counted()
            column = {"id": c.varint(), "name": c.string(),
                      "type": TYPES[c.varint()], "list": c.varint()}
            column["unit"] = c.string()
            c.varint(), c.varint(), c.varint()
            # What predicts it: the encodings say that themselves.
            if c.left():
                column["keys"] = [c.varint() for _ in range(3)]
            table["columns"][column["id"]] = column
        tables[number] = table


def part(directory, body, packed, tables, whole=False):
    p = directory.counted()
    table, rows, base, flags = p.varint(), p.varint(), p.varint(), p.number(1)
    out = {"table": tables[table]["name"], "rows": rows, "base": base}
    if flags & 1:
        low = p.varint()
        out["times"] = [low, low + p.varint()]
    if flags & 2:
        out["watermark"] = p.varint()
    need(flags < 4, "unknown flags")
    entries, others, named = [], {}, {}
    for _ in range(p.varint()):
        c = p.counted()
        column, streams = tables[table]["columns"][c.varint()], []
        for _ in range(c.number(1)):
            if packed:
                streams.append(body.take(c.varint()))
            else:
                codec, raw, stored = c.number(1), c.varint(), c.varint()
                streams.append(block(codec, raw, body.take(stored),
                                     c.number(4)))
        entries.append((column, c, streams))
    p.used_up()
    # Keys are of encodings that need none themselves.
    for column, c, streams in sorted(entries, key=lambda e: is_keyed(e[1])):
        keys = dict(others) if is_keyed(c) else None
        values = values_of(column, c, streams, rows, keys)
        if keys is None:
            others[column["id"]] = [bits(v) for v in values]
        named[column["name"]] = values
    if whole:
        return out, [(c, named[c["name"]]) for c, _, _ in entries]
    for column, _, _ in entries:
        name = column["name"]
        out[name + "_" if name in out else name] = brief(named[name])
    return out


def chunk(data, at, file_id, tables):
    head = In(data[at:at + 80])
    need(head.take(4) == b"CHNK", "no chunk")
    kind, flags, own, seq = (head.number(n) for n in (2, 2, 8, 8))
    need(own == at and head.take(4) == file_id[:4], "another place or file")
    epoch, low, high, parts, n_dir, n_body, dir_crc, aux, zero, crc = (
        head.number(n) for n in (4, 8, 8, 4, 4, 4, 4, 8, 4, 4))
    need(crc == crc32c(data[at:at + 76]) and not zero, "header")
    directory = data[at + 80:at + 80 + n_dir]
    body = data[at + 80 + n_dir:at + 80 + n_dir + n_body]
    end = at + 80 + (n_dir + n_body + 7) // 8 * 8
    need(crc32c(directory) == dir_crc, "directory")
    need(not any(data[at + 80 + n_dir + n_body:end]), "padding")
    print(json.dumps({"chunk": seq, "type": KINDS[kind], "epoch": epoch,
                      "times": [low, high], "parts": parts,
                      "packed": bool(flags & 2), "aux": bool(aux)}))
    directory, body = In(directory), In(body)
    if flags & 2:
        codec, raw, crc = (directory.number(1), directory.varint(),
                           directory.number(4))
        body = In(block(codec, raw, body.take(body.left()), crc))
    if kind == 1:
        schema(body.take(body.left()), tables)
    for _ in range(parts):
        p = part(directory, body, flags & 2, tables)
        # Offsets and sizes differ between versions of zstd.
        if kind == 4:
            p.pop("offset"), p.pop("size")
        print(json.dumps(p))
    directory.used_up()
    body.used_up()
    return end


def read(name):
    with open(name, "rb") as f:
        data = f.read()
    head = In(data)
    need(head.take(8) == b"\x89CTR\r\n\x1a\n", "magic")
    major, minor, size, incompatible, _ = (
        head.number(n) for n in (2, 2, 4, 8, 8))
    file_id, start, zero = head.take(16), head.number(8), head.number(4)
    need(head.number(4) == crc32c(data[:60]) and not zero, "file header")
    need(major <= 1 and not incompatible, "newer")
    print(json.dumps({"version": [major, minor], "id": file_id.hex(),
                      "start": start}))
    at, tables = size, {}
    while at < len(data):
        at = chunk(data, at, file_id, tables)
    for number, table in sorted(tables.items()):
        print(json.dumps({"id": number, **table,
                          "columns": [list(c.values()) for c in
                                      table["columns"].values()]}))


def main():
    need(crc32c(b"123456789") == 0xE3069283, "crc")
    for name in sys.argv[1:]:
        print(json.dumps(name.rsplit("/", 1)[-1]))
        try:
            read(name)
        except Bad as e:
            sys.exit(f"check.py: {name}: {e}")


if __name__ == "__main__":
    main()
