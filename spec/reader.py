"""Reads coltrace files (.ctr), format major version 1.

Written from spec/format.md and spec/tables.md alone.  Python 3.11, standard
library and zstandard (or libzstd.so.1 through ctypes).

    t = Trace("x.ctr")              # or an open binary file, a pipe too
    t.tables()                      # schema
    for part in t.parts("sample"):  # epoch, base, rows, times, columns
        part.values("time")
    for row in t.rows("thread"): ...
    for s in t.samples(): ...
"""

import argparse
import bisect
import collections
import itertools
import json
import os
import stat
import struct
import sys
import tempfile
import zlib
from array import array

try:
    import zstandard as _zs
except ImportError:
    _zs = None
    import ctypes

MASK = (1 << 64) - 1
MAGIC = b"\x89CTR\r\n\x1a\n"
MAJOR = 1

# section 9
MAX_HEADER = 65536
MAX_ROWS = 1 << 20
MAX_PARTS = 1024
MAX_DIR = 1 << 20
MAX_BODY = 256 << 20
MAX_PACKED = 16 << 20
MAX_COLUMNS = 1024
MAX_TABLES = 65536
MAX_STREAMS = 20
MAX_KEYS = 1 << 20
MAX_STREAM = 64 << 20
MAX_TEXT = 65536
MAX_ITEMS = 1 << 24
MAX_DEPTH = 4096
MAX_DEF_ROWS = 1 << 26
# this reader's own
MAX_PART = 192 << 20
MAX_SCHEMA = 64 << 20
EPOCHS_OPEN = 16

SYNC = 4        # bytes

SCHEMA, DATA, INDEX, END = 1, 2, 4, 5
CHUNK_NAMES = {SCHEMA: "SCHEMA", DATA: "DATA", INDEX: "INDEX", END: "END"}
CRITICAL, PACKED = 1, 2

U64, I64, F64, BOOL, BYTES, REF = 1, 2, 3, 4, 5, 6
TYPES = {1: "u64", 2: "i64", 3: "f64", 4: "bool", 5: "bytes", 6: "ref"}
KINDS = {1: "definition", 2: "event", 3: "interval"}
ROLES = {0: "value", 1: "time", 2: "id", 3: "serial", 4: "text", 5: "blob",
         6: "below"}
PRIVACY = {1: "number", 2: "name", 3: "path", 4: "argument", 5: "address",
           6: "host", 7: "content"}

PLANES, CONST, DELTA, KDELTA, DICT, KLAST, LINK = 0, 1, 3, 4, 5, 6, 7
E_BYTES, E_LIST, RISE = 8, 9, 10
PLAIN = {PLANES, CONST, DELTA, DICT, RISE}
KEYED = {KDELTA, KLAST, LINK}

# types of the columns of tables.md, from 0 on; rN is a ref of table N
FIXED = {
    1: "5",
    2: "1 r1 5 1",
    3: "1 1 1 r1 1 1 r1 1",
    4: "1 1 1 r1 1",
    5: "1 1 1 1 1 r2",
    6: "r1 r1 1 1 1 1 4 5 1 1 1 r6",
    7: "r2 1 1",
    8: "r8 r7",
    9: "r2 1 1 r1 r1",
    10: "1 1 1",
    11: "r1 r1",
    12: "1 1 1 1 1",
    15: "r1 r1 1 5",
    18: "1 1 1 r1",
    31: "1 1 1 1 1 1 1 1 1",
    32: "1 1 r4 r6 1 r7 r8 r8 1",
    33: "1 1 r4 1 1",
}

T_STRING, T_IMAGE, T_PROCESS, T_THREAD = 1, 2, 3, 4
T_EVENT, T_FRAME, T_STACK, T_SYMBOL = 6, 7, 8, 9
T_INDEX, T_SAMPLE = 31, 32


LOST = -1       # a frame that the file refers to and does not have


class TraceError(Exception):
    """The file cannot be read by this reader."""


class Newer(TraceError):
    """It is of a version that this reader does not know."""


class Bad(Exception):
    """A chunk, part or column that does not keep to the format."""


class Absent(Exception):
    """A column that is not there, or that this reader does not know."""


# ---------------------------------------------------------------- checksums

def _crc_tables():
    one = []
    for i in range(256):
        for _ in range(8):
            i = (i >> 1) ^ (0x82F63B78 if i & 1 else 0)
        one.append(i)
    # two bytes at a time: index is (crc ^ two bytes) & 0xffff
    two = [one[(i >> 8) ^ (one[i & 255] & 255)] ^ (one[i & 255] >> 8)
           for i in range(65536)]
    return one, two


_CRC1, _CRC2 = _crc_tables()


