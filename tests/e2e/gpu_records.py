"""Packs records of GPU drivers into a perf.data file, or one of trace-cmd where
it is called *.dat, each field at the offset that gpu_layouts.py has; the formats
that go with them are real ones.

    gpu_records.py FORMATS OUT          6.1 or 7.3, by the name of the folder
    gpu_records.py each FORMATS OUT     a record of each event of the layouts
    gpu_records.py readable FORMATS OUT     but of those that the library fails at
    gpu_records.py stutter FORMATS OUT  60 Hz for 10 s, waits across seven vblanks
    gpu_records.py count KERNEL
    gpu_records.py check KERNEL FOLDER  holds gaps.json, fences.json, frames.json
    gpu_records.py fields KERNEL DUMP.json      of what "each" packed
    gpu_records.py crossings STALLS.json        of what "stutter" packed"""
import json
import os
import struct
import sys

from gpu_layouts import layouts_of
from gpu_tracedat import trace_dat

OLD = '6.1.192'
PAGE = b'''\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
'''

GAME, WORKER, IRQ = 100, 200, 0
PERIOD = 16666667
HIGH = 1 << 32  # what a row of dma_fence cuts off


def fence(time, pid, what, driver, timeline, context, seqno):
    return (time, pid, 'dma_fence:dma_fence_' + what, dict(
        driver=driver, timeline=timeline, context=context % HIGH,
        seqno=seqno % HIGH))


def waited(begin, end, *names):
    return [fence(begin, GAME, 'wait_start', *names),
            fence(end, GAME, 'wait_end', *names)]


def i915(at):
    own = dict(dev=0, ctx=HIGH + 5, instance=1, seqno=9, **{'class': 2})
    names = 'i915', 'game[100]', HIGH + 5, 9
    return [(at, GAME, 'i915:i915_request_queue', dict(own, flags=1)),
            (at + 10, GAME, 'i915:i915_request_add', dict(own, tail=64)),
            fence(at + 11, GAME, 'init', *names),
            fence(at + 20, GAME, 'wait_start', *names),
            (at + 21, GAME, 'i915:i915_request_wait_begin',
             dict(own, flags=0)),
            fence(at + 500, IRQ, 'signaled', *names),
            (at + 510, GAME, 'i915:i915_request_wait_end', dict(own, tail=64)),
            fence(at + 520, GAME, 'wait_end', *names),
            (at + 900, WORKER, 'i915:i915_request_retire',
             dict(own, tail=64))]


CLIENT = 0xffff888012345678


def vblanks(at):
    """Eight; the client shows a picture at 1, 2, 5 (late by two) and 6, and
    asks to be told of 7."""
    rows = [(at + 6 * PERIOD + 50000, GAME, 'drm:drm_vblank_event_queued',
             dict(file=CLIENT, crtc=0, seq=707))]
    for i in range(8):
        time = at + i * PERIOD
        rows += [(time + 40000, IRQ, 'drm:drm_vblank_event', dict(
            crtc=0, seq=700 + i, time=time, high_prec=1))]
        if i in (1, 2, 5, 6, 7):
            rows += [(time + 30000, IRQ, 'drm:drm_vblank_event_delivered',
                      dict(file=CLIENT, crtc=0, seq=700 + i))]
    return rows


def flip_done(at):
    """Of the picture that is shown at 1."""
    return [(at + PERIOD + 30010, IRQ, 'xe:intel_crtc_flip_done', dict(
        dev='0000:00:02.0', pipe_name=ord('A'), frame=1, scanline=0))]


def virtio(at, kernel):
    own = dict(dev=0, vq=0, flags=1, fence_id=HIGH + 77, ctx_id=1)
    if kernel == OLD:
        own.update(name=0xffffffffc0a81234)
    else:
        own.update(name='control', num_free=63, seqno=5)
    names = 'virtio_gpu', 'controlq', 3, HIGH + 77
    return [fence(at, GAME, 'emit', *names),
            (at + 5, GAME, 'virtio_gpu:virtio_gpu_cmd_queue',
             dict(own, type=519)),
            (at + 405, WORKER, 'virtio_gpu:virtio_gpu_cmd_response',
             dict(own, type=4352)),
            fence(at + 410, WORKER, 'signaled', *names),
            ] + waited(at + 50, at + 420, *names)


