"""Writes records into a trace.dat file of version 6, as trace-cmd does with the
clock "mono": pages of a ring buffer, whose records have the time since the one
before in 27 bits."""
import struct

PAGE = 4096
HEAD = 16
TIME_EXTEND = 30
CLOCK_OPTION = 4


def word(kind, delta):
    return struct.pack('<I', delta << 5 | kind)


def entry(raw, delta):
    """Up to 28 words say their number in the head; longer ones behind it."""
    raw += bytes(-len(raw) % 4)
    out = b''
    if delta >> 27:
        out = word(TIME_EXTEND, delta % (1 << 27)) + \
            struct.pack('<I', delta >> 27)
        delta = 0
    if len(raw) <= 28 * 4:
        return out + word(len(raw) // 4, delta) + raw
    return out + word(0, delta) + struct.pack('<I', len(raw) + 4) + raw


def page(time, data):
    return struct.pack('<QQ', time, len(data)) + data.ljust(PAGE - HEAD, b'\0')


def pages(rows):
    """Of (time, record) in order."""
    out, data, begin, last = b'', b'', 0, 0
    for time, raw in rows:
        if data and HEAD + len(data) + len(entry(raw, time - last)) > PAGE:
            out += page(begin, data)
            data = b''
        if not data:
            begin = last = time
        data += entry(raw, time - last)
        last = time
    return out + page(begin, data)


def trace_dat(tracing_data, comms, rows):
    """`tracing_data` is what perf has of the formats: but for its version and its
    end, which has no names, it is the head of such a file."""
    body = tracing_data[len(b'\x17\x08\x44tracing0.6\0'):-16]
    names = ''.join(f'{pid} {name}\n' for pid, name in comms).encode()
    clock = b'local global [mono] boot'
    out = b'\x17\x08\x44tracing6\0' + body + bytes(8)
    out += struct.pack('<Q', len(names)) + names + struct.pack('<I', 1)
    # The option only says that the clocks stand behind the places of pages.
    out += b'options  \0' + struct.pack('<HIH', CLOCK_OPTION, 0, 0)
    out += b'flyrecord\0'
    clocks = struct.pack('<Q', len(clock)) + clock
    at = len(out) + 16 + len(clocks)
    at += -at % PAGE
    data = pages(rows)
    out += struct.pack('<QQ', at, len(data)) + clocks
    return out.ljust(at, b'\0') + data