def crc32c(data):
    """
    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    crc = 0xFFFFFFFF
    view = memoryview(data)
    half = array("H", bytes(view[:len(view) & ~1]))
    if sys.byteorder == "big":
        half.byteswap()
    table = _CRC2
    for word in half:
        crc = table[(crc ^ word) & 0xFFFF] ^ (crc >> 16)
    if len(view) & 1:
        crc = _CRC1[(crc ^ view[-1]) & 255] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


# --------------------------------------------------------------------- zstd

class _LibZstd:
    def __init__(self):
        lib = ctypes.CDLL("libzstd.so.1")
        size, ptr = ctypes.c_size_t, ctypes.c_char_p
        lib.ZSTD_getFrameContentSize.argtypes = [ptr, size]
        lib.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
        lib.ZSTD_findFrameCompressedSize.argtypes = [ptr, size]
        lib.ZSTD_findFrameCompressedSize.restype = size
        lib.ZSTD_isError.argtypes = [size]
        lib.ZSTD_decompress.argtypes = [ctypes.c_void_p, size, ptr, size]
        lib.ZSTD_decompress.restype = size
        self.lib = lib

    def one_frame(self, data, size):
        lib = self.lib
        if lib.ZSTD_getFrameContentSize(data, len(data)) != size:
            raise Bad("zstd frame states another content size, or none")
        stored = lib.ZSTD_findFrameCompressedSize(data, len(data))
        if lib.ZSTD_isError(stored) or stored != len(data):
            raise Bad("not exactly one zstd frame")
        out = ctypes.create_string_buffer(max(size, 1))
        got = lib.ZSTD_decompress(out, size, data, len(data))
        if lib.ZSTD_isError(got) or got != size:
            raise Bad("zstd frame is damaged")
        return out.raw[:size]


class _PyZstd:
    def one_frame(self, data, size):
        try:
            stated = _zs.get_frame_parameters(data)
            # 0.20 reports "unknown" as 2^64 - 1, as libzstd does
            if stated.content_size != size:
                raise Bad("zstd frame states another content size, or none")
            d = _zs.ZstdDecompressor(max_window_size=MAX_STREAM * 2)
            obj = d.decompressobj()
            out = obj.decompress(data)
            if obj.unused_data or len(out) != size:
                raise Bad("not exactly one zstd frame")
            if not getattr(obj, "eof", True):
                raise Bad("zstd frame is cut")
            return out
        except _zs.ZstdError as e:
            raise Bad("zstd: %s" % e)


_zstd = None


def unblock(codec, data, size):
    """A block: codec 0 raw, 1 exactly one zstd frame with its size."""
    global _zstd
    if codec == 0:
        if len(data) != size:
            raise Bad("raw block of another size than announced")
        return data
    if codec != 1:
        raise Absent("codec %d" % codec)
    if bytes(data[:4]) != b"\x28\xb5\x2f\xfd":
        raise Bad("no zstd frame")
    if _zstd is None:
        _zstd = _PyZstd() if _zs else _LibZstd()
    return _zstd.one_frame(bytes(data), size)


# ------------------------------------------------------------------ varints

def unzz(v):
    """
    >>> [unzz(i) for i in range(5)]
    [0, -1, 1, -2, 2]
    """
    return (v >> 1) ^ -(v & 1)


class Cursor:
    """Walks over bytes; running out of them is Bad."""
    __slots__ = ("buf", "pos", "end")

    def __init__(self, buf, pos=0, end=None):
        self.buf, self.pos = buf, pos
        self.end = len(buf) if end is None else end

    def left(self):
        return self.end - self.pos

    def u8(self):
        if self.pos >= self.end:
            raise Bad("cut short")
        v = self.buf[self.pos]
        self.pos += 1
        return v

    def u32(self):
        return int.from_bytes(self.take(4), "little")

    def take(self, n):
        if n > self.end - self.pos:
            raise Bad("cut short")
        v = self.buf[self.pos:self.pos + n]
        self.pos += n
        return v

    def varint(self):
        """
        >>> Cursor(bytes([0xAC, 0x02])).varint()
        300
        """
        buf, pos, end = self.buf, self.pos, self.end
        v = shift = 0
        while True:
            if pos >= end:
                raise Bad("varint cut short")
            b = buf[pos]
            pos += 1
            v |= (b & 127) << shift
            if b < 128:
                break
            shift += 7
            if shift > 63:
                raise Bad("varint of more than 10 bytes")
        if shift and not b:
            raise Bad("varint is not the shortest")
        if v > MASK:
            raise Bad("varint of more than 64 bits")
        self.pos = pos
        return v

    def string(self, most=MAX_TEXT):
        n = self.varint()
        if n > most:
            raise Bad("string of %d bytes" % n)
        return bytes(self.take(n))

    def sub(self):
        """What is counted by a varint, as a cursor of its own."""
        n = self.varint()
        if n > self.end - self.pos:
            raise Bad("counted thing is longer than what holds it")
        c = Cursor(self.buf, self.pos, self.pos + n)
        self.pos += n
        return c

    def done(self, what):
        if self.pos != self.end:
            raise Bad("%s has %d bytes too many" % (what, self.left()))


def varints(data, count=None):
    """All varints of a stream; exactly count, where that is given."""
    data = bytes(data)
    if not data or max(data) < 128:
        out = list(data)
    else:
        if count is not None and len(data) > 10 * count:
            raise Bad("more varints than taken")
        out = []
        add = out.append
        v = shift = 0
        for b in data:
            if b > 127:
                v |= (b & 127) << shift
                shift += 7
                if shift > 63:
                    raise Bad("varint of more than 10 bytes")
            elif shift:
                if not b:
                    raise Bad("varint is not the shortest")
                v |= b << shift
                if v > MASK:
                    raise Bad("varint of more than 64 bits")
                add(v)
                v = shift = 0
            else:
                add(b)
        if shift:
            raise Bad("varint cut short")
    if count is not None and len(out) != count:
        raise Bad("%d varints where %d are taken" % (len(out), count))
    return out


def q_from_bytes(data):
    a = array("Q")
    a.frombytes(data)
    if sys.byteorder == "big":
        a.byteswap()
    return a


def q_bytes(a):
    if sys.byteorder == "big":
        a = array("Q", a)
        a.byteswap()
    return a.tobytes()


def to_q(values):
    """An array of u64 of integers, modulo 2^64."""
    try:
        return array("Q", values)
    except (OverflowError, TypeError):
        return array("Q", [v & MASK for v in values])


# ------------------------------------------------------------------- schema

class Column:
    def __init__(self):
        self.id = 0
        self.name = ""
        self.type = self.list = self.ref = self.role = 0
        self.unit = ""
        self.privacy = 0
        self.key = self.second = self.link = 0
        self.known = True

    def same(self, other):
        return ((self.type, self.list, self.ref)
                == (other.type, other.list, other.ref))

    def describe(self, trace=None):
        d = {"id": self.id, "name": self.name,
             "type": TYPES.get(self.type, self.type),
             "list": bool(self.list), "unit": self.unit,
             "role": ROLES.get(self.role, self.role),
             "privacy": PRIVACY.get(self.privacy, "content")}
        if self.type == REF:
            other = trace and trace.schema.get(self.ref)
            d["ref"] = self.ref
            d["ref_name"] = other.name if other else None
        for k in ("key", "second", "link"):
            if getattr(self, k):
                d[k] = getattr(self, k) - 1
        return d


class Table:
    def __init__(self):
        self.id = 0
        self.name = ""
        self.kind = 0
        self.columns = {}      # id -> Column
        self.announced = 0     # offset of the first SCHEMA chunk that has it

    def by_name(self, name):
        if isinstance(name, int):
            return self.columns.get(name)
        for c in self.columns.values():
            if c.name == name:
                return c
        return None

    def ordered(self):
        return [self.columns[i] for i in sorted(self.columns)]

    def time_column(self):
        for c in self.ordered():
            if c.role == 1 and c.type == U64 and not c.list:
                return c
        return None


def _name(cur):
    raw = cur.string()
    if b"\0" in raw:
        raise Bad("a name has a zero byte")
    return raw.decode("utf-8", "replace")


def parse_schema(body):
    """The tables of one decoded SCHEMA body."""
    cur = Cursor(body)
    tables = []
    while cur.left():
        c = cur.sub()
        t = Table()
        t.id = c.varint()
        t.name = _name(c)
        t.kind = c.varint()
        n = c.varint()
        if not 1 <= n <= MAX_COLUMNS:
            raise Bad("table with %d columns" % n)
        last = -1
        for _ in range(n):
            d = c.sub()
            col = Column()
            col.id = d.varint()
            if col.id <= last:
                raise Bad("columns of a table do not ascend")
            last = col.id
            col.name = _name(d)
            col.type = d.varint()
            col.list = d.varint()
            col.unit = _name(d)
            col.ref = d.varint()
            col.role = d.varint()
            col.privacy = d.varint()
            if d.left():
                col.key, col.second, col.link = (d.varint(), d.varint(),
                                                 d.varint())
            # bytes behind are skipped
            col.known = (col.type in TYPES and col.list in (0, 1)
                         and not (col.type == BYTES and col.list))
            t.columns[col.id] = col
        tables.append(t)
        if len(tables) > MAX_TABLES:
            raise Bad("too many tables")
    return tables


# ------------------------------------------------------------------- source

class _File:
    """Bytes at any offset of something seekable."""

    def __init__(self, f):
        self.f = f
        try:
            self.fd = f.fileno()
            self.size_ = os.fstat(self.fd).st_size
        except (AttributeError, OSError, ValueError):
            self.fd = None
            self.size_ = f.seek(0, 2)

    seekable = True

    def size(self):
        return self.size_

    def at(self, offset, n):
        n = min(n, self.size_ - offset)
        if n <= 0:
            return b""
        if self.fd is None:
            self.f.seek(offset)
            return self.f.read(n)
        parts = []
        while n:
            got = os.pread(self.fd, n, offset)
            if not got:
                break
            parts.append(got)
            offset += len(got)
            n -= len(got)
        return parts[0] if len(parts) == 1 else b"".join(parts)


class _Pipe:
    """Bytes of a pipe, kept in a temporary file as far as they came."""
    seekable = False

    def __init__(self, f):
        self.f = f
        self.read = getattr(f, "read1", None) or f.read
        self.have = 0
        self.ended = False
        self.spool = tempfile.TemporaryFile(buffering=0)

    def fill(self, upto):
        while self.have < upto and not self.ended:
            b = self.read(1 << 16)
            if not b:
                self.ended = True
                break
            b = memoryview(b)
            at = self.have
            while len(b):
                n = os.pwrite(self.spool.fileno(), b, at)
                b, at = b[n:], at + n
            self.have = at

    def size(self):
        self.fill(1 << 63)
        return self.have

    def at(self, offset, n):
        self.fill(offset + n)
        n = max(0, min(n, self.have - offset))
        out = os.pread(self.spool.fileno(), n, offset) if n else b""
        while len(out) < n:
            more = os.pread(self.spool.fileno(), n - len(out),
                            offset + len(out))
            if not more:
                break
            out += more
        return out


# ------------------------------------------------------------------- chunks

_HEAD = struct.Struct("<4sHHQQIIQQIIIIQII")


class Chunk:
    __slots__ = ("offset", "size", "type", "flags", "seq", "epoch", "tmin",
                 "tmax", "nparts", "dir_len", "body_len", "dir_crc", "extra",
                 "mask", "after_gap", "bad", "parts_", "trace", "stored",
                 "codec", "decoded", "body_crc", "refused")

    def directory_at(self):
        return self.offset + 80

    def body_at(self):
        return self.offset + 80 + self.dir_len


def sound(data, offset, file4):
    """The chunk header in 80 bytes, or None where it is not sound."""
    if len(data) < 80 or data[:4] != b"CHNK":
        return None
    (_, typ, flags, off, seq, fid, epoch, tmin, tmax, parts, dlen, blen,
     dcrc, extra, reserved, crc) = _HEAD.unpack(data)
    if off != offset or fid != file4 or crc32c(data[:76]) != crc:
        return None
    if flags & ~3 or reserved or (typ in (SCHEMA, DATA, INDEX) and extra):
        return None
    if parts > MAX_PARTS or dlen > MAX_DIR or blen > MAX_BODY or tmin > tmax:
        return None
    c = blank()
    c.offset, c.type, c.flags, c.seq, c.epoch = off, typ, flags, seq, epoch
    c.tmin, c.tmax, c.nparts = tmin, tmax, parts
    c.dir_len, c.body_len, c.dir_crc, c.extra = dlen, blen, dcrc, extra
    c.size = 80 + (dlen + blen + 7 & ~7)
    return c


def blank():
    c = Chunk()
    c.dir_len = c.body_len = c.dir_crc = c.extra = 0
    c.mask = None
    c.after_gap = False
    c.bad = None
    c.parts_ = None
    c.refused = False
    c.codec = c.decoded = c.body_crc = None
    return c


def unfinished(data, offset, file4, least):
    """Fewer than 80 bytes, at least so many, that agree with a header's fixed
    fields here."""
    if not least <= len(data) < 80:
        return False
    want = b"CHNK" + data[4:8] + offset.to_bytes(8, "little") \
        + data[16:24] + file4.to_bytes(4, "little")
    n = min(len(data), len(want))
    return data[:n] == want[:n]


Stream = collections.namedtuple("Stream", "codec decoded stored crc at")


class PartColumn:
    """A column's entry in the directory."""
    __slots__ = ("id", "streams", "range", "enc", "cur")