def old_jobs(at):
    job = dict(entity=0xffff888000001000, fence=0xffff88800000f000,
               name='gfx', id=9, job_count=1, hw_job_count=0)
    amd = dict(sched_job_id=9, timeline='gfx', context=30, seqno=5,
               ring='gfx', num_ibs=2)
    names = 'drm_sched', 'gfx', 30, 5
    return [fence(at, GAME, 'init', 'drm_sched', 'gfx', 29, 5),
            fence(at + 1, GAME, 'init', *names),
            (at + 2, GAME, 'amdgpu:amdgpu_cs_ioctl',
             dict(amd, fence=0xffff88800000f000)),
            (at + 3, GAME, 'gpu_scheduler:drm_sched_job', job),
            (at + 4, WORKER, 'gpu_scheduler:drm_sched_job_wait_dep', dict(
                name='gfx', id=9, fence=0xffff88800000e000, ctx=50,
                seqno=1)),
            (at + 100, WORKER, 'gpu_scheduler:drm_run_job', job),
            (at + 101, WORKER, 'amdgpu:amdgpu_sched_run_job', amd),
            fence(at + 102, WORKER, 'init', 'amdgpu', 'gfx', 4, 77),
            (at + 801, IRQ, 'gpu_scheduler:drm_sched_process_job',
             dict(fence=0xffff88800000f000)),
            fence(at + 802, IRQ, 'signaled', *names),
            ] + waited(at + 20, at + 810, *names)


def new_jobs(at):
    ids = dict(fence_context=HIGH + 30, fence_seqno=HIGH + 5)
    job = dict(ids, name='gfx_0.0.0', dev='0000:03:00.0', job_count=1,
               hw_job_count=0, client_id=12)
    amd = dict(timeline='gfx_0.0.0', context=HIGH + 30, seqno=HIGH + 5,
               ring='gfx_0.0.0', num_ibs=2)
    names = 'drm_sched', 'gfx_0.0.0', HIGH + 30, HIGH + 5
    return [fence(at, GAME, 'init', *names),
            (at + 2, GAME, 'amdgpu:amdgpu_cs_ioctl',
             dict(amd, fence=0xffff88800000f000)),
            (at + 3, GAME, 'gpu_scheduler:drm_sched_job_queue', job),
            (at + 4, GAME, 'gpu_scheduler:drm_sched_job_add_dep',
             dict(ids, ctx=50, seqno=1)),
            (at + 5, WORKER, 'gpu_scheduler:drm_sched_job_unschedulable',
             dict(ids, ctx=50, seqno=1)),
            (at + 100, WORKER, 'gpu_scheduler:drm_sched_job_run', job),
            (at + 101, WORKER, 'amdgpu:amdgpu_sched_run_job', amd),
            (at + 801, IRQ, 'gpu_scheduler:drm_sched_job_done', ids),
            fence(at + 802, IRQ, 'signaled', *names),
            fence(at + 20, GAME, 'wait_start', *names),
            fence(at + 810, GAME, 'wait_end', 'detached-driver',
                  'signaled-timeline', HIGH + 30, HIGH + 5)]


