"""Hand-made bytes for reader.py, from the text of spec/format.md."""

import io
import json
import os
import pathlib
import struct
import subprocess
import sys
import unittest

import reader
from reader import Trace, TraceError, crc32c

H = bytes.fromhex
FID = bytes(range(16))


def vi(n):
    """varint"""
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def counted(b):
    return vi(len(b)) + b


def header(major=1, minor=0, length=64, incompatible=0, compatible=0,
           reserved=0, magic=b"\x89CTR\r\n\x1a\n"):
    h = magic + struct.pack("<HHIQQ16sQI", major, minor, length,
                            incompatible, compatible, FID, 7, reserved)
    return h + struct.pack("<I", crc32c(h)) + bytes(length - 64)


class Writer:
    def __init__(self, **kw):
        self.b = bytearray(header(**kw))
        self.seq = 0
        self.rows = []

    def chunk(self, typ, flags, directory=b"", body=b"", parts=0, epoch=0,
              times=(0, 0), extra=0, reserved=0, pad=0):
        off = len(self.b)
        h = struct.pack("<4sHHQQ4sIQQIIIIQI", b"CHNK", typ, flags, off,
                        self.seq, FID[:4], epoch, times[0], times[1], parts,
                        len(directory), len(body), crc32c(directory), extra,
                        reserved)
        h += struct.pack("<I", crc32c(h))
        self.b += h + directory + body
        self.b += bytes([pad]) * (-len(self.b) % 8)
        self.rows.append((off, len(self.b) - off, typ, flags, epoch, parts)
                         + times)
        self.seq += 1
        return off

    def schema(self, *tables):
        body = b"".join(counted(t) for t in tables)
        return self.chunk(1, 2, b"\0" + vi(len(body))
                          + struct.pack("<I", crc32c(body)), body)

    def data(self, parts, body, **kw):
        """parts are directory entries without their length; not packed."""
        kw.setdefault("parts", len(parts))
        return self.chunk(2, 0, b"".join(counted(p) for p in parts), body,
                          **kw)

    def index(self, change=()):
        """Of all chunks so far; `change` is (row, column, value)."""
        rows = [list(r) for r in self.rows]
        for row, i, v in [change] if change else []:
            rows[row][i] = v
        columns, body = [], b""
        for i in range(8):
            planes = [bytes(r[i] >> 8 * b & 255 for r in rows)
                      for b in range(8)]
            columns.append(column(i, planes, H("00 08")))
            body += b"".join(planes)
        return self.chunk(4, 0, counted(part(31, len(rows), columns)), body,
                          parts=1)

    def end(self, extra=0):
        return self.chunk(5, 0, extra=extra)

    def trace(self):
        return Trace(io.BytesIO(bytes(self.b)))


def col(i, name, typ, lst=0, ref=0, role=0, privacy=1, tail=b""):
    return counted(vi(i) + counted(name.encode()) + vi(typ) + vi(lst)
                   + counted(b"") + vi(ref) + vi(role) + vi(privacy) + tail)


def table(i, name, kind, *cols):
    return vi(i) + counted(name.encode()) + vi(kind) + vi(len(cols)) \
        + b"".join(cols)


def raw_stream(data, codec=0, decoded=None):
    return bytes([codec]) + vi(len(data) if decoded is None else decoded) \
        + vi(len(data)) + struct.pack("<I", crc32c(data))


def column(i, streams, enc_and_params, stats=b"\0"):
    return counted(vi(i) + bytes([len(streams)])
                   + b"".join(raw_stream(s) for s in streams)
                   + stats + enc_and_params)


def part(tab, rows, columns, base=0, flags=0, more=b""):
    return vi(tab) + vi(rows) + vi(base) + bytes([flags]) + more \
        + vi(len(columns)) + b"".join(columns)


def one(typ, rows, streams, params, lst=0, role=0, keys=()):
    """Values of column 5 of a file that was made of these bytes; keys are
    (id, type, streams, params) of columns before or behind it."""
    w = Writer()
    cols = [(5, typ, lst, role, streams, params)] \
        + [(i, t, 0, 2, s, p) for i, t, s, p in keys]
    cols.sort()
    w.schema(table(300, "t", 2, *[col(i, "c%d" % i, t, l, 1 if t == 6 else 0,
                                      r) for i, t, l, r, _, _ in cols]))
    w.data([part(300, rows, [column(i, s, p) for i, _, _, _, s, p in cols])],
           b"".join(b"".join(s) for _, _, _, _, s, _ in cols))
    t = w.trace()
    (p,) = t.parts("t")
    v = p.values("c5")
    return v if v is None else list(v), [x for _, x in t.problems]