class Part:
    """Rows of one table that were written together."""

    def __init__(self, chunk):
        self.chunk = chunk
        self.epoch = chunk.epoch
        self.table = self.base = self.rows = 0
        self.times = None
        self.watermark = None
        self.columns = {}
        self._raw = {}
        self._dicts = {}
        self._spent = 0

    def spend(self, n):
        """Before n bytes are made for a column of this part."""
        if self._spent + n > MAX_PART:
            raise Bad("the columns of a part take too much memory")
        self._spent += n

    def tidy(self):
        """Between columns that are wanted one by one."""
        if self._spent > MAX_PART // 8:
            self.forget()

    def schema(self):
        return self.chunk.trace.schema.get(self.table)

    def __repr__(self):
        return "<Part table %d epoch %d base %d rows %d>" % (
            self.table, self.epoch, self.base, self.rows)

    def _column(self, name):
        t = self.schema()
        if t is None:
            raise Absent("table %d is not announced" % self.table)
        c = t.by_name(name)
        if c is None:
            raise Absent("column %r is not in the schema" % (name,))
        return c

    def raw(self, name):
        """Numbers: array of 64 bits each.  bytes: (lengths, blob).
        Lists: (lengths, items).  Absent or Bad where there is none."""
        c = self._column(name)
        if c.id not in self._raw:
            try:
                self._raw[c.id] = Decoder(self, c).decode()
            except (Absent, Bad) as e:
                self._raw[c.id] = e
                if isinstance(e, Bad):
                    self.chunk.trace.problem(
                        self.chunk.offset, "table %s, column %s: %s"
                        % (self.schema().name, c.name, e))
        v = self._raw[c.id]
        if isinstance(v, Exception):
            raise v
        return v

    def has(self, name):
        try:
            self.raw(name)
            return True
        except (Absent, Bad):
            return False

    def values(self, name):
        """The column as Python values, one a row; None where it is absent."""
        try:
            raw = self.raw(name)
        except (Absent, Bad):
            return None
        c = self._column(name)
        if c.type == BYTES:
            lengths, blob = raw
            blob = bytes(blob)
            ends = itertools.accumulate(lengths, initial=0)
            return [blob[a:b] for a, b in itertools.pairwise(ends)]
        if c.list:
            lengths, items = raw
            items = typed(c.type, items)
            ends = itertools.accumulate(lengths, initial=0)
            return [list(items[a:b]) for a, b in itertools.pairwise(ends)]
        return typed(c.type, raw)

    def forget(self):
        self._raw = {}
        self._dicts = {}
        self._spent = 0


def typed(typ, raw):
    if typ == I64:
        a = array("q")
        a.frombytes(raw.tobytes())
        return a
    if typ == F64:
        a = array("d")
        a.frombytes(raw.tobytes())
        return a
    if typ == BOOL:
        return [bool(v) for v in raw]
    return raw


# ----------------------------------------------------------------- encodings

class Decoder:
    """One column of one part."""

    def __init__(self, part, col):
        self.part, self.col = part, col
        pc = part.columns.get(col.id)
        if pc is None:
            raise Absent("not in this part")
        if not col.known:
            raise Absent("type %d is not known" % col.type)
        if part.chunk.refused:
            raise Absent("packed with another codec")
        self.pc = pc
        self.streams = pc.streams
        self.next_stream = 0
        self.cur = Cursor(pc.cur.buf, pc.cur.pos, pc.cur.end)

    def stream(self, size=None):
        """The next stream; of that decoded size, where one is given."""
        if self.next_stream >= len(self.streams):
            raise Bad("a stream is missing")
        s = self.streams[self.next_stream]
        self.next_stream += 1
        if size is not None and s.decoded != size:
            raise Bad("stream of %d bytes where there must be %d"
                      % (s.decoded, size))
        self.part.spend(s.decoded)
        return self.part.chunk.trace.stream(self.part.chunk, s)

    def announced(self):
        """Decoded length of the next stream."""
        if self.next_stream >= len(self.streams):
            raise Bad("a stream is missing")
        return self.streams[self.next_stream].decoded

    def decode(self):
        for s in self.streams:
            if s.codec > 1:
                raise Absent("a stream has codec %d" % s.codec)
        col, enc, n = self.col, self.pc.enc, self.part.rows
        known = PLAIN | KEYED | {E_BYTES, E_LIST}
        if enc not in known:
            raise Absent("encoding %d" % enc)
        if (col.type == BYTES) != (enc == E_BYTES) \
                or bool(col.list) != (enc == E_LIST):
            raise Bad("encoding %d for a column of this type" % enc)
        if enc == E_BYTES:
            lengths, total = self.lengths(n, MAX_STREAM)
            blob = self.stream(total) if total else b""
            if col.role == 4 and n and max(lengths) > MAX_TEXT:
                raise Bad("a text of more than %d bytes" % MAX_TEXT)
            out = (lengths, blob)
        elif enc == E_LIST:
            lengths, total = self.lengths(n, MAX_ITEMS, items=True)
            items = self.inner(self.cur, total, col.type)
            out = (lengths, items)
        else:
            out = self.numbers(enc, n, col.type)
        self.cur.done("the column's parameters")
        if self.next_stream != len(self.streams):
            raise Bad("a column has %d streams too many"
                      % (len(self.streams) - self.next_stream))
        return out

    def inner(self, cur, n, typ):
        enc = cur.u8()
        if enc in KEYED or enc in (E_BYTES, E_LIST):
            raise Bad("encoding %d for lengths or items" % enc)
        if enc not in PLAIN:
            raise Absent("encoding %d" % enc)
        return self.numbers(enc, n, typ)

    def lengths(self, n, most, items=False):
        # the sum is known before anything of that size is made
        lengths = self.inner(self.cur, n, U64)
        total = sum(lengths)
        if total > most:
            raise Bad("lengths sum up to %d" % total)
        if items and self.cur.varint() != total:
            raise Bad("lengths do not sum up to the number of items")
        return lengths, total

    def w(self, most=8):
        w = self.cur.u8()
        if w > most:
            raise Bad("%d planes" % w)
        return w

    def planes(self, w, n):
        """w planes as a sequence of n numbers."""
        if w == 0:
            return array("Q", bytes(8 * n))
        if w == 1:
            return list(self.stream(n))
        buf = bytearray(8 * n)
        for b in range(w):
            buf[b::8] = self.stream(n)
        return q_from_bytes(buf)

    def dictionary(self, n):
        """(codes, distinct values)."""
        w = self.w(3)
        count = self.cur.varint()
        if count > n:
            raise Bad("dictionary of more values than rows")
        if self.announced() > 10 * count:
            raise Bad("dictionary is longer than its values")
        steps = varints(self.stream(), count)
        if count and count > 1 and min(steps[1:]) == 0:
            raise Bad("dictionary does not ascend")
        values = list(itertools.accumulate(steps))
        if values and values[-1] > MASK:
            raise Bad("dictionary goes beyond 64 bits")
        codes = self.planes(w, n)
        if n and max(codes) >= count:
            raise Bad("index beyond the dictionary")
        return codes, values

    def constant(self, typ):
        if typ == F64:
            return int.from_bytes(self.cur.take(8), "little")
        v = self.cur.varint()
        return unzz(v) & MASK if typ == I64 else v

    def numbers(self, enc, n, typ):
        cur = self.cur
        self.part.spend(8 * n)
        if enc == PLANES:
            w = self.w()
            want = {F64: 8, BOOL: 1}.get(typ)
            if want is not None and w != want and (n or w):
                raise Bad("%d planes for this type" % w)
            v = self.planes(w, n)
            if typ == I64:
                v = [(x >> 1) ^ -(x & 1) for x in v]
            v = to_q(v)
        elif enc == CONST:
            v = array("Q", [self.constant(typ)]) * n
        elif enc == DELTA:
            base = cur.varint()
            d = self.planes(self.w(), n)
            steps = [(x >> 1) ^ -(x & 1) for x in d]
            v = itertools.accumulate(steps, initial=base)
            next(v)
            v = to_q(list(v))
        elif enc == RISE:
            base = cur.varint()
            d = self.planes(self.w(), n)
            v = to_q([i - x for i, x in enumerate(d, base)])
        elif enc == DICT:
            if enc == self.pc.enc and self.col.id in self.part._dicts:
                codes, values = self.part._dicts[self.col.id]
                self.next_stream = len(self.streams)
                cur.pos = cur.end
            else:
                codes, values = self.dictionary(n)
                if enc == self.pc.enc and typ != BOOL:
                    self.part._dicts[self.col.id] = (codes, values)
            v = array("Q", map(values.__getitem__, codes))
        elif enc == KDELTA:
            v = self.kdelta(n)
        elif enc == KLAST:
            v = self.klast(n)
        elif enc == LINK:
            v = self.link(n)
        if typ == BOOL and n and max(v) > 1:
            raise Bad("a bool that is neither 0 nor 1")
        return v

    # Keys: columns of the same part that are DICT or CONST

    def key_column(self, cid):
        """(codes or None, values) of a column that is named as a key."""
        t = self.part.schema()
        col = t.columns.get(cid)
        if col is None:
            raise Absent("its key %d is not in the schema" % cid)
        pc = self.part.columns.get(cid)
        if pc is None:
            raise Absent("its key %d is not in this part" % cid)
        if not col.known:
            raise Absent("its key %d is of an unknown type" % cid)
        if col.list or col.type == BYTES:
            raise Bad("its key %d is no number" % cid)
        if pc.enc not in PLAIN | KEYED | {E_BYTES, E_LIST}:
            raise Absent("its key %d has encoding %d" % (cid, pc.enc))
        if cid in self.part._dicts:
            return self.part._dicts[cid]
        d = Decoder(self.part, col)
        for s in d.streams:
            if s.codec > 1:
                raise Absent("its key %d has codec %d" % (cid, s.codec))
        if pc.enc == CONST:
            got = (None, [d.constant(col.type)])
        elif pc.enc == DICT:
            got = d.dictionary(self.part.rows)
        else:
            raise Bad("its key %d has encoding %d" % (cid, pc.enc))
        d.cur.done("the key's parameters")
        if d.next_stream != len(d.streams):
            raise Bad("its key has too many streams")
        if col.type == BOOL and max(got[1]) > 1:
            raise Bad("its key is a bool that is neither 0 nor 1")
        self.part._dicts[cid] = got
        return got

    def keys(self, n):
        """(key number of each row, how many at most)."""
        count = self.cur.u8()
        if count not in (1, 2):
            raise Bad("%d keys" % count)
        ids = tuple(self.cur.varint() for _ in range(count))
        if ids not in self.part._dicts:
            self.part._dicts[ids] = self.key_rows(n, ids)
        return self.part._dicts[ids]

    def key_rows(self, n, ids):
        count = len(ids)
        cols = [self.key_column(i) for i in ids]
        size = len(cols[0][1])
        codes = cols[0][0]
        if count == 2:
            other, m = cols[1][0], len(cols[1][1])
            if size * m > MAX_KEYS:
                raise Bad("too many keys")
            if codes is None:
                codes = other
            elif other is not None:
                codes = [a * m + b for a, b in zip(codes, other)]
            size *= m
        if size > MAX_KEYS:
            raise Bad("too many keys")
        return (bytes(n) if codes is None else codes), size

    def kdelta(self, n):
        keys, size = self.keys(n)
        base = self.cur.varint()
        w = self.w()
        if self.announced() > 10 * min(size, n):
            raise Bad("side is longer than what can be taken")
        side = varints(self.stream())
        d = self.planes(w, n)
        last = [None] * size
        out = []
        add = out.append
        take = iter(side)
        try:
            for k, x in zip(keys, d):
                v = last[k]
                if v is None:
                    s = next(take)
                    v = base + ((s >> 1) ^ -(s & 1))
                v = (v + ((x >> 1) ^ -(x & 1))) & MASK
                last[k] = v
                add(v)
        except StopIteration:
            raise Bad("side is cut short")
        if next(take, None) is not None:
            raise Bad("side has more than is taken")
        return array("Q", out)

    def guesses(self, n):
        g = bytes(self.stream(n))
        if n and max(g) > 2:
            raise Bad("guess %d" % max(g))
        twos = g.count(2)
        if self.announced() > 10 * twos:
            raise Bad("side has more than is taken")
        return g, iter(varints(self.stream(), twos))

    def klast(self, n):
        keys, size = self.keys(n)
        g, take = self.guesses(n)
        last = [0] * size
        before = [0] * size
        fresh = bytearray(b"\1") * size
        return self.predict(zip(g, keys), take, last, before, fresh)

    @staticmethod
    def predict(rows, take, last, before, fresh):
        two = 0
        out = []
        add = out.append
        for guess, k in rows:
            if guess == 0:
                add(last[k])
                continue
            if guess == 1:
                v = before[k]
            else:
                s = next(take)
                v = two if fresh[k] else last[k]
                v = two = (v + ((s >> 1) ^ -(s & 1))) & MASK
            before[k] = last[k]
            last[k] = v
            fresh[k] = 0
            add(v)
        return array("Q", out)

    def link(self, n):
        source_id, key_id = self.cur.varint(), self.cur.varint()
        codes, values = self.key_column(source_id)
        kcodes, kvalues = self.key_column(key_id)
        if len(kvalues) > MAX_KEYS:
            raise Bad("too many keys")
        g, take = self.guesses(n)
        # keys are numbers of source values, and one more: no row before
        none = len(values)
        if codes is None:
            codes = bytes(n)
        if kcodes is None:
            keys = itertools.chain((none,), codes)
        else:
            prev = [none] * len(kvalues)
            keys = []
            for k, c in zip(kcodes, codes):
                keys.append(prev[k])
                prev[k] = c
        return self.predict(zip(g, keys), take, values + [0],
                            [0] * (none + 1), bytearray(b"\1") * (none + 1))


