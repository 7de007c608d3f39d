#!/usr/bin/env python3
"""userdumpcmp.py RAW TRACE: the table user_dump of a trace against the text of
`perf script -D` of the same recording: registers as perf prints them, the stack
out of its dump of the record's bytes. The trace is read by spec/reader.py."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', '..', 'spec'))
import reader  # noqa: E402

HEX = re.compile(r'\.  ([0-9a-f]{4,}): ((?: [0-9a-f]{2})+)')
RAW = re.compile(r'0x([0-9a-f]+)@.* \[0x[0-9a-f]+\]: event: \d+')
HEAD = re.compile(r'(?:\d+ )?(\d+) 0x([0-9a-f]+) \[0x[0-9a-f]+\]: PERF_RECORD_(\w+)'
                  r'.*: (\d+)/(\d+): ')
MASK = re.compile(r'\.\.\. user regs: mask 0x([0-9a-f]+) ABI (32|64)-bit')
REG = re.compile(r'\.\.\.\. (\w+) +0x([0-9a-f]+)')
STACK = re.compile(r'\.\.\. ustack: size (\d+), offset 0x([0-9a-f]+)')


def of_perf(path):
    dumps, raws, raw, at = [], {}, None, None
    for line in open(path, errors='replace'):
        m = HEX.match(line)
        if m:
            raw += bytes.fromhex(m[2])
            continue
        # A record's bytes come when it is read, what it says in its turn.
        m = RAW.match(line)
        if m:
            raw = raws[m[1]] = bytearray()
        m = HEAD.match(line)
        if m:
            at = (int(m[1]), int(m[5])) if m[3] == 'SAMPLE' else None
            regs, mask, abi, place = [], 0, 0, m[2]
        m = at and MASK.match(line)
        if m:
            mask, abi = int(m[1], 16), {'32': 1, '64': 2}[m[2]]
        m = at and REG.match(line)
        if m:
            regs.append(int(m[2], 16))
        m = at and STACK.match(line)
        if m:
            # The offset is that of the word before, with the size copied.
            size, offset = int(m[1]), int(m[2], 16) + 8
            stack = raws[place][offset:offset + size]
            dumps.append((*at, abi, mask, regs, bytes(stack)))
            assert len(dumps[-1][5]) == size
            at = None
    return dumps


def of_trace(path):
    with reader.Trace(path) as t:
        tids = {}
        for part in t.parts('thread'):
            for i, tid in enumerate(part.values('tid')):
                tids[part.epoch, part.base + i] = tid
        out, most = [], 0
        for part in t.parts('user_dump'):
            most = max(most, part.rows)
            columns = [part.values(n) for n in (
                'time', 'thread', 'abi', 'mask', 'registers', 'stack')]
            for time, thread, *rest in zip(*columns):
                rest[2] = list(rest[2])
                out.append((time, tids[part.epoch, thread], *rest))
    return out, most


def main():
    want = sorted(of_perf(sys.argv[1]))
    got, most = of_trace(sys.argv[2])
    got.sort()
    if len(want) != len(got):
        sys.exit(f'{len(want)} dumps in the recording, {len(got)} in the trace')
    for w, g in zip(want, got):
        if w[:5] != g[:5] or bytes(w[5]) != bytes(g[5]):
            sys.exit(f'dump at {w[0]}: {w[:5]} with {len(w[5])} bytes of stack, '
                     f'not {g[:5]} with {len(g[5])}')
    if not want or most > 256:
        sys.exit(f'{len(want)} dumps, {most} in a part')
    size = sum(len(w[5]) for w in want)
    print(f'{len(want)} dumps, {size} bytes of stack')


main()
