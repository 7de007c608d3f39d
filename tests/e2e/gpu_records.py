"""Packs records of GPU drivers into a perf.data file, each field at the offset
that is written here by hand; the formats that go with them are real ones.

    gpu_records.py FORMATS OUT          6.1 or 7.3, by the name of the folder
    gpu_records.py count KERNEL         how many records there are
    gpu_records.py check KERNEL GAPS.json FENCES.json"""
import json
import os
import struct
import sys

OLD = '6.1.192'
PAGE = b'''\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
'''

# Offset and type of each field: I 32 bits, Q 64, H 16, B 8, i and q signed, s a
# text whose place is told by 32 bits at the offset.
FENCE = {'driver': (8, 's'), 'timeline': (12, 's'), 'context': (16, 'I'),
         'seqno': (20, 'I'), '': 24}
I915 = {'dev': (8, 'I'), 'ctx': (16, 'Q'), 'class': (24, 'H'),
        'instance': (26, 'H'), 'seqno': (28, 'I'), '': 40}
LAYOUTS = {
    OLD: {
        'drm:drm_vblank_event': {
            'crtc': (8, 'i'), 'seq': (12, 'I'), 'time': (16, 'q'),
            'high_prec': (24, 'B'), '': 32},
        'drm:drm_vblank_event_queued': {
            'file': (8, 'Q'), 'crtc': (16, 'i'), 'seq': (20, 'I'), '': 24},
        'drm:drm_vblank_event_delivered': {
            'file': (8, 'Q'), 'crtc': (16, 'i'), 'seq': (20, 'I'), '': 24},
        'gpu_scheduler:drm_sched_job': {
            'entity': (8, 'Q'), 'fence': (16, 'Q'), 'name': (24, 's'),
            'id': (32, 'Q'), 'job_count': (40, 'I'),
            'hw_job_count': (44, 'i'), '': 48},
        'gpu_scheduler:drm_run_job': {
            'entity': (8, 'Q'), 'fence': (16, 'Q'), 'name': (24, 's'),
            'id': (32, 'Q'), 'job_count': (40, 'I'),
            'hw_job_count': (44, 'i'), '': 48},
        'gpu_scheduler:drm_sched_process_job': {'fence': (8, 'Q'), '': 16},
        'gpu_scheduler:drm_sched_job_wait_dep': {
            'name': (8, 's'), 'id': (16, 'Q'), 'fence': (24, 'Q'),
            'ctx': (32, 'Q'), 'seqno': (40, 'I'), '': 48},
        'amdgpu:amdgpu_cs_ioctl': {
            'sched_job_id': (8, 'Q'), 'timeline': (16, 's'),
            'context': (20, 'I'), 'seqno': (24, 'I'), 'fence': (32, 'Q'),
            'ring': (40, 's'), 'num_ibs': (44, 'I'), '': 48},
        'amdgpu:amdgpu_sched_run_job': {
            'sched_job_id': (8, 'Q'), 'timeline': (16, 's'),
            'context': (20, 'I'), 'seqno': (24, 'I'), 'ring': (28, 's'),
            'num_ibs': (32, 'I'), '': 40},
        'virtio_gpu:virtio_gpu_cmd_queue': {
            'dev': (8, 'i'), 'vq': (12, 'I'), 'name': (16, 'Q'),
            'type': (24, 'I'), 'flags': (28, 'I'), 'fence_id': (32, 'Q'),
            'ctx_id': (40, 'I'), '': 48},
        'virtio_gpu:virtio_gpu_cmd_response': {
            'dev': (8, 'i'), 'vq': (12, 'I'), 'name': (16, 'Q'),
            'type': (24, 'I'), 'flags': (28, 'I'), 'fence_id': (32, 'Q'),
            'ctx_id': (40, 'I'), '': 48},
    },
    '7.3.4': {
        'gpu_scheduler:drm_sched_job_queue': {
            'name': (8, 's'), 'job_count': (12, 'I'),
            'hw_job_count': (16, 'i'), 'dev': (20, 's'),
            'fence_context': (24, 'Q'), 'fence_seqno': (32, 'Q'),
            'client_id': (40, 'Q'), '': 48},
        'gpu_scheduler:drm_sched_job_run': {
            'name': (8, 's'), 'job_count': (12, 'I'),
            'hw_job_count': (16, 'i'), 'dev': (20, 's'),
            'fence_context': (24, 'Q'), 'fence_seqno': (32, 'Q'),
            'client_id': (40, 'Q'), '': 48},
        'gpu_scheduler:drm_sched_job_done': {
            'fence_context': (8, 'Q'), 'fence_seqno': (16, 'Q'), '': 24},
        'gpu_scheduler:drm_sched_job_add_dep': {
            'fence_context': (8, 'Q'), 'fence_seqno': (16, 'Q'),
            'ctx': (24, 'Q'), 'seqno': (32, 'Q'), '': 40},
        'gpu_scheduler:drm_sched_job_unschedulable': {
            'fence_context': (8, 'Q'), 'fence_seqno': (16, 'Q'),
            'ctx': (24, 'Q'), 'seqno': (32, 'Q'), '': 40},
        'amdgpu:amdgpu_cs_ioctl': {
            'timeline': (8, 's'), 'context': (16, 'Q'), 'seqno': (24, 'Q'),
            'fence': (32, 'Q'), 'ring': (40, 's'), 'num_ibs': (44, 'I'),
            '': 48},
        'amdgpu:amdgpu_sched_run_job': {
            'timeline': (8, 's'), 'context': (16, 'Q'), 'seqno': (24, 'Q'),
            'ring': (32, 's'), 'num_ibs': (36, 'I'), '': 40},
        'xe:xe_sched_job_exec': {
            'dev': (8, 's'), 'seqno': (12, 'I'), 'lrc_seqno': (16, 'I'),
            'gt_id': (20, 'B'), 'guc_id': (22, 'H'), 'guc_state': (24, 'I'),
            'flags': (28, 'I'), 'error': (32, 'i'), 'fence': (40, 'Q'),
            'batch_addr': (48, 'Q'), '': 56},
        'xe:xe_sched_job_run': {
            'dev': (8, 's'), 'seqno': (12, 'I'), 'lrc_seqno': (16, 'I'),
            'gt_id': (20, 'B'), 'guc_id': (22, 'H'), 'guc_state': (24, 'I'),
            'flags': (28, 'I'), 'error': (32, 'i'), 'fence': (40, 'Q'),
            'batch_addr': (48, 'Q'), '': 56},
        'xe:xe_hw_fence_create': {
            'dev': (8, 's'), 'ctx': (16, 'Q'), 'seqno': (24, 'I'),
            'fence': (32, 'Q'), '': 40},
        'xe:xe_hw_fence_signal': {
            'dev': (8, 's'), 'ctx': (16, 'Q'), 'seqno': (24, 'I'),
            'fence': (32, 'Q'), '': 40},
        'virtio_gpu:virtio_gpu_cmd_queue': {
            'dev': (8, 'i'), 'vq': (12, 'I'), 'name': (16, 's'),
            'type': (20, 'I'), 'flags': (24, 'I'), 'fence_id': (32, 'Q'),
            'ctx_id': (40, 'I'), 'num_free': (44, 'I'), 'seqno': (48, 'I'),
            '': 56},
        'virtio_gpu:virtio_gpu_cmd_response': {
            'dev': (8, 'i'), 'vq': (12, 'I'), 'name': (16, 's'),
            'type': (20, 'I'), 'flags': (24, 'I'), 'fence_id': (32, 'Q'),
            'ctx_id': (40, 'I'), 'num_free': (44, 'I'), 'seqno': (48, 'I'),
            '': 56},
    },
}
for table in LAYOUTS.values():
    for name in ('init', 'emit', 'signaled', 'wait_start', 'wait_end',
                 'destroy', 'enable_signal'):
        table['dma_fence:dma_fence_' + name] = FENCE
    for name in ('add', 'retire', 'wait_end'):
        table['i915:i915_request_' + name] = dict(I915, tail=(32, 'I'))
    for name in ('queue', 'wait_begin'):
        table['i915:i915_request_' + name] = dict(I915, flags=(32, 'I'))
    for name in ('', '_queued', '_delivered'):
        table['drm:drm_vblank_event' + name] = \
            LAYOUTS[OLD]['drm:drm_vblank_event' + name]