# -------------------------------------------------------------------- trace

class Trace:
    """A coltrace file."""

    def __init__(self, source, progress=None):
        self._own = None
        if isinstance(source, (str, bytes, os.PathLike)):
            self.path = os.fsdecode(source)
            source = self._own = open(source, "rb")
        else:
            self.path = getattr(source, "name", "-")
        try:
            fd = source.fileno()
        except (AttributeError, OSError, ValueError):   # BytesIO and such
            seekable = hasattr(source, "seek") and source.seekable()
        else:
            seekable = stat.S_ISREG(os.fstat(fd).st_mode)
        self.src = _File(source) if seekable else _Pipe(source)
        self.schema = {}        # id -> Table
        self.gaps = []          # (offset, size, reason)
        self.problems = []      # (offset, text)
        self._seen = set()
        self.unfinished = None  # (offset, size) of a chunk that was cut off
        self.foreign = 0        # bytes behind the last END
        self.closed = False
        self.last_end = None
        self.chunks = []
        self.index = None       # its rows, once they were found to hold
        self._schema_bytes = 0
        self._bodies = collections.OrderedDict()
        self._epochs = []
        self._defs = {}
        self._columns = collections.OrderedDict()
        self._ended = False
        try:
            self._open()
        except TraceError:
            self.close()
            raise
        if self.src.seekable:
            self._use_index()
        self._scan = self._listed() if self.index else self._hops()

    def close(self):
        if not self.src.seekable:
            self.src.spool.close()
        if self._own:
            self._own.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def problem(self, offset, text):
        if (offset, text) not in self._seen and len(self._seen) < 100000:
            self._seen.add((offset, text))
            self.problems.append((offset, text))

    # -- file header

    def _open(self):
        h = self.src.at(0, 64)
        if h[:8] != MAGIC:
            raise TraceError("not a coltrace file")
        if len(h) < 64:
            raise TraceError("cut off within the file header")
        (self.major, self.minor, hlen, incompatible, self.features,
         self.file_id, self.start, reserved, crc) = struct.unpack(
            "<8xHHIQQ16sQII", h)
        if crc32c(h[:60]) != crc:
            raise TraceError("the file header is damaged")
        if self.major > MAJOR:
            raise Newer("format version %d, this reader knows %d"
                        % (self.major, MAJOR))
        if incompatible:
            raise Newer("features that this reader does not know: %#x"
                        % incompatible)
        if not 64 <= hlen <= MAX_HEADER or hlen % 8:
            raise TraceError("file header of length %d" % hlen)
        if reserved:
            raise TraceError("reserved bytes of the file header are not zero")
        if not self.src.at(hlen - 1, 1):
            raise TraceError("cut off within the file header")
        self.first = hlen
        self.file4 = int.from_bytes(self.file_id[:4], "little")

    # -- chunks

    def _listed(self):
        """Yields the chunks of an index that holds, and behind them it and the
        END."""
        own = map(self._of_row, range(len(self.index)), self.index)
        for c in itertools.chain(own, self._behind):
            if c.bad:
                self.problem(c.offset, c.bad)
            self._arrived(c)
            self.chunks.append(c)
            yield c
        self._ended = self.closed = True

    def _hops(self):
        """Yields sound chunks that fit, in a streaming way."""
        at, src = self.first, self.src
        after_gap = False
        while True:
            head = src.at(at, 80)
            if not head:
                break
            c = sound(head, at, self.file4)
            if c is None:
                last = self.chunks[-1] if self.chunks else None
                if unfinished(head, at, self.file4,
                              SYNC if last and last.type == END else 1):
                    self.unfinished = (at, len(head))
                    break
                start = at
                at, c = self._search(at + 8)
                if c is None:           # up to the end of the file
                    size = at - start
                    rest = self.unfinished
                    if self.last_end is not None and rest is None \
                            and self.last_end.offset + 80 == start:
                        self.foreign = size
                    else:
                        self._gap(start, size, head)
                    break
                self._gap(start, at - start, head)
                after_gap = True
            if c.size > 80:
                tail = src.at(at + c.size - 1, 1)
                if not tail:
                    self.unfinished = (at, src.size() - at)
                    break
            c.trace = self
            c.after_gap = after_gap
            after_gap = False
            self._arrived(c)
            self.chunks.append(c)
            at += c.size
            yield c
        self._ended = True
        last = self.chunks[-1] if self.chunks else None
        self.closed = bool(last and last.type == END
                           and self.unfinished is None
                           and (at == last.offset + last.size
                                or bool(self.foreign)))

    def _gap(self, start, size, head):
        if len(head) < 80:
            why = "fewer bytes than a chunk header"
        elif head[:4] != b"CHNK":
            why = "no chunk header"
        elif crc32c(head[:76]) != int.from_bytes(head[76:80], "little"):
            why = "checksum of the chunk header"
        elif head[8:16] != start.to_bytes(8, "little"):
            why = "chunk of another place"
        elif head[24:28] != self.file4.to_bytes(4, "little"):
            why = "chunk of another file"
        else:
            why = "chunk header with reserved bits or beyond the limits"
        self.gaps.append((start, size, why))

    def _search(self, at):
        """The next sound header from there; (end of file, None) if none."""
        src, step = self.src, 1 << 20
        while True:
            # a window that has each header of its aligned places as a whole
            data = src.at(at, step + 80)
            pos = 0
            while True:
                pos = data.find(b"CHNK", pos)
                if pos < 0 or pos >= step:
                    break
                if pos % 8 == 0:
                    c = sound(data[pos:pos + 80], at + pos, self.file4)
                    if c:
                        return at + pos, c
                pos += 1
            if len(data) < step + 80:
                end = at + len(data) if data else src.size()
                first = max(at, end - 79 + (-(end - 79) % 8))
                for p in range(first, end, 8):
                    if unfinished(data[p - at:], p, self.file4, SYNC):
                        self.unfinished = (p, end - p)
                        return p, None
                return end, None
            at += step

    def _arrived(self, c):
        if c.type not in CHUNK_NAMES:
            if c.flags & CRITICAL:
                raise Newer("chunk of type %d at %d is critical and not "
                            "known" % (c.type, c.offset))
            return
        # epochs: higher than all before, or one of the 16 highest
        es = self._epochs
        if not es or c.epoch > es[-1]:
            es.append(c.epoch)
        elif c.epoch not in es[-EPOCHS_OPEN:]:
            self.problem(c.offset, "epoch %d is closed" % c.epoch)
            if c.epoch in es or c.epoch < es[-1]:
                c.bad = "epoch is closed"
        if c.type == SCHEMA:
            self._schema_chunk(c)
        elif c.type == END:
            self.last_end = c
            if c.bad:
                return
            if c.dir_len or c.body_len or c.nparts or c.flags & PACKED \
                    or c.tmin or c.tmax:
                self.problem(c.offset, "END has content")

    def _all(self):
        """All chunks, as they come."""
        i = 0
        while True:
            if i < len(self.chunks):
                yield self.chunks[i]
                i += 1
            elif self._ended or next(self._scan, None) is None:
                if i >= len(self.chunks):
                    return

    def scan(self):
        """Goes to the end of the file."""
        for _ in self._all():
            pass
        return self

    def _directory(self, c):
        d = self.src.at(c.directory_at(), c.dir_len)
        if len(d) != c.dir_len:
            raise Bad("directory is cut short")
        if crc32c(d) != c.dir_crc:
            raise Bad("checksum of the directory")
        return d

    def _packed(self, c, cur):
        """The three fields a packed directory begins with."""
        c.codec = cur.u8()
        c.decoded = cur.varint()
        c.body_crc = cur.u32()
        if c.decoded > MAX_PACKED:
            raise Bad("packed body of %d bytes" % c.decoded)
        if c.codec > 1:
            c.refused = True

    def _body(self, c):
        """Decoded body of a packed chunk."""
        if c.offset in self._bodies:
            self._bodies.move_to_end(c.offset)
        else:
            b = self.src.at(c.body_at(), c.body_len)
            if crc32c(b) != c.body_crc:
                raise Bad("checksum of the body")
            self._bodies[c.offset] = unblock(c.codec, b, c.decoded)
            while len(self._bodies) > 4:
                self._bodies.popitem(last=False)
        return self._bodies[c.offset]

    def stream(self, c, s):
        """One decoded stream."""
        if c.flags & PACKED:
            return memoryview(self._body(c))[s.at:s.at + s.decoded]
        b = self.src.at(c.body_at() + s.at, s.stored)
        if len(b) != s.stored or crc32c(b) != s.crc:
            raise Bad("checksum of a stream")
        return unblock(s.codec, b, s.decoded)

    def _schema_chunk(self, c):
        try:
            if not c.flags & PACKED or c.nparts:
                raise Bad("SCHEMA that is not packed, or has parts")
            cur = Cursor(self._directory(c))
            self._packed(c, cur)
            cur.done("directory")
            if c.refused:
                raise Bad("codec %d" % c.codec)
            tables = parse_schema(self._body(c))
            for t in tables:
                for i, x in enumerate(FIXED.get(t.id, "").split()):
                    want = (REF, 0, int(x[1:])) if x[0] == "r" \
                        else (int(x), 0, 0)
                    col = t.columns.get(i)
                    if col and (col.type, col.list, col.ref) != want:
                        raise TraceError("column %s of table %s is not of "
                                         "its type" % (col.name, t.name))
                old = self.schema.get(t.id)
                if old:
                    for i, col in t.columns.items():
                        o = old.columns.get(i)
                        if o and not o.same(col):
                            raise TraceError(
                                "column %s of table %s changes its type"
                                % (col.name, t.name))
            for t in tables:
                old = self.schema.get(t.id)
                new = sum(100 + len(x.name) + len(x.unit)
                          for i, x in t.columns.items()
                          if not old or i not in old.columns)
                self._schema_bytes += new
                if self._schema_bytes > MAX_SCHEMA:
                    raise TraceError("schema takes too much memory")
                if old:
                    if old.kind != t.kind or old.name != t.name:
                        self.problem(c.offset, "table %s changes its name or "
                                     "kind" % old.name)
                    for i, col in t.columns.items():
                        old.columns.setdefault(i, col)
                    if len(old.columns) > MAX_COLUMNS:
                        raise TraceError("table with too many columns")
                elif len(self.schema) >= MAX_TABLES:
                    raise TraceError("too many tables")
                else:
                    t.announced = c.offset
                    self.schema[t.id] = t
        except (Bad, Absent) as e:
            c.bad = str(e)
            self.problem(c.offset, "SCHEMA: %s" % e)

    # -- directories

    def _parts(self, c):
        """Parts of a DATA or INDEX chunk; [] where it cannot be read."""
        if c.parts_ is None:
            c.parts_ = []
            if c.bad:
                return []
            try:
                c.parts_ = self._parse(c)
            except Bad as e:
                c.bad = str(e)
                self.problem(c.offset, "%s: %s" % (CHUNK_NAMES[c.type], e))
            if c.refused:
                self.problem(c.offset, "packed with codec %d" % c.codec)
        return c.parts_

    def _parse(self, c):
        cur = Cursor(self._directory(c))
        packed = bool(c.flags & PACKED)
        if packed:
            self._packed(c, cur)
        at = 0
        parts = []
        for _ in range(c.nparts):
            d = cur.sub()
            p = Part(c)
            p.table = d.varint()
            p.rows = d.varint()
            if not 1 <= p.rows <= MAX_ROWS:
                raise Bad("part with %d rows" % p.rows)
            p.base = d.varint()
            if p.base + p.rows > MASK:
                raise Bad("row numbers beyond 64 bits")
            flags = d.u8()
            if flags & ~3:
                raise Bad("reserved flags of a part")
            if flags & 1:
                low = d.varint()
                high = low + d.varint()
                if high > MASK:
                    raise Bad("time beyond 64 bits")
                p.times = (low, high)
            if flags & 2:
                p.watermark = d.varint()
            ncols = d.varint()
            if ncols > MAX_COLUMNS:
                raise Bad("part with %d columns" % ncols)
            last = -1
            for _ in range(ncols):
                e = d.sub()
                pc = PartColumn()
                pc.id = e.varint()
                if pc.id <= last:
                    raise Bad("columns of a part do not ascend")
                last = pc.id
                n = e.u8()
                if n > MAX_STREAMS:
                    raise Bad("column with %d streams" % n)
                pc.streams = []
                for _ in range(n):
                    if packed:
                        decoded = e.varint()
                        s = Stream(0, decoded, decoded, None, at)
                    else:
                        codec = e.u8()
                        decoded = e.varint()
                        stored = e.varint()
                        s = Stream(codec, decoded, stored, e.u32(), at)
                    if s.decoded > MAX_STREAM:
                        raise Bad("stream of %d bytes" % s.decoded)
                    at += s.stored
                    if at > (c.decoded if packed else c.body_len):
                        raise Bad("streams go beyond the body")
                    pc.streams.append(s)
                stats = e.u8()
                if stats & ~1:
                    raise Bad("reserved statistics of a column")
                pc.range = (e.varint(), e.varint()) if stats else None
                pc.enc = e.u8()
                pc.cur = e
                p.columns[pc.id] = pc
            d.done("a part")
            parts.append(p)
        cur.done("directory")
        if at != (c.decoded if packed else c.body_len):
            raise Bad("streams do not use up the body")
        return parts

    # -- index

    def _use_index(self):
        """Section 8: the chunks of a closed file without hopping."""
        size = self.src.size()
        end = size >= 144 and self._sound_at(size - 80)
        if not end or end.type != END:
            return
        index = self._sound_at(end.extra)
        rows = self.read_index(end.extra)
        if rows is None or end.extra + index.size != end.offset:
            return
        at = self.first
        for r in rows:
            if r["offset"] != at or r["size"] < 80 or r["size"] % 8 \
                    or r["t_min"] > r["t_max"]:
                return
            at += r["size"]
        if at != end.extra or (index.seq, end.seq) != (len(rows),
                                                      len(rows) + 1):
            return
        if not any(r["type"] == SCHEMA and self._of_row(i, r).bad
                   for i, r in enumerate(rows)):
            self.index = rows
            self._behind = [index, end]

    def _sound_at(self, offset):
        c = sound(self.src.at(offset, 80), offset, self.file4)
        if c:
            c.trace = self
        return c

    def _of_row(self, i, row):
        """The chunk of a row of the index; `bad` where it is another one."""
        c = self._sound_at(row["offset"])
        if not c or (c.size, c.seq, c.type, c.flags, c.epoch, c.nparts,
                     c.tmin, c.tmax) != (
                row["size"], i, row["type"], row["flags"], row["epoch"],
                row["parts"], row["t_min"], row["t_max"]):
            c = blank()
            c.trace = self
            c.bad = "not the chunk that the INDEX lists"
            c.offset, c.size, c.seq = row["offset"], row["size"], i
            c.type, c.flags, c.epoch = row["type"], row["flags"], row["epoch"]
            c.nparts, c.tmin, c.tmax = row["parts"], row["t_min"], row["t_max"]
        elif c.type == SCHEMA and crc32c(
                self.src.at(c.directory_at(), c.dir_len)) != c.dir_crc:
            c.bad = "checksum of the directory"
        c.mask = row["tables"]
        return c

    def read_index(self, offset):
        """Rows of the INDEX there, as dicts; None where it cannot be read."""
        c = sound(self.src.at(offset, 80), offset, self.file4)
        if not c or c.type != INDEX or c.nparts != 1:
            return None
        c.trace = self
        if len(self.src.at(offset + 80, c.size - 80)) != c.size - 80:
            return None
        ids = {0: "offset", 1: "size", 2: "type", 3: "flags", 4: "epoch",
               5: "parts", 6: "t_min", 7: "t_max", 8: "tables"}
        try:
            p = self._parse(c)[0]
            if p.table != T_INDEX:
                return None
            cols = {}
            for i, name in ids.items():
                col = Column()
                col.id, col.name, col.type = i, name, U64
                # keys of its columns are columns of the same meaning
                try:
                    cols[name] = _Lone(p, ids, col).decode()
                except Absent:
                    if i != 8:
                        return None
                    cols[name] = [None] * p.rows
        except (Bad, Absent):
            return None
        return [dict(zip(cols, v)) for v in zip(*cols.values())]

    # -- tables

    def table(self, name):
        """A table by name or number."""
        if isinstance(name, Table):
            return name
        if isinstance(name, int):
            return self.schema.get(name)
        for t in self.schema.values():
            if t.name == name:
                return t
        return None

    def tables(self):
        self.scan()
        return [{"id": t.id, "name": t.name, "kind": KINDS.get(t.kind, t.kind),
                 "columns": [c.describe(self) for c in t.ordered()]}
                for t in sorted(self.schema.values(), key=lambda t: t.id)]

    def parts(self, table=None):
        """Parts of a table in file order; of all tables without one."""
        tid = None
        for c in self._all():
            if c.type != DATA and c.type != INDEX:
                continue
            if table is not None and tid is None:
                # by name it is known once it was announced
                t = self.table(table)
                tid = t.id if t else \
                    table if isinstance(table, int) else None
                if tid is None:
                    continue
            if tid is not None and c.mask is not None and c.type == DATA \
                    and not c.mask >> min(tid, 63) & 1:
                continue
            if c.type == INDEX and tid not in (None, T_INDEX):
                continue
            for p in self._parts(c):
                if tid is None or p.table == tid:
                    yield p

    def rows(self, table, columns=None):
        """Rows as dicts in file order, with _epoch and _row; a column that
        is absent has None."""
        for p in self.parts(table):
            t = p.schema()
            if t is None:
                continue
            names = [c.name for c in t.ordered()
                     if columns is None or c.name in columns]
            none = itertools.repeat(None, p.rows)
            cols = []
            for n in names:
                v = p.values(n)
                cols.append(none if v is None else v)
            for i, row in enumerate(zip(*cols), p.base):
                d = {"_epoch": p.epoch, "_row": i}
                d.update(zip(names, row))
                yield d
            p.forget()

    # -- references

    def _def(self, epoch, tid):
        """(bases, parts) of a table in an epoch; the whole file is read."""
        if tid not in self._defs:
            by = {}
            for p in self.parts(tid):
                bases, parts = by.setdefault(p.epoch, ([], []))
                if bases and p.base < bases[-1] + parts[-1].rows:
                    continue    # rows that were there before stay
                bases.append(p.base)
                parts.append(p)
            self._defs[tid] = by
        return self._defs[tid].get(epoch, ((), ()))

    def _where(self, epoch, tid, row):
        bases, parts = self._def(epoch, tid)
        i = bisect.bisect_right(bases, row) - 1
        if i < 0 or row - bases[i] >= parts[i].rows:
            return None, 0
        return parts[i], row - bases[i]

    def resolve(self, epoch, table, row, column=None):
        """The row of that number of the same epoch as a dict, or the value
        of one column; None where there is no such row."""
        if not self._ended:
            self.scan()
        t = self.table(table)
        if t is None:
            return None
        part, i = self._where(epoch, t.id, row)
        if part is None:
            return None
        if column is not None:
            v = self._values(part, column)
            return None if v is None else v[i]
        out = {}
        for c in t.ordered():
            v = self._values(part, c.name)
            out[c.name] = None if v is None else v[i]
        return out

    def _values(self, part, name):
        key = (part, name)
        if key in self._columns:
            return self._columns[key]
        v = self._columns[key] = part.values(name)
        part.forget()
        while len(self._columns) > 4096:
            self._columns.popitem(last=False)
        return v

    def text(self, epoch, row):
        """A string, as text; "" where there is none."""
        b = self.resolve(epoch, T_STRING, row, "bytes")
        return b.decode("utf-8", "replace") if b else ""

    def _is_lost(self, epoch, row):
        """A string that is referred to and not there."""
        return row is None or bool(
            self.resolve(epoch, T_STRING, row, "bytes") is None
            and (row or self._def(epoch, T_STRING)[0]))

    # -- samples

    def _symbols(self):
        """(kind of identity, identity) -> (sorted starts, {start: row})."""
        if hasattr(self, "_syms"):
            return self._syms
        images = {}
        syms = {}
        for r in self.rows("symbol"):
            if None in (r["image"], r["start"], r["size"], r["name"]):
                continue
            k = (r["_epoch"], r["image"])
            if k not in images:
                images[k] = self.image(*k)["same"]
            syms.setdefault(images[k], {})[r["start"]] = \
                (r["size"], self.text(r["_epoch"], r["name"]))
        # the last of a start, whatever it says, then those with a name
        syms = {k: {start: s for start, s in v.items() if s[1]}
                for k, v in syms.items()}
        self._syms = {k: (sorted(v), v) for k, v in syms.items()}
        return self._syms

    def image(self, epoch, row):
        if not hasattr(self, "_images"):
            self._images = {}
        got = self._images.get((epoch, row))
        if got is None:
            r = self.resolve(epoch, T_IMAGE, row) or {}
            path = self.text(epoch, r["path"]) if r.get("path") else ""
            kind, build = r.get("kind"), r.get("build_id") or b""
            got = {"kind": kind or 0, "path": path, "build_id": build}
            if kind is not None and build.strip(b"\0"):
                got["same"] = (kind, build)
            elif kind is None or (kind == 6 and r["generation"] is None) \
                    or (kind != 2 and self._is_lost(epoch, r["path"])):
                got["same"] = (epoch, row, "like no other")
            else:
                got["same"] = (kind, path, r["generation"] or 0)
            self._images[epoch, row] = got
        return got

    def frame(self, epoch, row):
        """One frame: dict of sym, off, dso, addr; sym is None without one."""
        if not hasattr(self, "_frames"):
            self._frames = {}
        got = self._frames.get((epoch, row))
        if got is not None:
            return got
        r = self.resolve(epoch, T_FRAME, row) if row != LOST else None
        if r is None and row == 0 and not self._def(epoch, T_FRAME)[0]:
            got = {"sym": None, "off": None, "dso": "[unknown]", "addr": 0}
        elif r is None or r["image"] is None or r["address"] is None:
            got = {"sym": None, "off": None, "dso": "[lost]", "addr": 0}
        else:
            im = self.image(epoch, r["image"])
            addr = r["address"]
            got = {"sym": None, "off": None,
                   "dso": im["path"].rsplit("/", 1)[-1]
                   or "[unknown]", "addr": addr}
            starts, by = self._symbols().get(im["same"], ((), {}))
            look = addr - (1 if r["kind"] == 1 else 0)
            i = bisect.bisect_right(starts, look) - 1
            if im["kind"] == 7:     # no address: the path is what to show
                got["sym"] = im["path"]
            elif i >= 0:
                size, name = by[starts[i]]
                if look - starts[i] < size and name:
                    got["sym"], got["off"] = name, addr - starts[i]
        self._frames[epoch, row] = got
        return got

    def stack(self, epoch, row):
        """Frame rows of a stack from the root."""
        if not hasattr(self, "_stacks"):
            self._stacks = {}
        memo = self._stacks
        todo = []
        at = row
        base = ()
        while at:
            base = memo.get((epoch, at))
            if base is not None:
                break
            part, i = self._where(epoch, T_STACK, at)
            if part is None:
                base = (LOST,)
                break
            parent = self._values(part, "parent")
            frame = self._values(part, "frame")
            if parent is None or parent[i] >= at or len(todo) > MAX_DEPTH:
                base = (LOST,)
                break
            todo.append((at, LOST if frame is None else frame[i]))
            at = parent[i]
        base = base or ()
        for at, frame in reversed(todo):
            base = base + (frame,)
            memo[epoch, at] = base
        return base

    def samples(self, switches=False):
        """Samples and rows of tracepoints, in file order: dicts."""
        self.scan()
        # event rows that stand for one key of another's rows
        keyed = {}
        formats = {}
        for r in self.rows("event"):
            if r.get("key"):
                keyed[r["_epoch"], r["of"], r["key"] - 1] = r["_row"]
        common = ("time", "cpu", "thread", "event", "period", "ip", "kstack",
                  "ustack", "flags")
        for p in self.parts():
            if p.table != T_SAMPLE and p.table < 256:
                continue
            t = p.schema()
            if t is None:
                continue
            none = [None] * p.rows
            cols = []
            for n in common:
                v = p.values(n)
                cols.append(none if v is None else v)
            extra, ids = [], None
            for c in t.ordered():
                if c.id < 9:
                    continue
                v = p.values(c.id)
                if v is None:
                    continue
                if c.id >= 16 and c.name == "id" and not c.list:
                    ids = v
                if c.type == REF and c.ref == T_STRING and not c.list:
                    memo = {}   # once for each string
                    for x in set(v):
                        memo[x] = self.text(p.epoch, x)
                    v = [memo[x] for x in v]
                extra.append((c.name, c.id, v))
            p.forget()
            ep = p.epoch
            for i, (time, cpu, thread, event, period, ip, ks, us, flags) in \
                    enumerate(zip(*cols)):
                fields = {n: v[i] for n, k, v in extra if k >= 16}
                if ids is not None and (ep, event, ids[i]) in keyed:
                    event = keyed[ep, event, ids[i]]
                    names = formats.get((ep, event))
                    if names is None:
                        names = formats[ep, event] = \
                            self._payload_names(ep, event)
                    # its own format names the payload in order
                    if names:
                        fields = dict(zip(names, fields.values()))
                yield {"table": t.name, "epoch": ep, "row": p.base + i,
                       "time": time, "cpu": cpu,
                       "thread": self.thread(ep, thread),
                       "event": self.event(ep, event)["name"],
                       "period": period, "flags": flags,
                       "frames": self.frames(ep, us, ks, ip, flags),
                       "fields": fields,
                       "common": {n: v[i] for n, k, v in extra if k < 16},
                       "trace": self}

    def _payload_names(self, epoch, event):
        """Names of the fields of an event's own format."""
        k = self.event(epoch, event).get("tracepoint")
        text = k and self.resolve(epoch, 15, k - 1, "format") or b""
        names = []
        for line in text.decode("utf-8", "replace").splitlines():
            line = line.strip()
            if line.startswith("field:"):
                decl = line[6:].split(";")[0]
                name = decl.split("[")[0].split()[-1].lstrip("*")
                if not name.startswith("common_"):
                    names.append(name)
        return names

    def frames(self, epoch, ustack, kstack, ip, flags):
        """The whole stack from the root, as a list of frame()."""
        if not hasattr(self, "_wholes"):
            self._wholes = {}
        key = (epoch, ustack, kstack, ip, flags is not None and flags & 1)
        got = self._wholes.get(key)
        if got is not None:
            return got
        rows = ()
        for r in (ustack, kstack):
            rows += (LOST,) if r is None else self.stack(epoch, r)
        if flags is None or not flags & 1:
            rows += (LOST if ip is None else ip,)
        if len(self._wholes) > 100000:
            self._wholes.clear()
        got = self._wholes[key] = [self.frame(epoch, r) for r in rows]
        return got

    def thread(self, epoch, row):
        if not hasattr(self, "_threads"):
            self._threads = {}
        got = self._threads.get((epoch, row))
        if got is None:
            r = row is not None and self.resolve(epoch, T_THREAD, row) or {}
            got = {"tid": r.get("tid"), "pid": r.get("pid"),
                   "source": r.get("source"),
                   "comm": self.text(epoch, r["comm"]) if r.get("comm")
                   else ""}
            self._threads[epoch, row] = got
        return got

    def event(self, epoch, row):
        if not hasattr(self, "_events"):
            self._events = {}
        got = self._events.get((epoch, row))
        if got is None:
            r = row is not None and self.resolve(epoch, T_EVENT, row) or {}
            got = dict(r, name=self.text(epoch, r["name"])
                       if r.get("name") else "")
            self._events[epoch, row] = got
        return got

    # -- hash

    def hashes(self):
        """Yields (table, column, rows, crc): see --hash."""
        self.scan()
        sums = {}
        for p in self.parts():
            t = p.schema()
            if t is None:
                continue
            for c in t.ordered():
                s = sums.setdefault((t.id, c.id), [0, 0])
                p.tidy()
                try:
                    raw = p.raw(c.id)
                except (Absent, Bad):
                    continue
                s[0] += p.rows
                if c.type == BYTES:
                    out = []
                    at = 0
                    blob = bytes(raw[1])
                    for n in raw[0]:
                        out.append(n.to_bytes(8, "little"))
                        out.append(blob[at:at + n])
                        at += n
                    data = b"".join(out)
                elif c.list:
                    items = q_bytes(raw[1])
                    out = []
                    at = 0
                    for n in raw[0]:
                        out.append(n.to_bytes(8, "little"))
                        out.append(items[at:at + 8 * n])
                        at += 8 * n
                    data = b"".join(out)
                else:
                    data = q_bytes(raw)
                s[1] = zlib.crc32(data, s[1])
            p.forget()
        for tid in sorted(self.schema):
            t = self.schema[tid]
            for c in t.ordered():
                n, crc = sums.get((tid, c.id), (0, 0))
                yield t.name, c.name, n, crc

    # -- check

    def check(self):
        """All problems: what section 10 lists. [(offset, text)]."""
        self.scan()
        for off, size, why in self.gaps:
            self.problem(off, "gap of %d bytes: %s" % (size, why))
        seq = 0
        listed = []
        gaps = sorted(self.gaps)
        rows = {}       # (epoch, table) -> list of [first, end)
        lost = set()
        depth = {}
        for c in self.chunks:
            hole = c.seq != seq
            if hole and not (c.after_gap and c.seq > seq):
                self.problem(c.offset, "sequence number %d where %d comes"
                             % (c.seq, seq))
            seq = c.seq + 1
            pad = c.size - 80 - c.dir_len - c.body_len
            if pad < 8 and self.src.at(c.offset + c.size - pad,
                                       pad).strip(b"\0"):
                self.problem(c.offset, "padding that is not zero")
            if c.type == DATA:
                self._check_data(c, rows, depth)
            elif c.type == INDEX:
                self._check_index(c, listed, gaps)
            elif c.type == END:
                before = [x for x in self.chunks
                          if x.type == INDEX and x.offset < c.offset]
                if c.extra and (not before or before[-1].offset != c.extra):
                    self.problem(c.offset, "END names no or not the last "
                                 "INDEX")
            elif c.type == SCHEMA and (c.tmin or c.tmax):
                self.problem(c.offset, "times without a part that has any")
            listed.append(c)
        return sorted(self.problems)

    def _check_data(self, c, rows, depth):
        low = high = None
        known = True            # all tables are
        for p in self._parts(c):
            say = lambda text: self.problem(
                c.offset, "table %s: %s" % (t.name if t else p.table, text))
            t = p.schema()
            if p.times and t is not None and t.kind != 1:
                low = p.times[0] if low is None else min(low, p.times[0])
                high = p.times[1] if high is None else max(high, p.times[1])
            if t is None or t.announced > c.offset:
                say("not announced before its rows")
            if t is None:
                known = False
                continue
            if t.kind == 1 and p.base + p.rows > MAX_DEF_ROWS:
                say("too many rows of a definition")
            spans = rows.setdefault((p.epoch, p.table), [])
            have = spans[-1][1] if spans else 0
            if p.base != have:
                if p.base < have:
                    say("base row %d where %d rows were before"
                        % (p.base, have))
                else:
                    say("rows %d to %d are missing" % (have, p.base - 1))
            if spans and p.base == have:
                spans[-1][1] += p.rows
            else:
                spans.append([p.base, p.base + p.rows])
            tc = t.time_column()
            for col in t.ordered():
                if col.id not in p.columns:
                    continue
                p.tidy()
                try:
                    raw = p.raw(col.id)
                except (Absent, Bad):   # absent is no problem
                    continue
                stats = p.columns[col.id].range
                ranged = col.type in (U64, I64, REF) and not col.list
                if stats and not ranged:
                    say("range of column %s, which cannot have one"
                        % col.name)
                elif stats:
                    v = typed(col.type, raw)
                    want = (min(v), max(v))
                    if col.type == I64:
                        stats = tuple(map(unzz, stats))
                    if stats != want:
                        say("range of column %s is %s, stated %s"
                            % (col.name, want, stats))
                if tc is col:
                    if p.times != (min(raw), max(raw)):
                        say("times are not as stated")
                if col.type == REF:
                    self._check_refs(p, col, raw[1] if col.list else raw,
                                     rows, say)
                if p.table == T_STACK and col.id == 0:
                    self._check_stack(p, raw, depth, say)
            if tc is None and p.times:
                say("times of a table without a column of times")
            if tc and tc.id not in p.columns and not p.times:
                pass
            p.forget()
        if not c.bad and known and (low or 0, high or 0) != (c.tmin, c.tmax):
            self.problem(c.offset, "times of the chunk are not those of its "
                         "events")

    def _check_refs(self, p, col, raw, rows, say):
        spans = rows.get((p.epoch, col.ref), [])
        if not raw:
            return
        if len(spans) == 1 and spans[0][0] == 0:
            high = max(raw)
            if high >= spans[0][1]:
                say("column %s refers to row %d of %d"
                    % (col.name, high, spans[0][1]))
            return
        for v in set(raw):
            if not any(a <= v < b for a, b in spans) and (v or spans):
                say("column %s refers to row %d, which is not there"
                    % (col.name, v))
                break

    def _check_stack(self, p, parent, depth, say):
        d = depth.setdefault(p.epoch, {})
        for i, up in enumerate(parent, p.base):
            if i == 0:
                if up:
                    say("row 0 has a parent")
                d[0] = 0
                continue
            if up >= i:
                say("row %d has its parent %d not below it" % (i, up))
                d[i] = 0
                continue
            d[i] = d.get(up, 0) + 1
            if d[i] > MAX_DEPTH:
                say("row %d is deeper than %d" % (i, MAX_DEPTH))

    def _check_index(self, c, before, gaps):
        rows = self.read_index(c.offset)
        if rows is None:
            self.problem(c.offset, "INDEX cannot be read")
            return
        have = [x for x in before]
        if len(rows) != len(have):
            self.problem(c.offset, "INDEX lists %d chunks of %d"
                         % (len(rows), len(have)))
            return
        for r, x in zip(rows, have):
            if (r["offset"], r["size"], r["type"], r["flags"], r["epoch"],
                    r["parts"], r["t_min"], r["t_max"]) != (
                    x.offset, x.size, x.type, x.flags, x.epoch, x.nparts,
                    x.tmin, x.tmax):
                self.problem(c.offset, "INDEX does not list the chunk at %d "
                             "as it is" % x.offset)
            if r["tables"] is not None and x.type == DATA and not x.bad:
                mask = 0
                for p in self._parts(x):
                    mask |= 1 << min(p.table, 63)
                if mask != r["tables"]:
                    self.problem(c.offset, "INDEX lists other tables of the "
                                 "chunk at %d" % x.offset)
        for p in self._parts(c):
            t = p.schema()
            if t is None:
                continue
            for col in t.ordered():
                if col.id in p.columns:
                    try:
                        p.raw(col.id)
                    except (Absent, Bad):
                        pass

    def ending(self):
        self.scan()
        if self.foreign:
            return "followed"
        if self.closed:
            return "closed"
        return "cut short" if self.unfinished else "not closed"