def xe(at):
    """Its jobs go through the scheduler, whose rows are those that count; the
    fence of the hardware is the driver's own."""
    job = dict(dev='0000:00:02.0', seqno=3, lrc_seqno=3, gt_id=0, guc_id=4,
               guc_state=1, flags=2, error=0, fence=0xffff88800000d000,
               batch_addr=0x1000)
    own = dict(dev='0000:00:02.0', ctx=8, seqno=3, fence=0xffff88800000d000)
    ids = dict(fence_context=40, fence_seqno=3)
    sched = dict(ids, name='rcs0', dev='0000:00:02.0', job_count=0,
                 hw_job_count=0, client_id=3)
    hardware, finished = ('xe', 'rcs0', 8, 3), ('drm_sched', 'rcs0', 40, 3)
    return [(at, GAME, 'xe:xe_sched_job_create', job),
            fence(at + 2, GAME, 'init', *hardware),
            (at + 3, GAME, 'xe:xe_hw_fence_create', own),
            fence(at + 8, GAME, 'init', 'drm_sched', 'rcs0', 39, 3),
            fence(at + 9, GAME, 'init', *finished),
            (at + 10, GAME, 'xe:xe_sched_job_exec', job),
            (at + 11, GAME, 'gpu_scheduler:drm_sched_job_queue', sched),
            (at + 60, WORKER, 'gpu_scheduler:drm_sched_job_run', sched),
            (at + 61, WORKER, 'xe:xe_sched_job_run', job),
            fence(at + 70, WORKER, 'wait_start', *hardware),
            (at + 299, IRQ, 'xe:xe_hw_fence_try_signal', own),
            (at + 300, IRQ, 'xe:xe_hw_fence_signal', own),
            fence(at + 301, IRQ, 'signaled', *hardware),
            (at + 310, IRQ, 'gpu_scheduler:drm_sched_job_done', ids),
            fence(at + 311, IRQ, 'signaled', *finished),
            fence(at + 320, WORKER, 'wait_end', 'detached-driver',
                  'signaled-timeline', 8, 3),
            (at + 400, WORKER, 'xe:xe_sched_job_free', job),
            ] + waited(at + 40, at + 330, *finished)


def handed(kernel, number, queued, run, done):
    """A job of a driver without events of its own, as the scheduler of either
    generation tells of it."""
    key = 60, number
    if kernel == OLD:
        job = dict(entity=0xffff888000002000, name='comp', id=number,
                   fence=0xffff888000010000 + 64 * number, job_count=1,
                   hw_job_count=0)
        names = ('drm_sched_job', job), ('drm_run_job', job), \
            ('drm_sched_process_job', dict(fence=job['fence']))
    else:
        ids = dict(fence_context=key[0], fence_seqno=key[1])
        job = dict(ids, name='comp', dev='0000:04:00.0', job_count=1,
                   hw_job_count=0, client_id=5)
        names = ('drm_sched_job_queue', job), ('drm_sched_job_run', job), \
            ('drm_sched_job_done', ids)
    rows = [fence(queued - 1, GAME, 'init', 'drm_sched', 'comp', *key),
            fence(done + 1, IRQ, 'signaled', 'drm_sched', 'comp', *key)]
    return rows + [(time, pid, 'gpu_scheduler:' + name, fields)
                   for time, pid, (name, fields) in zip(
                       (queued, run, done), (GAME, WORKER, IRQ), names)]


def queue_of_three(at, kernel):
    """The second is handed over while the first runs; the third comes when the
    ring has been idle for 350 ns."""
    return handed(kernel, 1, at, at + 100, at + 600) + \
        handed(kernel, 2, at + 50, at + 200, at + 900) + \
        handed(kernel, 3, at + 1200, at + 1250, at + 1400) + \
        waited(at + 300, at + 910, 'drm_sched', 'comp', 60, 2)


def without_job(at):
    names = 'vgem', 'unbound', 90, 1
    return [fence(at, WORKER, 'emit', *names),
            fence(at + 5, GAME, 'enable_signal', *names),
            fence(at + 700, WORKER, 'signaled', *names),
            fence(at + 800, WORKER, 'destroy', *names),
            ] + waited(at + 4, at + 710, *names)


def rows_of(kernel):
    rows = i915(1000000) + virtio(2000000, kernel) + vblanks(7000000)
    rows += old_jobs(3000000) if kernel == OLD else \
        new_jobs(3000000) + xe(4000000) + flip_done(7000000)
    rows += queue_of_three(5000000, kernel) + without_job(6000000)
    return sorted(rows, key=lambda r: r[0])


