"""Damages one record of a perf.data that tells that a frame was shown:

    gpu_damage.py FROM TO WHICH HOW

WHICH of them in the file, from 0, or "count": prints how many there are. HOW: the
event's id, the record's type, or the size of its payload becomes wrong.

    gpu_damage.py judge TRUTH JSON

Whether what analyze says of a damaged one is wrong anywhere above low: prints how
many frames are late that the ground truth does not call so, how many are above low,
and all; exits 1 where one is both."""
import json
import re
import struct
import sys

SAMPLE = 9
NAME = b'drm_vblank_event_delivered'


def word(b, at):
    return struct.unpack_from('<Q', b, at)[0]


def ids_of(b, config):
    """Those of the tracepoint of that number."""
    attr_size, attrs, size = (word(b, at) for at in (16, 24, 32))
    for at in range(attrs, attrs + size, attr_size):
        if word(b, at + 8) == config and struct.unpack_from(
                '<I', b, at)[0] == 2:
            ids, n = (word(b, at + attr_size - k) for k in (16, 8))
            return {word(b, ids + i) for i in range(0, n, 8)}
    sys.exit('no event of that number')


def records(b):
    """Offset and size of each sample."""
    at, size = word(b, 40), word(b, 48)
    end = at + size
    while at < end:
        kind, _, n = struct.unpack_from('<IHH', b, at)
        if kind == SAMPLE:
            yield at, n
        at += n


def payload_size(b, at, n, config):
    """Where it stands: the payload behind it begins with the event's number."""
    for i in range(at + 16, at + n - 8, 4):
        size, kind = struct.unpack_from('<IH', b, i)
        if kind == config and 8 <= size <= at + n - i - 4:
            return i
    sys.exit('no payload')


def damage(b, at, n, how, config):
    if how == 'id':
        struct.pack_into('<Q', b, at + 8, 0x6b6b6b6b6b6b6b6b)
    elif how == 'type':
        struct.pack_into('<I', b, at, 0x6b6b)
    else:
        struct.pack_into('<I', b, payload_size(b, at, n, config), 0x6b6b6b)


def judge(truth, said):
    with open(truth) as f:
        late = {int(m[1]) for m in
                re.finditer(r'^GT frame=.* seq=(\d+).* missed=[1-9]',
                            f.read(), re.M)}
    frames = json.load(open(said))['late_frames']
    wrong = [f for f in frames if f['seq'] not in late]
    sure = [f for f in frames if f['confidence'] != 'low']
    print(len(wrong), len(sure), len(frames))
    sys.exit(any(f in sure for f in wrong))


def main():
    if sys.argv[1] == 'judge':
        judge(*sys.argv[2:])
    path, to, which, how = sys.argv[1:]
    with open(path, 'rb') as f:
        b = bytearray(f.read())
    config = int(re.search(rb'name: %s\nID: (\d+)' % NAME, b)[1])
    ids = ids_of(b, config)
    all_of_it = [r for r in records(b) if word(b, r[0] + 8) in ids]
    if which == 'count':
        print(len(all_of_it))
        return
    damage(b, *all_of_it[int(which)], how, config)
    with open(to, 'wb') as f:
        f.write(b)


main()