class _Lone(Decoder):
    """A column of an INDEX, whose table need not be announced."""

    def __init__(self, part, ids, col):
        if part.schema() is None:
            fake = Table()
            for i, name in ids.items():
                k = Column()
                k.id, k.name, k.type = i, name, U64
                fake.columns[i] = k
            part.schema = lambda: fake
        super().__init__(part, col)


# --------------------------------------------------------------- command line

def _plain(v):
    if isinstance(v, (bytes, memoryview)):
        try:
            return bytes(v).decode("utf-8")
        except UnicodeDecodeError:
            return {"hex": bytes(v).hex()}
    if isinstance(v, float) and (v != v or v in (float("inf"),
                                                 -float("inf"))):
        return repr(v)
    return v


def group_fields(fields):
    """args[0], args[1] … together."""
    out = {}
    for n, v in fields.items():
        at = n.find("[")
        if at > 0 and n.endswith("]") and n[at + 1:-1].isdigit():
            out.setdefault(n[:at], []).append(v)
        else:
            out[n] = list(v) if isinstance(v, bytes) else v
    return out


def dump_line(s, tracepoint):
    d = {"time": s["time"], "cpu": s["cpu"], "pid": s["thread"]["pid"],
         "tid": s["thread"]["tid"], "comm": s["thread"]["comm"],
         "event": s["event"], "period": s["period"],
         "kernel": bool((s["flags"] or 0) & 4),
         "truncated": bool((s["flags"] or 0) & 2)}
    if s["thread"]["source"]:
        d["merged_source"] = s["thread"]["source"] - 1
    if tracepoint:
        d["fields"] = group_fields(s["fields"])
    d["stack"] = s["frames"][::-1]
    return d


