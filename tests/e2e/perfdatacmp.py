#!/usr/bin/env python3
"""perfdatacmp.py KIND SHOWN EXPECTED: whether what importshow prints agrees with
a published answer, record by record. KIND: pb (quipper's protobuf text),
build-ids (its lists), chains (perfparser's text)."""
import collections
import re
import sys

import pbtext

SAMPLE, MMAP, COMM, EXIT, FORK, MMAP2 = 9, 1, 3, 4, 7, 10


def signed(v):
    return v - (1 << 32) if v >= 1 << 31 else v


CONTEXT_USER = 2**64 - 512


def unmarked(chain):
    """In some user addresses quipper's answers have the highest bit set, the
    files do not (compared byte by byte)."""
    user, words = False, []
    for w in chain:
        words.append(w & ~(1 << 63) if user else w)
        user = user or w == CONTEXT_USER
    return tuple(words)


class Shown:
    """The lines of importshow."""
    SAMPLE = re.compile(
        r'sample (\d+) misc (\d+) time (\d+) of (-?\d+)/(-?\d+) cpu (\d+) '
        r'period (\d+) ip 0x([0-9a-f]+)( chain)?((?: 0x[0-9a-f]+)*)')
    RECORD = re.compile(r'record (\d+) misc (\d+) time (\d+) by (-?\d+)/(-?\d+)'
                        r' cpu (\d+)(.*)')
    MAP = re.compile(r" (-?\d+)/(-?\d+) 0x([0-9a-f]+)\+0x([0-9a-f]+) "
                     r"@0x([0-9a-f]+) prot \d+ id ([0-9a-f]*) '(.*)'")
    COMM = re.compile(r" (-?\d+)/(-?\d+) \d '(.*)'")
    TASK = re.compile(r' (-?\d+)/(-?\d+) of (-?\d+)/(-?\d+)')

    def __init__(self, path):
        self.samples, self.build_ids = [], {}
        self.kinds = collections.defaultdict(list)
        self.lost = self.throttled = 0
        self.unwound = True # no stacks that would have to be
        for line in open(path, errors='surrogateescape'):
            self.take(line.rstrip('\n'))

    def take(self, line):
        m = self.SAMPLE.fullmatch(line.split(' raw ')[0])
        if m:
            g = m.groups()
            chain = [int(w, 16) for w in g[9].split()]
            self.samples.append((int(g[2]), int(g[3]), int(g[4]), int(g[5]),
                                 int(g[6]), int(g[7], 16), chain))
            return
        m = self.RECORD.fullmatch(line)
        if m:
            self.record(int(m[1]), int(m[3]), m[7])
        elif line.startswith('build-id '):
            _, kind, hexa, path = line.split(' ', 3)
            self.build_ids[path[1:-1]] = hexa
        elif line.startswith('fact note.user_stacks'):
            self.unwound = False
        elif line.startswith('lost '):
            w = line.split()
            if w[2] == '1':
                self.lost += int(w[-1])
            elif w[2] == '2':
                self.throttled += int(w[-1])

    def record(self, kind, time, rest):
        if kind in (MMAP, MMAP2):
            m = self.MAP.fullmatch(rest)
            self.kinds['mmap'].append((time, int(m[1]), int(m[2]),
                                       int(m[3], 16), int(m[4], 16),
                                       int(m[5], 16), m[7]))
        elif kind == COMM:
            m = self.COMM.fullmatch(rest)
            self.kinds['comm'].append((time, int(m[1]), int(m[2]), m[3]))
        elif kind in (EXIT, FORK):
            m = self.TASK.fullmatch(rest)
            self.kinds['exit' if kind == EXIT else 'fork'].append(
                (time,) + tuple(int(v) for v in m.groups()))
        elif kind in (14, 15):
            self.kinds['switch'].append((time,))


class Expected:
    """quipper's text of the same file."""

    def __init__(self, path):
        self.samples = []
        self.kinds = collections.defaultdict(list)
        self.lost = self.throttled = 0
        top = pbtext.parse(open(path, errors='surrogateescape').read())
        attrs = [a['attr'][0] for a in top['file_attrs']]
        self.attrs = {}
        for a in top['file_attrs']:
            for i in a.get('ids', []):
                self.attrs[i] = a['attr'][0]
        self.first = attrs[0]
        for e in top['events']:
            self.take(e)
        self.build_ids = {
            b['filename'][0].decode(): b['build_id_hash'][0].hex()
            for b in top.get('build_ids', [])}

    def take(self, e):
        for field, value in e.items():
            method = getattr(self, field, None)
            if field.endswith('_event') and method:
                method(value[0])

    @staticmethod
    def ids(e):
        return e.get('sample_info', [{}])[0].get('sample_time_ns', [0])[0]

    def sample_event(self, e):
        attr = self.attrs.get(e.get('id', [0])[0], self.first)
        period = e['period'][0] if 'period' in e else attr['sample_period'][0]
        # tid 0 is the idle task, whose pid is 0, too.
        pid = signed(e['pid'][0]) if e['tid'][0] else 0
        self.samples.append((e['sample_time_ns'][0], pid,
                             signed(e['tid'][0]), e.get('cpu', [0])[0], period,
                             e['ip'][0],
                             e.get('callchain', [])))

    def mmap_event(self, e):
        self.kinds['mmap'].append((
            self.ids(e), signed(e['pid'][0]), signed(e['tid'][0]),
            e['start'][0], e['len'][0], e['pgoff'][0],
            e['filename'][0].decode()))

    def comm_event(self, e):
        self.kinds['comm'].append((self.ids(e), signed(e['pid'][0]),
                                   signed(e['tid'][0]),
                                   e['comm'][0].decode()))

    def exit_event(self, e, kind='exit'):
        self.kinds[kind].append((
            self.ids(e) or e['fork_time_ns'][0], signed(e['pid'][0]), signed(e['tid'][0]),
            signed(e['ppid'][0]), signed(e['ptid'][0])))

    def fork_event(self, e):
        self.exit_event(e, 'fork')

    def context_switch_event(self, e):
        self.kinds['switch'].append((self.ids(e),))

    def lost_samples_event(self, e):
        self.lost += e['num_lost'][0]

    def lost_event(self, e):
        self.lost += e['lost'][0]