GAME, WORKER, IRQ = 100, 200, 0
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


def vblanks(at):
    rows = []
    for i in range(4):
        time = at + i * 16666667
        rows += [(time + 40000, IRQ, 'drm:drm_vblank_event', dict(
            crtc=0, seq=700 + i, time=time, high_prec=1))]
        if i:
            rows += [(time + 30000, IRQ, 'drm:drm_vblank_event_delivered',
                      dict(file=0xffff888012345678, crtc=0, seq=700 + i))]
    rows += [(at + 50000, GAME, 'drm:drm_vblank_event_queued', dict(
        file=0xffff888012345678, crtc=0, seq=703))]
    return rows


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
    """Its jobs go through the scheduler, whose rows are those that count."""
    job = dict(dev='0000:00:02.0', seqno=3, lrc_seqno=3, gt_id=0, guc_id=4,
               guc_state=1, flags=2, error=0, fence=0xffff88800000d000,
               batch_addr=0x1000)
    own = dict(dev='0000:00:02.0', ctx=8, seqno=3, fence=0xffff88800000d000)
    ids = dict(fence_context=40, fence_seqno=3)
    sched = dict(ids, name='rcs0', dev='0000:00:02.0', job_count=0,
                 hw_job_count=0, client_id=3)
    return [(at, GAME, 'xe:xe_hw_fence_create', own),
            (at + 10, GAME, 'xe:xe_sched_job_exec', job),
            (at + 11, GAME, 'gpu_scheduler:drm_sched_job_queue', sched),
            (at + 60, WORKER, 'gpu_scheduler:drm_sched_job_run', sched),
            (at + 61, WORKER, 'xe:xe_sched_job_run', job),
            (at + 300, IRQ, 'xe:xe_hw_fence_signal', own),
            (at + 310, IRQ, 'gpu_scheduler:drm_sched_job_done', ids)]