# What each ring was busy for: from a job's hand-over (the fence of the hardware
# that is made then, where a row tells of it), or the end of the one before, or
# where no row tells of that from its begin, to its end.
BUSY = {
    OLD: {'card0 video1': 500, 'card0 control': 400, 'gfx': 801 - 102,
          'comp': 500 + 300 + 150},
    '7.3.4': {'card0 video1': 500, 'card0 control': 400,
              '0000:03:00.0 gfx_0.0.0': 700, '0000:00:02.0 rcs0': 250,
              '0000:04:00.0 comp': 500 + 300 + 150},
}
# Ring, begin, end, and the seqno of the job behind it.
GAPS = {
    OLD: [['comp', 5000900, 5001250, 3]],
    '7.3.4': [['0000:04:00.0 comp', 5000900, 5001250, 3]],
}
# Driver, timeline, context, seqno, the wait in ns, and the ring of the job.
WAITS = {
    OLD: [['i915', 'game[100]', 5, 9, 500, 'card0 video1'],
          ['virtio_gpu', 'controlq', 3, 77, 370, 'card0 control'],
          ['drm_sched', 'gfx', 30, 5, 790, 'gfx'],
          ['drm_sched', 'comp', 60, 2, 610, 'comp'],
          ['vgem', 'unbound', 90, 1, 706, '']],
    '7.3.4': [['i915', 'game[100]', 5, 9, 500, 'card0 video1'],
              ['virtio_gpu', 'controlq', 3, 77, 370, 'card0 control'],
              ['drm_sched', 'gfx_0.0.0', 30, 5, 790,
               '0000:03:00.0 gfx_0.0.0'],
              ['xe', 'rcs0', 8, 3, 250, '0000:00:02.0 rcs0'],
              ['drm_sched', 'rcs0', 40, 3, 290, '0000:00:02.0 rcs0'],
              ['drm_sched', 'comp', 60, 2, 610, '0000:04:00.0 comp'],
              ['vgem', 'unbound', 90, 1, 706, '']],
}
HEAD = {OLD: 'crtc0', '7.3.4': '0000:00:02.0/xe crtc0'}
# Of the client: frames, late ones, missed vblanks, and those it asked for.
FRAMES = [4, 1, 2, 1]


CROSSING = [17, 60, 61, 233, 300, 418, 599]


def wait_of(frame):
    """5 ms in each display frame: from 4 ms on, or from 2 ms before its end."""
    begin = frame * PERIOD
    begin += PERIOD - 2000000 if frame in CROSSING else 4000000
    return begin, begin + 5000000


def stutter(_):
    rows = [(i * PERIOD + 30000, IRQ, 'drm:drm_vblank_event', dict(
        crtc=0, seq=100 + i, time=i * PERIOD, high_prec=1))
        for i in range(601)]
    for frame in range(600):
        rows += waited(*wait_of(frame), 'i915', 'game[100]', 5, frame + 1)
    return sorted(rows, key=lambda r: r[0])


class Value:
    """Different in each field of each event, in all of its bytes."""

    def __init__(self):
        self.n = 0

    def next(self, kind):
        self.n += 1
        bits = self.n * 0x9e3779b97f4a7c15
        if kind == 's':
            return f'text {self.n}'
        if kind == 'v':
            return [self.next('Q') for _ in range(1 + self.n % 3)]
        if kind[0].isdigit():
            return [self.next(kind[1:]) for _ in range(int(kind[:-1]))]
        if kind in '?c':
            return bits >> 5 & 1 if kind == '?' else ord('A') + bits % 26
        size = struct.calcsize('<' + kind)
        return struct.unpack('<' + kind, struct.pack(
            '<Q', bits % (1 << 64))[8 - size:])[0]


def each_of(kernel):
    value, rows = Value(), []
    for event, (fields, _) in layouts_of(kernel).items():
        rows.append((1000 * (len(rows) + 1), GAME, event,
                     [value.next(kind) for _, _, kind in fields]))
    return rows