def differ(what, ours, theirs):
    """Prints the first differences of two collections; whether there are."""
    a, b = collections.Counter(ours), collections.Counter(theirs)
    if a == b:
        return False
    print('%s: %d of ours, %d expected' % (what, len(ours), len(theirs)))
    for name, more in (('only ours', a - b), ('only expected', b - a)):
        for item in list(more)[:3]:
            print('  %s: %.200r' % (name, item))
    return True


def joined(ours, theirs):
    """quipper joins mappings that it takes for parts of one (text on huge
    pages); so are ours where it did. A mapping is time, pid, tid, start, size,
    offset, path."""
    ours = collections.Counter(ours)
    for want in (collections.Counter(theirs) - ours).elements():
        time, pid, tid, start, size = want[:5]
        parts, at = [], start
        for m in sorted(m for m in ours if m[:3] == (time, pid, tid)):
            if m[3] == at and at < start + size:
                parts.append(m)
                at += m[4]
        if at == start + size and len(parts) > 1:
            ours.subtract(parts)
            ours[want] += 1
    return list(ours.elements())


def untimed(kind, shown, expected):
    """A record without a time of its own was given that of its place."""
    times = {t[0] for t in expected}
    return ([(t[0] if t[0] in times else 0,) + t[1:] for t in shown],
            expected)


def compare_pb(shown, expected):
    bad = differ('samples', [s[:6] + unmarked(s[6]) for s in shown.samples],
                 [s[:6] + unmarked(s[6]) for s in expected.samples])
    shown.kinds['mmap'] = joined(*untimed('mmap', shown.kinds['mmap'],
                                          expected.kinds['mmap']))
    for kind in sorted(set(shown.kinds) | set(expected.kinds)):
        bad |= differ(kind, *untimed(kind, shown.kinds[kind],
                                     expected.kinds[kind]))
    times = [s[0] for s in shown.samples]
    if times != sorted(times):
        print('samples are not in the order of time')
        bad = True
    if shown.lost != expected.lost:
        print('lost: %d, expected %d' % (shown.lost, expected.lost))
        bad = True
    for path, hexa in expected.build_ids.items():
        if shown.build_ids.get(path) != hexa:
            print('build-id of %s: %s, expected %s' %
                  (path, shown.build_ids.get(path), hexa))
            bad = True
    print('%d samples, %s' % (len(shown.samples), ', '.join(
        '%d %s' % (len(v), k) for k, v in sorted(shown.kinds.items()))))
    return bad


def compare_build_ids(shown, path):
    bad, n = False, 0
    for line in open(path):
        hexa, name = line.split(' ', 1)
        name = name.strip()
        n += 1
        if shown.build_ids.get(name) != hexa:
            print('build-id of %s: %s, expected %s' %
                  (name, shown.build_ids.get(name), hexa))
            bad = True
    print('%d build-ids' % n)
    return bad


def published_chains(path):
    """perfparser's text: comm, pid, tid and time of a sample in a line without a
    tab before it, then the frames: an address in the first field of every other
    line."""
    samples = []
    for line in open(path):
        line = line.rstrip('\n')
        if not line:
            continue
        if not line.startswith('\t'):
            comm, pid, tid, time = line.split('\t')
            whole, part = time.split('.')
            samples.append([comm, int(pid), int(tid),
                            int(whole) * 10**9 + int(part), []])
        elif re.match(r'\t[0-9a-f]+ \d', line) and not line.startswith('\t0 '):
            samples[-1][4].append(int(line.split()[0], 16))
    return samples


def is_within(some, all_of):
    rest = iter(all_of)
    return all(w in rest for w in some)


def compare_chains(shown, path):
    """The kernel's part of each chain must be the same, and the user's where it
    had not to be unwound. Published frames are more: inlined ones stand there
    too, with the address of a function. Of a user's chain from branch records
    perf has no leaf beside a kernel part: the first one is left out."""
    bad = False
    ours = {s[0]: s for s in shown.samples}
    expected = published_chains(path)
    for comm, pid, tid, time, frames in expected:
        s = ours.get(time)
        if not s or s[1:3] != (pid, tid):
            print('no sample of %d/%d at %d' % (pid, tid, time))
            bad = True
            continue
        chain = [w for w in s[6] if w < 2**64 - 4096]
        split = sum(w >= 1 << 63 for w in chain)
        user = chain[split + 1 if split else 0:] if shown.unwound else []
        if (chain[:split] != frames[:split] or
                not is_within(user, frames[split:])):
            print('at %d: %.200r, expected %.200r' % (
                time, [hex(w) for w in chain], [hex(w) for w in frames]))
            bad = True
    if len(expected) != len(shown.samples):
        print('%d samples, expected %d' % (len(shown.samples), len(expected)))
        bad = True
    print('%d samples with chains' % len(expected))
    return bad


def main():
    kind, shown, expected = sys.argv[1:]
    shown = Shown(shown)
    if kind == 'pb':
        bad = compare_pb(shown, Expected(expected))
    elif kind == 'build-ids':
        bad = compare_build_ids(shown, expected)
    else:
        bad = compare_chains(shown, expected)
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