def dump_lines(t):
    """Lines of --dump; the text of a stack is made once."""
    lines = []
    memo = {}
    for s in t.samples():
        frames = s["frames"]
        got = memo.get(id(frames))
        if got is None or got[0] is not frames:
            got = memo[id(frames)] = (frames, json.dumps(frames[::-1]))
        s["frames"] = ()
        d = dump_line(s, s["table"] != "sample")
        del d["stack"]
        lines.append((s["time"] or 0, json.dumps(d)[:-1], got[1]))
    lines.sort(key=lambda x: x[0])
    return lines


def summary(t, out):
    t.scan()
    w = out.write
    w("%s: format %d.%d, id %s, started %d ns\n" % (
        t.path, t.major, t.minor, t.file_id.hex(), t.start))
    kinds = collections.Counter(CHUNK_NAMES.get(c.type, "type %d" % c.type)
                                for c in t.chunks)
    w("%s, %d chunks (%s), %s\n" % (
        t.ending(), len(t.chunks),
        ", ".join("%d %s" % (n, k) for k, n in kinds.items()),
        "with a usable index" if t.index else "no usable index"))
    for off, size, why in t.gaps:
        w("gap at %d, %d bytes: %s\n" % (off, size, why))
    if t.unfinished:
        w("unfinished end at %d, %d bytes\n" % t.unfinished)
    if t.foreign:
        w("%d bytes behind the end\n" % t.foreign)
    count = collections.Counter()
    parts = collections.Counter()
    for p in t.parts():
        count[p.table] += p.rows
        parts[p.table] += 1
    for tid in sorted(set(t.schema) | set(count)):
        tab = t.schema.get(tid)
        w("%5d %-36s %9d rows %6d parts%s\n" % (
            tid, tab.name if tab else "(not announced)", count[tid],
            parts[tid],
            "  " + str(KINDS.get(tab.kind, tab.kind)) if tab else ""))