# What perf's libtraceevent reads past the end of (numbers in a list, arrays by a
# constant index, two fields with one name), cuts to 32 bits (%zu), or prints with
# bytes that end a line or are no text.
UNREADABLE = {
    'amdgpu': ['vm_update_ptes', 'vm_grab_id'],
    'intel': ['pipe_enable', 'pipe_disable', 'plane_scaler_update_arm'],
    'xe': ['bo_cpu_fault', 'bo_create', 'bo_validate', 'bo_move',
           'eu_stall_data_read', 'guc_ctb_g2h', 'guc_ctb_h2g',
           'guc_engine_activity'],
}


def readable(kernel):
    without = [f'{group}_{name}' for group, names in UNREADABLE.items()
               for name in names]
    return [row for row in each_of(kernel)
            if row[2].split(':')[1] not in without]


def record(layout, event_id, pid, values):
    """Of values by field, or in the order of fields: two have one name in
    amdgpu_vm_grab_id."""
    fields, size = layout
    body = bytearray(size)
    struct.pack_into('<HBBi', body, 0, event_id, 0, 0, pid)
    if isinstance(values, dict):
        values = [values[name] for name, _, _ in fields]
    for (_, offset, kind), value in zip(fields, values):
        if kind in 'sv':
            more = value.encode() + b'\0' if kind == 's' else \
                struct.pack(f'<{len(value)}Q', *value)
            struct.pack_into('<I', body, offset, len(more) << 16 | len(body))
            body += more
        else:
            struct.pack_into('<' + kind.replace('c', 'B'), body, offset,
                             *(value if isinstance(value, list) else [value]))
    return bytes(body)


def sample(identifier, time, pid, raw):
    raw += bytes(-(len(raw) + 4) % 8)
    body = struct.pack('<QQIIQIIQI', identifier, 0xffffffff81000000, pid, pid,
                       time, 0, 0, 1, len(raw)) + raw
    return struct.pack('<IHH', 9, 1, 8 + len(body)) + body


def comm(identifier, pid, name):
    body = struct.pack('<II', pid, pid) + name.encode().ljust(16, b'\0')
    body += struct.pack('<IIQIIQ', pid, pid, 0, 0, 0, identifier)
    return struct.pack('<IHH', 3, 0, 8 + len(body)) + body


def attr(event_id):
    """Period 1; with identifier, ip, tid, time, cpu, period and raw data, on
    CLOCK_MONOTONIC."""
    sample_type = 1 << 16 | 1 | 2 | 4 | 1 << 7 | 1 << 8 | 1 << 10
    flags = 1 << 18 | 1 << 25 | 1 << 9
    a = bytearray(128)
    struct.pack_into('<IIQQQQQ', a, 0, 2, 128, event_id, 1, sample_type, 0,
                     flags)
    struct.pack_into('<i', a, 92, 1)
    return bytes(a)


def tracing_data(formats):
    out = b'\x17\x08\x44tracing0.6\0' + struct.pack('<BBI', 0, 8, 4096)
    out += b'header_page\0' + struct.pack('<Q', len(PAGE)) + PAGE
    out += b'header_event\0' + struct.pack('<Q', 1) + b'\n'
    out += struct.pack('<I', 0)
    systems = {}
    for name, text in formats.items():
        systems.setdefault(name.split(':')[0], []).append(text)
    out += struct.pack('<I', len(systems))
    for system, texts in systems.items():
        out += system.encode() + b'\0' + struct.pack('<I', len(texts))
        for text in texts:
            out += struct.pack('<Q', len(text)) + text
    return out + struct.pack('<IIQ', 0, 0, 0)


def id_of(text):
    return int(text.split(b'\nID: ')[1].split()[0])


COMMS = [(GAME, 'game'), (WORKER, 'kworker/0:1')]