def rows_of(kernel):
    rows = i915(1000000) + virtio(2000000, kernel) + vblanks(5000000)
    rows += old_jobs(3000000) if kernel == OLD else \
        new_jobs(3000000) + xe(4000000)
    return sorted(rows, key=lambda r: r[0])


# Ring, fence and time of each job: from its hand-over, or where no row tells of
# that from its begin, to its end.
JOBS = {
    OLD: {'card0 video1': 500, 'card0 control': 400, 'gfx': 700},
    '7.3.4': {'card0 video1': 500, 'card0 control': 400,
              '0000:03:00.0 gfx_0.0.0': 700, '0000:00:02.0 rcs0': 250},
}
# Driver, timeline, context, seqno, the wait in ns, and the ring of the job.
WAITS = {
    OLD: [['i915', 'game[100]', 5, 9, 500, 'card0 video1'],
          ['virtio_gpu', 'controlq', 3, 77, 370, 'card0 control'],
          ['drm_sched', 'gfx', 30, 5, 790, 'gfx']],
    '7.3.4': [['i915', 'game[100]', 5, 9, 500, 'card0 video1'],
              ['virtio_gpu', 'controlq', 3, 77, 370, 'card0 control'],
              ['drm_sched', 'gfx_0.0.0', 30, 5, 790,
               '0000:03:00.0 gfx_0.0.0']],
}


def record(layout, event_id, pid, fields):
    body = bytearray(layout[''])
    struct.pack_into('<HBBi', body, 0, event_id, 0, 0, pid)
    for name, value in fields.items():
        offset, kind = layout[name]
        if kind == 's':
            text = value.encode() + b'\0'
            struct.pack_into('<I', body, offset, len(text) << 16 | len(body))
            body += text
        else:
            struct.pack_into('<' + kind, body, offset, value)
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


def pack(folder, path):
    kernel = os.path.basename(folder.rstrip('/'))
    rows, layouts = rows_of(kernel), LAYOUTS[kernel]
    formats = {}
    for name in sorted({r[2] for r in rows}):
        with open(os.path.join(folder, name.replace(':', '/')), 'rb') as f:
            formats[name] = f.read()
    names = list(formats)
    data = b''.join(comm(1, p, n) for p, n in
                    ((GAME, 'game'), (WORKER, 'kworker/0:1')))
    for time, pid, name, fields in rows:
        raw = record(layouts[name], id_of(formats[name]), pid, fields)
        data += sample(1 + names.index(name), time, pid, raw)
    ids_at = 104
    attrs_at = ids_at + 8 * len(names)
    data_at = attrs_at + 144 * len(names)
    features_at = data_at + len(data)
    tracing = tracing_data(formats)
    out = struct.pack('<8sQQQQQQQQ', b'PERFILE2', 104, 144, attrs_at,
                      144 * len(names), data_at, len(data), 0, 0)
    out += struct.pack('<4Q', 1 << 1, 0, 0, 0)
    out += b''.join(struct.pack('<Q', 1 + i) for i in range(len(names)))
    for i, name in enumerate(names):
        out += attr(id_of(formats[name]))
        out += struct.pack('<QQ', ids_at + 8 * i, 8)
    out += data + struct.pack('<QQ', features_at + 16, len(tracing)) + tracing
    with open(path, 'wb') as f:
        f.write(out)


def check(kernel, gaps, fences):
    rings = {r['ring']: r['busy_ns'] for r in json.load(open(gaps))['rings']}
    each = sorted([w['driver'], w['timeline'], w['context'], w['seqno'],
                   w['waited_ns'], w['ring']]
                  for w in json.load(open(fences))['each'])
    if rings != JOBS[kernel]:
        sys.exit(f'rings: packed {JOBS[kernel]}, said {rings}')
    if each != sorted(WAITS[kernel]):
        sys.exit(f'waits: packed {sorted(WAITS[kernel])}, said {each}')


if sys.argv[1] == 'count':
    print(len(rows_of(sys.argv[2])))
elif sys.argv[1] == 'check':
    check(*sys.argv[2:5])
else:
    pack(sys.argv[1], sys.argv[2])