def main(argv=None):
    ap = argparse.ArgumentParser(description="Reads a coltrace file.")
    ap.add_argument("file", help="'-' is standard input")
    ap.add_argument("--json", metavar="TABLE")
    ap.add_argument("--dump", action="store_true")
    ap.add_argument("--hash", action="store_true")
    ap.add_argument("--check", action="store_true")
    ap.add_argument("--schema", action="store_true")
    a = ap.parse_args(argv)
    out = sys.stdout
    try:
        t = Trace(sys.stdin.buffer if a.file == "-" else a.file)
        if a.json:
            name = int(a.json) if a.json.isdigit() else a.json
            for r in t.rows(name):
                out.write(json.dumps({k: _plain(v) for k, v in r.items()})
                          + "\n")
        elif a.dump:
            for _, head, stack in dump_lines(t):
                out.write('%s, "stack": %s}\n' % (head, stack))
        elif a.hash:
            for h in t.hashes():
                out.write("%s %s %d %08x\n" % h)
        elif a.schema:
            json.dump(t.tables(), out, indent=1)
            out.write("\n")
        elif a.check:
            bad = t.check()
            for off, text in bad:
                out.write("%d: %s\n" % (off, text))
            n = sum(p.rows for p in t.parts() if p.table != T_INDEX)
            out.write("%s: %d chunks, %d rows, %s, %s\n" % (
                t.path, len(t.chunks), n, t.ending(),
                "%d problems" % len(bad) if bad else "sound"))
            return 6 if bad else 0
        else:
            summary(t, out)
        for off, size, why in t.gaps:
            sys.stderr.write("gap at %d, %d bytes: %s\n" % (off, size, why))
        if not a.check:
            for off, text in t.problems:
                sys.stderr.write("%d: %s\n" % (off, text))
        return 0
    except TraceError as e:
        sys.stderr.write("%s: %s\n" % (a.file, e))
        return 6 if a.check else 1
    except OSError as e:
        sys.stderr.write("%s: %s\n" % (a.file, e))
        return 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os._exit(0)