KEY_ABAB = (1, 1, [H("0102"), H("00010001")], H("05 01 02"))
KEY_ABACB = (1, 1, [H("010101"), H("0001000201")], H("05 01 03"))
KEY_ONE = (1, 1, [], H("01 07"))


class Numbers(unittest.TestCase):
    def ok(self, want, *args, **kw):
        got, problems = one(*args, **kw)
        self.assertEqual(problems, [])
        self.assertEqual(got, want)

    def bad(self, *args, **kw):
        got, problems = one(*args, **kw)
        self.assertIsNone(got)
        self.assertTrue(problems)

    def absent(self, *args, **kw):
        got, problems = one(*args, **kw)
        self.assertIsNone(got)
        self.assertEqual(problems, [])

    def test_words(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(crc32c(b""), 0)
        self.assertEqual(reader.Cursor(H("AC02")).varint(), 300)
        self.assertEqual(reader.Cursor(H("ff" * 9 + "01")).varint(),
                         2 ** 64 - 1)
        for b in ("80", "8000", "ff" * 9 + "02", "80" * 10 + "01", ""):
            with self.assertRaises(reader.Bad):
                reader.Cursor(H(b)).varint()
            if b:
                with self.assertRaises(reader.Bad):
                    reader.varints(H(b))

    def test_planes(self):
        self.ok([1, 515, 65280], 1, 3, [H("010300"), H("0002FF")], H("00 02"))
        self.ok([0, 0, 0], 1, 3, [], H("00 00"))
        self.ok([0, -1, 1, -2], 2, 4, [H("00010203")], H("00 01"))
        self.ok([2 ** 64 - 1], 1, 1, [b"\xff"] * 8, H("00 08"))
        self.ok([-2 ** 63], 2, 1, [b"\xff"] * 8, H("00 08"))
        self.ok([True, False], 4, 2, [H("0100")], H("00 01"))
        self.ok([1.0], 3, 1, [b"\0"] * 6 + [b"\xf0", b"\x3f"], H("00 08"))
        self.bad(4, 2, [H("0200")], H("00 01"))       # no bool
        self.bad(3, 1, [b"\0"], H("00 01"))           # f64 has 8
        self.bad(1, 3, [H("0103")], H("00 01"))       # short plane
        self.bad(1, 3, [H("010300")], H("00 02"))     # a plane is missing
        self.bad(1, 1, [b"\0"] * 9, H("00 09"))
        self.bad(1, 1, [b"\0", b"\0"], H("00 01"))    # one too many
        self.bad(1, 1, [b"\0"], H("00 01 00"))        # parameters not used up

    def test_const(self):
        self.ok([300] * 4, 1, 4, [], H("01 AC 02"))
        self.ok([-1, -1], 2, 2, [], H("01 01"))
        self.ok([0.5], 3, 1, [], H("01 00 00 00 00 00 00 E0 3F"))
        self.ok([True] * 2, 4, 2, [], H("01 01"))
        self.bad(4, 2, [], H("01 02"))
        self.bad(1, 2, [], H("01 80 00"))

    def test_delta(self):
        self.ok([1000, 1010, 1005], 1, 3, [H("001409")], H("03 E8 07 01"))
        # modulo 2^64, downwards through 0
        self.ok([2, 2 ** 64 - 1], 1, 2, [H("0005")], H("03 02 01"))
        # base of an i64 is its 64 bits
        self.ok([-1, 1], 2, 2, [H("0004")],
                H("03") + b"\xff" * 9 + H("01 01"))
        # first d need not be 0
        self.ok([7], 1, 1, [H("04")], H("03 05 01"))

    def test_rise(self):
        self.ok([0, 0, 1, 1, 3], 1, 5, [H("0001010201")], H("0A 00 01"))
        self.ok([2 ** 64 - 1, 0], 1, 2, [H("0101")], H("0A 00 01"))

    def test_dict(self):
        self.ok([40, 10, 40, 30, 40, 40, 10, 10], 1, 8,
                [H("0A140A"), H("0200020102020000")], H("05 01 03"))
        self.ok([9, 9], 1, 2, [H("09")], H("05 00 01"))
        # unsigned order, also of i64: 1 before -1
        self.ok([-1, 1], 2, 2, [H("01") + b"\xfe" + b"\xff" * 8 + b"\1",
                                H("0100")], H("05 01 02"))
        self.bad(1, 2, [H("0100"), H("0001")], H("05 01 02"))  # not strictly
        self.bad(1, 2, [H("0101"), H("0002")], H("05 01 02"))  # index
        self.bad(1, 2, [H("010101"), H("0001")], H("05 01 03"))  # count > n
        self.bad(1, 1, [H("01"), b"\0", b"\0", b"\0", b"\0"], H("05 04 01"))
        self.bad(1, 2, [b"\xff" * 9 + H("01 01"), H("0001")], H("05 01 02"))

    def test_kdelta(self):
        p = H("04 01 01 64 01")
        s = [H("00C801"), H("00001413")]
        self.ok([100, 200, 110, 190], 1, 4, s, p, keys=[KEY_ABAB])
        # the key may be behind
        behind = (9,) + KEY_ABAB[1:]
        self.ok([100, 200, 110, 190], 1, 4, s, H("04 01 09 64 01"),
                keys=[behind])
        self.bad(1, 4, [H("00C80100"), s[1]], p, keys=[KEY_ABAB])
        self.bad(1, 4, [H("00"), s[1]], p, keys=[KEY_ABAB])
        self.bad(1, 4, s, H("04 00 64 01"), keys=[KEY_ABAB])
        self.bad(1, 4, s, H("04 03 01 01 01 64 01"), keys=[KEY_ABAB])
        # two keys: a constant does not matter
        two = (2, 2, [], H("01 09"))
        self.ok([100, 200, 110, 190], 1, 4, s, H("04 02 01 02 64 01"),
                keys=[KEY_ABAB, two])
        self.ok([100, 200, 110, 190], 1, 4, s, H("04 02 02 01 64 01"),
                keys=[KEY_ABAB, two])
        # two keys of two values: (a,x) (b,x) (a,y) (b,x)
        xxyx = (2, 1, [H("0101"), H("00000100")], H("05 01 02"))
        self.ok([100, 200, 110, 190], 1, 4,
                [H("00 C8 01 14"), H("00000013")], H("04 02 01 02 64 01"),
                keys=[KEY_ABAB, xxyx])

    def test_keys(self):
        p, s = H("04 01 01 64 01"), [H("00C801"), H("00001413")]
        # a key of another known encoding
        self.bad(1, 4, s, p, keys=[(1, 1, [H("00010001")], H("00 01"))])
        # of an unknown one, or not in the schema
        self.absent(1, 4, s, p, keys=[(1, 1, [H("00010001")], H("20 01"))])
        self.absent(1, 4, s, H("04 01 08 64 01"), keys=[KEY_ABAB])
        # a key that is bytes
        self.bad(1, 4, s, p, keys=[(1, 5, [], H("08 01 00"))])

    def test_klast(self):
        self.ok([5, 5, 9, 5], 1, 4, [H("02000201"), H("0A08")], H("06 01 01"),
                keys=[KEY_ONE])
        self.ok([1000, 1001, 1000, 1002, 1003], 1, 5,
                [H("0202000202"), H("D00F020204")], H("06 01 01"),
                keys=[KEY_ABACB])
        # guess 0 and 1 of a key without values: 0, and the side is empty
        self.ok([0, 0], 1, 2, [H("0001"), b""], H("06 01 01"),
                keys=[KEY_ONE])
        # guess 1 sets a key going: its next guess 2 is from last, not from
        # the guess 2 before
        self.ok([7, 0, 1], 1, 3, [H("020102"), H("0E 02")], H("06 01 01"),
                keys=[(1, 1, [H("0101"), H("000101")], H("05 01 02"))])
        self.bad(1, 2, [H("0003"), b""], H("06 01 01"), keys=[KEY_ONE])
        self.bad(1, 2, [H("0002"), b""], H("06 01 01"), keys=[KEY_ONE])
        self.bad(1, 2, [H("0000"), H("02")], H("06 01 01"), keys=[KEY_ONE])

    def test_link(self):
        source = (2, 1, [H("050202"), H("000201")], H("05 01 03"))
        self.ok([3, 5, 9], 1, 3, [H("020000"), H("06")], H("07 02 01"),
                keys=[KEY_ONE, source])
        # two CPUs: the second row of each is predicted
        self.ok([3, 4, 5, 9], 1, 4, [H("02020000"), H("0602")],
                H("07 02 01"),
                keys=[KEY_ABAB, (2, 1, [H("0504"), H("00010000")],
                                 H("05 01 02"))])
        # before is 0 also where last is the source's value; then it swaps
        self.ok([3, 0, 5], 1, 3, [H("020101"), H("06")], H("07 02 01"),
                keys=[KEY_ONE, (2, 1, [], H("01 05"))])

    def test_bytes(self):
        self.ok([b"ab", b"", b"c"], 5, 3, [H("020001"), b"abc"],
                H("08 00 01"))
        self.ok([b"ab", b"cd"], 5, 2, [b"abcd"], H("08 01 02"))
        self.ok([b"", b""], 5, 2, [], H("08 01 00"))
        self.ok([b"", b"a", b"bc"], 5, 3, [H("000202"), b"abc"],
                H("08 03 00 01"))
        self.bad(5, 2, [b"abc"], H("08 01 02"))
        self.bad(5, 2, [b""], H("08 01 00"))      # is left out
        self.bad(5, 2, [b"\2\2", b"abcd"], H("08 06 01 01"))
        self.absent(5, 2, [b"\2\2", b"abcd"], H("08 21 01"))
        self.bad(1, 2, [b"abcd"], H("08 01 02"))
        self.bad(5, 2, [H("0102")], H("00 01"))
        # text of more than 65,536 bytes
        self.bad(5, 1, [b"x" * 65537], H("08 01 81 80 04"), role=4)
        self.ok([b"x" * 65537], 5, 1, [b"x" * 65537], H("08 01 81 80 04"))
        # lengths that overflow
        self.bad(5, 2, [], H("08 01") + b"\xff" * 9 + b"\1")

    def test_list(self):
        self.ok([[1, 2], [], [3]], 1, 3, [H("020001"), H("010203")],
                H("09 00 01 03 00 01"), lst=1)
        self.ok([[-1], [1]], 2, 2, [H("0102")], H("09 01 01 02 00 01"),
                lst=1)
        self.ok([[], []], 1, 2, [], H("09 01 00 00 00 00"), lst=1)
        self.ok([[], []], 4, 2, [], H("09 01 00 00 00 00"), lst=1)
        self.ok([[], []], 1, 2, [b""], H("09 01 00 00 05 00 00"), lst=1)
        self.bad(1, 2, [H("0102")], H("09 01 01 03 00 01"), lst=1)
        self.bad(1, 2, [H("0102")], H("00 01"), lst=1)
        self.bad(1, 1, [], H("09 01 81 80 80 08 81 80 80 08 01 00"), lst=1)

    def test_unknown(self):
        self.absent(1, 2, [b"what", b"ever"], H("30 01 02 03"))


SCH = table(300, "t", 2, col(0, "time", 1, role=1), col(1, "v", 1))


def simple(w, base=0, epoch=0, **kw):
    """Two rows of times 10, 12 and values 5, 6."""
    return w.data([part(300, 2, [column(0, [H("0004")], H("03 0A 01"),
                                        H("01 0A 0C")),
                                 column(1, [H("0506")], H("00 01"))],
                        base=base, flags=1, more=H("0A 02"))],
                  H("0004 0506"), times=(10, 12), epoch=epoch, **kw)


class Files(unittest.TestCase):
    def test_header(self):
        for kw in (dict(major=2), dict(incompatible=1), dict(reserved=1),
                   dict(magic=b"\x89CTR\n\n\x1a\n")):
            with self.assertRaises(TraceError):
                Writer(**kw).trace()
        Writer(minor=9, compatible=1 << 63).trace()
        w = Writer(length=72)
        w.schema(SCH)
        self.assertEqual(w.trace().tables()[0]["name"], "t")
        b = bytearray(header())
        b[50] ^= 1
        for bad in (b, b"", b"\x89CT", header()[:63]):
            with self.assertRaises(TraceError):
                Trace(io.BytesIO(bad))
        # the longest, and one that is longer or not all there
        w = Writer(length=65536)
        w.schema(SCH)
        self.assertEqual(w.trace().tables()[0]["name"], "t")
        for bad in (header(length=65544), header(length=72)[:71]):
            with self.assertRaises(TraceError):
                Trace(io.BytesIO(bad))

    def test_first_error_counts(self):
        """Which of two errors is told."""
        def told(data):
            with self.assertRaises(TraceError) as e:
                Trace(io.BytesIO(bytes(data))).scan()
            return type(e.exception)
        newer = reader.Newer
        self.assertIs(told(header(major=2)), newer)
        self.assertIs(told(header(incompatible=4)), newer)
        self.assertIs(told(header(major=2, length=65544)), newer)
        self.assertIs(told(header(major=2)[:63]), TraceError)
        b = bytearray(header(major=2))
        b[40] ^= 1
        self.assertIs(told(b), TraceError)
        # of chunks the one that comes first
        wrong = table(1, "string", 1, col(0, "bytes", 1))
        for first, want in ((True, newer), (False, TraceError)):
            w = Writer()
            if first:
                w.chunk(77, 1)
            w.schema(wrong)
            w.chunk(77, 1)
            self.assertIs(told(w.b), want)
        with self.assertRaises(TraceError):
            bad = bytearray(header())
            bad[12:16] = H("41000000")
            bad[60:] = struct.pack("<I", crc32c(bad[:60]))
            Trace(io.BytesIO(bad))

    def whole(self):
        w = Writer()
        w.schema(SCH)
        a = simple(w)
        b = simple(w, base=2)
        e = w.end()
        return w, a, b, e

    def test_whole(self):
        w, a, b, e = self.whole()
        t = w.trace()
        self.assertEqual(t.check(), [])
        self.assertEqual(t.ending(), "closed")
        self.assertEqual([(r["time"], r["v"], r["_row"])
                          for r in t.rows("t")],
                         [(10, 5, 0), (12, 6, 1), (10, 5, 2), (12, 6, 3)])
        w.b += b"foreign"
        t = w.trace()
        self.assertEqual(t.check(), [])
        self.assertEqual((t.ending(), t.foreign), ("followed", 7))

    def test_cut_everywhere(self):
        w, a, b, e = self.whole()
        for n in range(64, len(w.b) + 1):
            t = Trace(io.BytesIO(bytes(w.b[:n])))
            rows = len(list(t.rows("t")))
            self.assertEqual(rows, 2 * (n >= b) + 2 * (n >= e), n)
            self.assertEqual(t.check(), [], n)
            self.assertEqual(t.unfinished is None,
                             n in (64, a, b, e, len(w.b)), n)

    def test_damage(self):
        w, a, b, e = self.whole()
        w.b[a + 33] ^= 1
        t = w.trace()
        self.assertEqual(len(list(t.rows("t"))), 2)
        self.assertEqual([g[:2] for g in t.gaps], [(a, b - a)])
        text = [x for _, x in t.check()]
        self.assertTrue(any("missing" in x for x in text))
        self.assertFalse(any("sequence" in x for x in text))
        # a directory: the chunk is lost, its place is known
        w, a, b, e = self.whole()
        w.b[a + 82] ^= 1
        t = w.trace()
        self.assertEqual(len(list(t.rows("t"))), 2)
        self.assertEqual(t.gaps, [])
        # a stream: one column is lost
        w, a, b, e = self.whole()
        at = w.b.index(H("0004 0506"), a)
        w.b[at + 3] ^= 1
        t = w.trace()
        self.assertEqual([(r["time"], r["v"]) for r in t.rows("t")][:3],
                         [(10, None), (12, None), (10, 5)])
        self.assertEqual(len(t.problems), 1)

    def test_last_bytes(self):
        """A beginning of a chunk, or something else."""
        w, a, b, e = self.whole()
        sync = b"CHNK\2\0\0\0" + struct.pack("<Q", len(w.b) + 8)
        for n, want in ((1, "followed"), (3, "followed"), (4, "cut short")):
            t = Trace(io.BytesIO(bytes(w.b + sync[:n])))
            self.assertEqual(t.scan().ending(), want)
            self.assertEqual(t.gaps, [])
        # without an END before it, one byte will do, if a hop leads there
        t = Trace(io.BytesIO(bytes(w.b[:e + 1])))
        self.assertEqual(t.scan().ending(), "cut short")
        for n, want in ((3, "followed"), (4, "cut short"), (16, "cut short")):
            t = Trace(io.BytesIO(bytes(w.b + b"nothing!" + sync[:n])))
            self.assertEqual(t.scan().ending(), want)
            self.assertEqual([g[:2] for g in t.gaps],
                             [] if n < 4 else [(len(w.b), 8)])

    def test_index(self):
        def indexed(change=()):
            w = Writer()
            w.schema(SCH)
            a = simple(w)
            b = simple(w, base=2)
            w.end(w.index(change))
            return w, a, b
        w, a, b = indexed()
        self.assertEqual(w.trace().check(), [])
        self.assertEqual(len(w.trace().index), 3)
        # a header in the middle: rows are missing, it is no gap
        w.b[a + 33] ^= 1
        t = w.trace()
        self.assertEqual([r["_row"] for r in t.rows("t")], [2, 3])
        self.assertEqual((t.gaps, t.ending()), ([], "closed"))
        self.assertEqual([p[0] for p in t.problems], [a])
        # to a pipe, which has no index before its end, it is one
        r, wr = os.pipe()
        with os.fdopen(r, "rb") as src:
            with os.fdopen(wr, "wb") as dst:
                dst.write(w.b)
            with Trace(src) as t:
                self.assertEqual([r["_row"] for r in t.rows("t")], [2, 3])
                self.assertEqual([g[:2] for g in t.gaps], [(a, b - a)])
        # a row that says otherwise than a sound header
        w, a, b = indexed((1, 7, 99))
        t = w.trace()
        self.assertEqual([r["_row"] for r in t.rows("t")], [2, 3])
        self.assertEqual(t.gaps, [])
        # rows that do not lie end to end, a SCHEMA that is another: no index
        for change in ((1, 1, 800), (0, 4, 7)):
            w, a, b = indexed(change)
            t = w.trace()
            self.assertIsNone(t.index)
            self.assertEqual(len(list(t.rows("t"))), 4)
            self.assertEqual((t.gaps, t.problems), ([], []))

    def test_unknown_chunk(self):
        w = Writer()
        w.schema(SCH)
        w.chunk(3, 0, b"dir", b"body", extra=99)
        simple(w)
        self.assertEqual(len(list(w.trace().rows("t"))), 2)
        self.assertEqual(w.trace().check(), [])
        w.chunk(77, 1)
        with self.assertRaises(reader.Newer):
            w.trace().scan()

    def test_reserved(self):
        for kw in (dict(flags=4), dict(flags=2, reserved=1),
                   dict(flags=2, extra=8), dict(flags=2, times=(2, 1)),
                   dict(flags=2, parts=1025)):
            w = Writer()
            w.chunk(2, **kw)
            self.assertEqual(len(w.trace().scan().gaps), 1)
        w = Writer()
        w.schema(SCH)
        w.data([part(300, 1, [], flags=4)], b"")
        self.assertEqual(list(w.trace().parts("t")), [])
        w = Writer()
        w.schema(SCH)
        w.chunk(5, 0)
        w.schema(SCH)
        w.b += b"\1"
        self.assertEqual(w.trace().scan().gaps, [(len(w.b) - 1, 1,
                         "fewer bytes than a chunk header")])

    def test_padding(self):
        w = Writer()
        w.schema(SCH)
        w.chunk(3, 0, b"abc", pad=1)
        self.assertEqual(len(w.trace().check()), 1)

    def test_epochs(self):
        w = Writer()
        w.schema(SCH)
        for i in range(20):
            simple(w, epoch=i)
        self.assertEqual(w.trace().check(), [])
        simple(w, epoch=4, base=2)
        self.assertEqual(w.trace().check(), [])
        simple(w, epoch=3, base=2)
        self.assertEqual(len(w.trace().check()), 1)

    def test_limits(self):
        def parts_of(p, body=b""):
            w = Writer()
            w.schema(SCH)
            w.data([p], body)
            t = w.trace()
            return list(t.parts("t")), t.problems
        self.assertEqual(len(parts_of(part(300, 1 << 20, []))[0]), 1)
        self.assertEqual(len(parts_of(part(300, (1 << 20) + 1, []))[0]), 0)
        self.assertEqual(len(parts_of(part(300, 0, []))[0]), 0)
        self.assertEqual(len(parts_of(part(300, 1, []), b"x")[0]), 0)
        big = counted(b"\1\1" + raw_stream(b"x", 1, (64 << 20) + 1)
                      + b"\0\x08\x01\x01")
        self.assertEqual(len(parts_of(part(300, 1, [big]), b"x")[0]), 0)

    def test_schema_changes(self):
        w = Writer()
        w.schema(SCH)
        w.schema(table(300, "t", 2, col(1, "v", 1), col(9, "new", 5,
                 tail=H("02 00 00 77 77"))))
        t = w.trace()
        self.assertEqual([c["id"] for c in t.tables()[0]["columns"]],
                         [0, 1, 9])
        self.assertEqual(t.tables()[0]["columns"][2]["key"], 1)
        w.schema(table(300, "t", 2, col(1, "v", 2)))
        with self.assertRaises(TraceError):
            w.trace().scan()

    def test_fixed_tables(self):
        w = Writer()
        w.schema(table(1, "string", 1, col(0, "bytes", 1)))
        with self.assertRaises(TraceError):
            w.trace().scan()

    def test_memory(self):
        """Many rows out of few bytes are refused before they are made."""
        w = Writer()
        w.schema(table(300, "t", 2, *[col(i, "c%d" % i, 1, role=2)
                                      for i in range(1024)]))
        w.data([part(300, 1 << 20, [column(i, [], H("01 05"))
                                    for i in range(1024)])], b"")
        t = w.trace()
        (p,) = t.parts("t")
        have = [p.values(i) is not None for i in range(30)]
        self.assertEqual(sum(have), 24)
        self.assertIn("too much memory", t.problems[0][1])
        # one by one they can be had
        p.forget()
        self.assertTrue(p.has(1000))

    def test_append_and_pipe(self):
        w, a, b, e = self.whole()
        w.schema(SCH)
        simple(w, base=4)
        t = w.trace()
        self.assertEqual(t.check(), [])
        self.assertEqual(t.ending(), "not closed")
        out = subprocess.run([sys.executable, reader.__file__, "-", "--hash"],
                             input=bytes(w.b), capture_output=True)
        self.assertEqual(out.returncode, 0, out.stderr)
        times = struct.pack("<6Q", 10, 12, 10, 12, 10, 12)
        self.assertIn(b"t time 6 %08x\n" % reader.zlib.crc32(times),
                      out.stdout)

    def test_live_pipe(self):
        """Rows come as soon as their chunk is there."""
        w, a, b, e = self.whole()
        r, wr = os.pipe()
        with os.fdopen(r, "rb") as src, os.fdopen(wr, "wb", 0) as dst:
            dst.write(bytes(w.b[:b]))
            rows = Trace(src).rows("t")
            self.assertEqual(next(rows)["v"], 5)
            self.assertEqual(next(rows)["v"], 6)
            dst.write(bytes(w.b[b:]))
            dst.close()
            self.assertEqual(len(list(rows)), 2)

    def test_references(self):
        w = Writer()
        w.schema(table(1, "string", 1, col(0, "bytes", 5, role=4)),
                 table(300, "t", 2, col(0, "s", 6, ref=1)))
        def refs(v, before=b""):
            return [part(300, 1, [column(0, [], H("01") + v)])]
        w.data(refs(H("00")), b"")
        self.assertEqual(w.trace().check(), [])
        w.data([part(1, 2, [column(0, [H("0003"), b"abc"],
                                   H("08 00 01"))]),
                part(300, 1, [column(0, [], H("01 01"))], base=1)],
               H("0003") + b"abc")
        t = w.trace()
        self.assertEqual(t.check(), [])
        self.assertEqual(t.resolve(0, "string", 1), {"bytes": b"abc"})
        self.assertEqual(t.text(0, 1), "abc")
        self.assertIsNone(t.resolve(1, "string", 1))
        w.data([part(300, 1, [column(0, [], H("01 02"))], base=2)], b"")
        self.assertEqual(len(w.trace().check()), 1)


def constant(i, v):
    return column(i, [], b"\1" + vi(v))


def blob(i, b):
    return column(i, [b] if b else [], b"\x08\1" + vi(len(b)))


STRINGS = ["", "/bin/a", "first", "second", "/bin/b"]


class Symbols(unittest.TestCase):
    def file(self, images, symbols):
        """images: (kind, path, build-id, generation); symbols: (image, start,
        size, name). Frames 0, 1 … are at address 20 of each image."""
        w = Writer()
        w.schema(table(1, "string", 1, col(0, "bytes", 5, role=4)),
                 table(2, "image", 1, col(0, "kind", 1),
                       col(1, "path", 6, ref=1), col(2, "build_id", 5),
                       col(3, "generation", 1)),
                 table(7, "frame", 1, col(0, "image", 6, ref=2),
                       col(1, "address", 1), col(2, "kind", 1)),
                 table(9, "symbol", 1, col(0, "image", 6, ref=2),
                       col(1, "start", 1), col(2, "size", 1),
                       col(3, "name", 6, ref=1)))
        parts, body = [], b""
        for i, text in enumerate(STRINGS):
            parts.append(part(1, 1, [blob(0, text.encode())], base=i))
            body += text.encode()
        for i, (kind, path, build, generation) in enumerate(images):
            parts.append(part(2, 1, [constant(0, kind), constant(1, path),
                                     blob(2, build), constant(3, generation)],
                              base=i))
            body += build
            parts.append(part(7, 1, [constant(0, i), constant(1, 20),
                                     constant(2, 0)], base=i))
        for i, s in enumerate(symbols):
            parts.append(part(9, 1, [constant(k, v) for k, v in enumerate(s)],
                              base=i))
        w.data(parts, body)
        return w.trace()

    def names(self, images, symbols):
        t = self.file(images, symbols)
        return [t.frame(0, i)["sym"] for i in range(len(images))]

    def test_alike(self):
        """A name is for all images that are the same; it is of image 0."""
        one = [(0, 10, 20, 2)]
        yes, no = ["first", "first"], ["first", None]
        for a, b, want in (
                # the same build-id, another path or generation
                ((1, 1, b"ab", 0), (1, 4, b"ab", 3), yes),
                ((1, 1, b"ab", 0), (3, 1, b"ab", 0), no),
                ((1, 1, b"ab", 0), (1, 1, b"ac", 0), no),
                ((1, 1, b"ab", 0), (1, 1, b"", 0), no),
                # without one, or with zeros
                ((1, 1, b"", 0), (1, 1, b"", 0), yes),
                ((1, 1, b"", 0), (1, 1, b"\0\0", 0), yes),
                ((1, 1, b"", 0), (1, 4, b"", 0), no),
                ((1, 1, b"\0", 0), (1, 4, b"\0", 0), no),
                ((1, 1, b"", 0), (3, 1, b"", 0), no),
                ((6, 1, b"", 0), (6, 1, b"", 1), no),
                # whose path is lost; there is one kernel
                ((1, 9, b"", 0), (1, 9, b"", 0), no),
                ((2, 9, b"", 0), (2, 9, b"", 0), yes)):
            self.assertEqual(self.names([a, b], one), want, (a, b))

    def test_order(self):
        image = [(1, 1, b"ab", 0)]
        for symbols, want in (
                ([(0, 10, 20, 2), (0, 10, 20, 3)], "second"),
                # a later row, and then one without a name, is passed over
                ([(0, 10, 20, 2), (0, 12, 20, 0)], "first"),
                ([(0, 10, 20, 2), (0, 12, 20, 3), (0, 12, 20, 0)], "first"),
                ([(0, 10, 20, 2), (0, 12, 20, 0), (0, 12, 20, 3)], "second"),
                # no other row than the nearest is tried
                ([(0, 10, 20, 2), (0, 12, 2, 3)], None)):
            self.assertEqual(self.names(image, symbols), [want], symbols)


FORMAT = pathlib.Path(__file__).parent.parent / "golden" / "format"
ENDINGS = {"closed": "closed", "followed": "followed", "unclosed":
           "not closed", "cut": "cut short"}


class Dumps(unittest.TestCase):
    """The stored files are what their dumps say: chunks, gaps, ending, which
    refusal, and what rows there are."""

    def header(self, t, d):
        at = t.last_end.offset + 80 if t.foreign else t.src.size()
        self.assertEqual(
            (t.major, t.minor, t.features, t.file_id.hex(), t.start,
             t.ending(), at),
            (d["major"], d["minor"], d["compatible"], d["id"], d["start"],
             ENDINGS[d["ending"]], d["end"]))

    def chunks(self, t, lines):
        self.assertEqual([(g[0], g[1]) for g in t.gaps],
                         [(d["gap"], d["size"]) for d in lines if "gap" in d])
        names = ("offset", "type", "flags", "seq", "epoch", "parts", "t_min",
                 "t_max")
        self.assertEqual(
            [(i, c.offset, c.type, c.flags, c.seq, c.epoch, c.nparts, c.tmin,
              c.tmax) for i, c in enumerate(t.chunks)],
            [(d["chunk"],) + tuple(d[n] for n in names)
             for d in lines if "offset" in d])

    def rows(self, t, lines):
        """Numbers of the rows; a part that is lost has none."""
        want, have = set(), set()
        for d in lines:
            if "row" in d:
                want.update((d["table"], d["chunk"], d["epoch"], i) for i in
                            range(d["row"], d["row"] + d.get("rows", 1)))
        number = {c.offset: i for i, c in enumerate(t.chunks)}
        for p in t.parts():
            lost = False
            for c in p.schema().ordered() if p.schema() else ():
                try:
                    p.raw(c.id)
                except reader.Absent:
                    pass
                except reader.Bad:
                    lost = True
            if p.table != 31 and p.schema() and not lost \
                    and not p.chunk.refused:
                have.update((p.schema().name, number[p.chunk.offset], p.epoch,
                             i) for i in range(p.base, p.base + p.rows))
        self.assertEqual(have, want)

    def test_all(self):
        n = 0
        for path in sorted(FORMAT.glob("**/*.ctr")):
            with self.subTest(path=str(path.relative_to(FORMAT))):
                lines = [json.loads(x) for x in
                         path.with_suffix(".jsonl").read_text().splitlines()]
                try:
                    with Trace(path) as t:
                        t.scan()
                        self.header(t, lines[0])
                        self.chunks(t, lines)
                        # its tables are known to who needs no schema
                        if path.name != "schema.ctr":
                            self.rows(t, lines)
                except TraceError as e:
                    self.assertEqual(lines, [{"refused": "newer" if isinstance(
                        e, reader.Newer) else "no trace"}])
                n += 1
        self.assertGreater(n, 40)


if __name__ == "__main__":
    unittest.main()