def perf_data(tracing, ids, records):
    """`ids` are of the events by name, `records` (time, pid, name, raw)."""
    names = list(ids)
    data = b''.join(comm(1, pid, name) for pid, name in COMMS)
    for time, pid, name, raw in records:
        data += sample(1 + names.index(name), time, pid, raw)
    ids_at = 104
    attrs_at = ids_at + 8 * len(names)
    data_at = attrs_at + 144 * len(names)
    features_at = data_at + len(data)
    out = struct.pack('<8sQQQQQQQQ', b'PERFILE2', 104, 144, attrs_at,
                      144 * len(names), data_at, len(data), 0, 0)
    out += struct.pack('<4Q', 1 << 1, 0, 0, 0)
    out += b''.join(struct.pack('<Q', 1 + i) for i in range(len(names)))
    for i, name in enumerate(names):
        out += attr(ids[name])
        out += struct.pack('<QQ', ids_at + 8 * i, 8)
    return out + data + \
        struct.pack('<QQ', features_at + 16, len(tracing)) + tracing


def pack(folder, path, rows_of_kernel):
    kernel = os.path.basename(folder.rstrip('/'))
    rows, layouts = rows_of_kernel(kernel), layouts_of(kernel)
    formats = {}
    for name in sorted({r[2] for r in rows}):
        with open(os.path.join(folder, name.replace(':', '/')), 'rb') as f:
            formats[name] = f.read()
    ids = {name: id_of(text) for name, text in formats.items()}
    tracing = tracing_data(formats)
    records = [(time, pid, name, record(layouts[name], ids[name], pid, fields))
               for time, pid, name, fields in rows]
    if path.endswith('.dat'):
        out = trace_dat(tracing, COMMS, [(r[0], r[3]) for r in records])
    else:
        out = perf_data(tracing, ids, records)
    with open(path, 'wb') as f:
        f.write(out)


def must_be(what, said, packed):
    if said != packed:
        sys.exit(f'{what}: packed {packed}, said {said}')


def check(kernel, folder):
    said = {name: json.load(open(f'{folder}/{name}.json'))
            for name in ('gaps', 'fences', 'frames')}
    must_be('rings', {r['ring']: r['busy_ns'] for r in said['gaps']['rings']},
            BUSY[kernel])
    must_be('gaps', [[g['ring'], g['idle_from_ns'], g['idle_to_ns'],
                      g['next_seqno']] for g in said['gaps']['gaps']],
            GAPS[kernel])
    must_be('waits', sorted([w['driver'], w['timeline'], w['context'],
                             w['seqno'], w['waited_ns'], w['ring']]
                            for w in said['fences']['each']),
            sorted(WAITS[kernel]))
    head, client = said['frames']['heads'][0], said['frames']['clients'][0]
    must_be('frames', [client[k] for k in ('frames', 'late', 'missed',
                                           'asked')], FRAMES)
    must_be('head', head['head'], HEAD[kernel])
    must_be('vblanks', [head['vblanks'], head['period_ns']], [8, PERIOD])


def check_crossings(stalls):
    said = json.load(open(stalls))
    must_be('waits across vblanks', [
        [w['from_ns'], w['waited_ns'], w['vblanks'], w['frame_lost']]
        for w in said['waits_across_vblanks']], [
            [wait_of(frame)[0], 5000000, 1, 'no'] for frame in CROSSING])
    must_be('late frames', said['late_frames'], [])


def check_fields(kernel, dump):
    """Pairs, as two fields may have one name."""
    layouts, packed = layouts_of(kernel), each_of(kernel)
    with open(dump) as f:
        rows = [dict(json.loads(line, object_pairs_hook=list)) for line in f]
    for row, (_, _, event, values) in zip(rows, packed):
        must_be(event, [row['event'], row['fields']], [event, [
            (name, v) for (name, _, _), v in zip(layouts[event][0], values)]])
    must_be('rows', len(rows), len(packed))


PACKED = {'each': each_of, 'readable': readable, 'stutter': stutter}

if sys.argv[1] == 'count':
    print(len(rows_of(sys.argv[2])))
elif sys.argv[1] == 'check':
    check(*sys.argv[2:4])
elif sys.argv[1] == 'fields':
    check_fields(*sys.argv[2:4])
elif sys.argv[1] == 'crossings':
    check_crossings(sys.argv[2])
elif sys.argv[1] in PACKED:
    pack(*sys.argv[2:4], PACKED[sys.argv[1]])
else:
    pack(*sys.argv[1:3], rows_of)
