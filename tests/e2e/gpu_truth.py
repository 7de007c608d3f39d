"""Compares what analyze says of a capture of a GPU with the ground truth that
the load itself wrote down:  gpu_truth.py CHECK TRUTH JSON [ROWS].

ROWS: the kernel's events as perf script or `analyze dump --json` prints them,
or counters as `perf stat -x,` does.

Prints what is wrong and exits 1, or prints one line of what was compared.

What it grants, as an emulator on a busy machine holds threads up for longer than
what is planted:
- A planted cause is the one that is named, or among the parts, with its thread
  and job, where the one that is named took as long or longer. None may lack but
  one that by the ground truth itself took less than half a period, or less than
  a tenth of a gap: such as the jobs of another that were over when the client's
  came.
- A frame that is late by itself has no planted cause: what the load measured of
  its CPU and of its job must be among the parts where it was that long.
- The row of a job's end comes behind the driver's own reading of it, and no row
  tells when a job began that the scheduler handed over: a quarter of the gaps may
  be said to be shorter than they were, and a ring's busy time may be more than 3 %
  above what the driver counted by the time that the scheduler spent in the driver,
  and by a fifth of what jobs took longer than they were asked to."""
import json
import re
import sys


def pairs(line):
    return dict(re.findall(r'(\w+)=(\S+)', line))


def lines(path, head):
    with open(path) as f:
        return [pairs(l) for l in f if re.match(head, l)]


def fail(why):
    print(why)
    sys.exit(1)


def frames_of(truth):
    """The display frames that missed a vblank, by their count."""
    return {int(f['seq']): int(f['missed'])
            for f in lines(truth, r'GT frame=\d+ .*missed=')
            if int(f['missed']) > 0}


def late(truth, said):
    want = frames_of(truth)
    got = {f['seq']: f['missed'] for f in said['late_frames']}
    if want != got:
        fail(f'late frames: truth {want}, said {got}')
    return f'{len(want)} late frames, {sum(want.values())} vblanks'


def late_by_head(truths, said):
    """Two cards: each truth is one head, by what it missed."""
    want = sorted(sorted(frames_of(t).items()) for t in truths)
    heads = {}
    for f in said['late_frames']:
        heads.setdefault(f['head'], {})[f['seq']] = f['missed']
    got = sorted(sorted(h.items()) for h in heads.values())
    if want != got:
        fail(f'late frames by head: truth {want}, said {got}')
    return f'{len(want)} heads'


def rate(truth, said):
    """The display's rate as its mode has it, within 0.02 %."""
    want = float(lines(truth, r'GT \w+ begin')[0]['refresh_hz'])
    got = [h['rate_hz'] for h in said['heads']]
    if len(got) != 1 or abs(got[0] / want - 1) > 0.0002:
        fail(f'{want} Hz, said {got}')
    return f'{want} Hz'


def edges(path):
    """The kernel's own wait_start and wait_end: (tid, ns, which)."""
    with open(path) as f:
        for l in f:
            m = re.match(r'\s*\S.*?\s+(\d+)\s+\[\d+\]\s+(\d+)\.(\d{9}):\s+'
                         r'dma_fence:dma_fence_wait_(start|end):', l)
            if m:
                yield int(m[1]), int(m[2]) * 10**9 + int(m[3]), m[4]
            elif l.startswith('{'):
                row = json.loads(l)
                m = re.fullmatch(r'dma_fence:dma_fence_wait_(start|end)',
                                 row['event'])
                if m:
                    yield row['tid'], row['time'], m[1]


def kernel_waits(path):
    """Of each thread: (tid, from, to)."""
    begun, waits = {}, []
    for tid, ns, which in edges(path):
        if which == 'start':
            begun[tid] = ns
        elif tid in begun:
            waits.append((tid, begun.pop(tid), ns))
    return waits


def waits(truth, said, script):
    """Each wait is the kernel's own pair, to the ns."""
    own = kernel_waits(script)
    got = [(w['tid'], w['from_ns'], w['to_ns']) for w in said['each']
           if w['how'] == 'fence wait']
    if sorted(own) != sorted(got):
        fail(f'waits: {len(own)} of the kernel, said {len(got)}: '
             f'{sorted(set(own) ^ set(got))[:4]}')
    for t in lines(truth, r'GT stall=\d'):
        a, b = int(t['wait_start_ns']), int(t['wait_end_ns'])
        if sum(a <= w[1] and w[2] <= b for w in own) != 1:
            fail(f'no wait, or several, inside the interval of {t}')
    return f'{len(own)} waits, to the ns'


def off_by(told, busy, asked, doubt):
    """A ring's busy time against what the driver counted: not below, and at
    most 3 % above, and by as long as it is not sure that jobs had begun. Where
    the machine was so busy that jobs took longer than they were asked to, its
    rows are late as well: a part of that more."""
    most = told * 1.03 + max(0, told - asked) * 0.2 + doubt
    if not told * 0.999 <= busy <= most:
        fail(f'the driver counted {told} ns, asked for {asked}, said {busy}')
    return '%+.2f %%%s' % (100 * (busy - told) / told,
                           ' (granted)' if busy > told * 1.03 else '')


def asked_for(truth):
    """ns of each ring."""
    end = lines(truth, r'GT (jobs|gaps) end')[0]
    return {r: 1000 * int(end.get(k, 0)) for r, k in
            (('gfx', 'gfx_busy_us' if 'gfx_busy_us' in end else 'asked_us'),
             ('compute', 'compute_busy_us'))}


def doubt_of(jobs, ring):
    return sum(took for _, took, name in jobs.values() if name == ring)


def busy(truth, said, jobs):
    """Against the counters of the client."""
    text, out, asked = open(truth).read(), [], asked_for(truth)
    for ring in said['rings']:
        name, ns = ring['ring'], ring['busy_ns']
        m = re.search(r'drm-engine-%s:\s*(\d+) ns' % name, text)
        if not jobs or not asked[name]: # of dependencies not all was asked for
            asked[name] = int(m[1])
        out.append(name + ' ' + off_by(int(m[1]), ns, asked[name],
                                       doubt_of(jobs, name)))
    return 'busy against fdinfo: ' + ', '.join(out)


def counted(truth, said, path, jobs):
    """The same against the counters of the rings themselves."""
    text, out, asked = open(path).read(), [], asked_for(truth)
    for ring in said['rings']:
        name = ring['ring']
        m = re.search(r'^(\d+),ns,mockgpu/%s-busy/' % name, text, re.M)
        out.append(name + ' ' + off_by(int(m[1]), ring['busy_ns'],
                                       asked[name], doubt_of(jobs, name)))
    return 'busy against counters: ' + ', '.join(out)


SLACK = 2e6 # ns: what rows and the load's own readings may be apart

CAUSES = {
    'cpu': 'cpu', 'compute': 'cpu', 'asleep': 'asleep', 'idle': 'asleep',
    'runq': 'run-queue', 'wakeq': 'run-queue', 'gpu': 'gpu',
    'gpupoll': 'gpu', 'queue': 'queue', 'blocked': 'blocked',
    'pipe': 'blocked', 'scanout': 'scanout', 'dep': 'dependency',
}
OF_DISPLAY = ('scanout', 'commit', 'missed-though-ready')
OF_THE_GPU = ('gpu', 'gpupoll')


def culprit(truth):
    for key in ('rival_tid', 'holder_tid', 'hog_tid'):
        if key in truth:
            return int(truth[key])
    return None


def overlap(a, b, lo, hi):
    return max(0, min(b, hi) - max(a, lo))


def planted_ns(t, since=0):
    """At least that, by the ground truth. A wait for the GPU ends with the job,
    the client may go on later. Of jobs ahead those count that were on the ring
    when the client's came; of a dependency what was left of it then, and when the
    ring had been idle since."""
    n = {k: int(v) for k, v in t.items() if v.isdigit()}
    if t['cause'] == 'dep':
        return max(0, n['dep_end_ns'] - max(n['submit_ns'], since))
    if t['cause'] == 'queue':
        return sum(overlap(n[f'hog{i}_start_ns'], n[f'hog{i}_end_ns'],
                           n['job_submit_ns'], n['gpu_start_ns'])
                   for i in (0, 1) if f'hog{i}_start_ns' in n)
    end = n['gpu_end_ns' if t['cause'] in OF_THE_GPU else 'end_ns']
    return min(float(t['want_ms']) * 1e6, end - n['start_ns'])


def is_job(t, fence):
    context, seqno = map(int, t['job'].split(':'))
    return fence and (fence['context'], fence['seqno']) == (context, seqno)


def check_cause(t, got, want):
    """What is wrong with what was said of a planted one; nothing if it is
    right."""
    if got['cause'] != CAUSES[t['cause']]:
        yield f"{t['cause']} expected, said: {got['cause']}"
        return
    who = culprit(t)
    if who and (got['culprit'] or {}).get('tid') != who:
        yield f"thread {who} expected, said: {got['culprit']}"
    if t['cause'] in ('gpu', 'gpupoll', 'queue', 'scanout') and \
            not is_job(t, got['fence']):
        yield f"job {t['job']} expected, said: {got['fence']}"
    took = got['took_ns']
    if t['cause'] == 'scanout' and got['job']: # it may begin to wait late
        took = got['job']['end_ns'] - got['job']['start_ns']
    if took < want * 0.9:
        yield f"{want} ns planted, said: {took} ns"


def share(parts, cause, fence=None):
    return sum(p['took_ns'] for p in parts
               if p['cause'] == cause and (not fence or is_job(fence,
                                                               p['fence'])))


def check_parts(got, whole):
    """No two of a thread are of the same time. What is named took longest, of
    what the client did or of what kept the display."""
    parts, threads = got['parts'], {}
    for p in parts:
        tid = (p['thread'] or {}).get('tid')
        threads[tid] = threads.get(tid, 0) + p['took_ns']
    for tid, ns in threads.items():
        if ns > whole + SLACK:
            yield f'{tid} did {ns} ns in {whole}: {got["sentence"]}'
    for p in parts:
        if (p['cause'] in OF_DISPLAY) == (got['cause'] in OF_DISPLAY) and \
                p['took_ns'] > got['took_ns'] + 1:
            yield f'{p["cause"]} took longer: {got["sentence"]}'


def cause_of_noise(frame, got, half):
    """Not planted: what the load measured is among the parts. Of its CPU time
    some may be from after its flip, or was counted while its job ran, and it is
    of another clock, by which some frames had more of it than time passed: a
    tenth. Of its job it knows when that really ran."""
    t = {k: int(v) for k, v in frame.items() if v.isdigit()}
    cpu = t['cpu_us'] * 1000 - (t['done_ns'] - t['submit_ns'])
    gpu = 0
    if t['wait_start_ns']:
        cpu -= t['wait_end_ns'] - t['job_submit_ns']
        gpu = min(t['gpu_end_ns'], t['wait_end_ns']) - t['gpu_start_ns']
    cpu = 0.9 * cpu - SLACK
    if cpu > half and share(got['parts'], 'cpu') < cpu:
        yield f'{cpu} ns of CPU, said: {got["sentence"]}'
    # Of that the client may have lived through some before it waited.
    most = max(got['took_ns'], share(got['parts'], 'gpu', frame))
    if gpu > half + SLACK and most < gpu - SLACK:
        yield f'{gpu} ns of its job, said: {got["sentence"]}'
    if got['cause'] == 'dependency':
        yield f'no job depends on another, said: {got["sentence"]}'


def all_of(wrong):
    if wrong:
        fail('\n'.join(wrong))


class Planted:
    """How many were named first, or as one of several parts, and how many took
    too little, in the end, to be one."""
    def __init__(self):
        self.named = self.parts = self.short = 0

    def take(self, t, got, want, least):
        """What is wrong. The parts are those of `least` ns or more."""
        bad = list(check_cause(t, got, want))
        if not bad:
            self.named += 1
        elif any(not list(check_cause(t, p, want)) for p in got['parts']):
            self.parts += 1
        elif want < least:
            self.short += 1
        else:
            return bad + [got['sentence']]
        return []

    def sum(self):
        return f'{self.named} planted causes named, {self.parts} as a part ' \
            f'beside a longer one, {self.short} too short to count'


def causes(truth, said):
    by_seq = {f['seq']: f for f in said['late_frames']}
    frames = lines(truth, r'GT frame=\d')
    half = 0.5e9 / float(lines(truth, r'GT \w+ begin')[0]['refresh_hz'])
    planted, noise, wrong = Planted(), 0, []
    for t in lines(truth, r'GT late '):
        got, i = by_seq[int(t['seq'])], int(t['frame'])
        # It begins when the one before is shown.
        whole = int(frames[i]['done_ns']) - int(frames[i - 1]['vblank_ns'])
        wrong += check_parts(got, whole)
        if t['cause'] == 'none':
            wrong += cause_of_noise(frames[i], got, half)
            noise += 1
        else:
            t = frames[i] | t
            wrong += planted.take(t, got, planted_ns(t), half)
    all_of(wrong)
    return planted.sum() + f', {noise} frames late by themselves'


def planted_frames(truth, said):
    by_seq = {f['seq']: f for f in said['late_frames']}
    frames = lines(truth, r'GT frame=\d')
    for t in lines(truth, r'GT late '):
        if t['cause'] != 'none' and int(t['seq']) in by_seq:
            t = frames[int(t['frame'])] | t
            yield t, by_seq[int(t['seq'])], planted_ns(t)


def planted_gaps(truth, said):
    found = {g['next_seqno']: g for g in said['gaps'] if g['ring'] == 'gfx'}
    cause = {c['job']: c for c in lines(truth, r'GT cause ')}
    for t in lines(truth, r'GT gap '):
        got = found.get(int(t['next'].split(':')[1]))
        if t['cause'] != 'none' and got:
            c = cause[t['job']]
            yield c, got, planted_ns(c, int(t['idle_from_ns']))


def sure(planted):
    """What is said of a trace that lacks events may be little, but not wrong: of
    a fence of the job itself nothing more needs to be known."""
    n, low, wrong = 0, 0, []
    for t, got, want in planted:
        n += 1
        low += got['confidence'] == 'low'
        if got['confidence'] == 'low' or \
                (got['cause'] == 'fence' and is_job(t, got['fence'])):
            continue
        if all(list(check_cause(t, p, want)) for p in [got] + got['parts']):
            wrong += list(check_cause(t, got, want)) + [got['sentence']]
    all_of(wrong)
    return f'{n} planted causes, {low} of them not sure, none wrong'


def handed_over(path):
    """When and how long the scheduler was in the driver with each job, by its
    finished fence: the job began in that time, and no row tells when. The
    hardware's fence is the first that is made then; "scheduled" ends it, not the
    end of the job before, which may interrupt. A job's submitter makes
    "scheduled", then "finished" with the next context."""
    begun, jobs, made, finished = {}, {}, {}, set()
    with open(path) as f:
        for row in map(json.loads, f):
            tid, now, f = row['tid'], row['time'], row.get('fields', {})
            what = row['event'].partition(':')[2]
            of_scheduler = f.get('driver') == 'drm_sched'
            if what == 'dma_fence_init' and not of_scheduler:
                begun.setdefault(tid, now)
            elif what == 'dma_fence_init':
                key = f['context'], f['seqno']
                if made.pop(tid, None) == (key[0] - 1, key[1]):
                    finished.add(key)
                else:
                    made[tid] = key
            elif what == 'dma_fence_signaled' and of_scheduler and \
                    (f['context'], f['seqno']) not in finished and tid in begun:
                at = begun.pop(tid)
                jobs[f['context'] + 1, f['seqno']] = (at, now - at,
                                                      f['timeline'])
    return jobs


def submitted(path):
    """When the scheduler had each job, by its fences: the load only knows when it
    went to the driver."""
    with open(path) as f:
        rows = [r for r in map(json.loads, f)
                if r['event'] == 'dma_fence:dma_fence_init']
    return {(r['fields']['context'], r['fields']['seqno']): r['time']
            for r in rows if r['fields']['driver'] == 'drm_sched'}


def gaps(truth, said, jobs, came):
    """Each gap that the driver counted; near the least length one may differ."""
    found = {g['next_seqno']: g for g in said['gaps'] if g['ring'] == 'gfx'}
    cause = {c['job']: c for c in lines(truth, r'GT cause ')}
    n, short, planted, wrong = 0, 0, Planted(), []
    for t in lines(truth, r'GT gap '):
        true = int(t['idle_to_ns']) - int(t['idle_from_ns'])
        got = found.pop(int(t['next'].split(':')[1]), None)
        fence = tuple(map(int, t['next'].split(':')))
        at, doubt, _ = jobs.get(fence, (0, 0, ''))
        if not got:
            # Between two jobs that it has the driver itself was held up.
            if true >= 1.5e6 and not 0 < at < int(t['idle_from_ns']):
                wrong.append(f"no gap before job {t['job']}, {true} ns")
            continue
        ns = got['idle_to_ns'] - got['idle_from_ns']
        if true * 0.95 - ns > 300000 + doubt and jobs:
            short += 1
        elif abs(true - ns) > true * 0.05 + 300000 + doubt:
            wrong.append(f"gap before job {t['job']}: {true} ns, said {ns}")
        n += 1
        wrong += check_parts(got, true + doubt)
        if t['cause'] != 'none':
            c = cause[t['job']]
            since = max(int(t['idle_from_ns']), came.get(fence, 0))
            wrong += planted.take(c, got, planted_ns(c, since), ns / 10)
    wrong += [f"no such gap: {g['sentence']}" for g in found.values()
              if g['idle_to_ns'] - g['idle_from_ns'] > 1.5e6]
    # The row of a signal comes behind the driver's reading of the time; in a
    # virtual machine that is stopped in between, long behind it.
    if short > n // 4:
        wrong.append(f'{short} of {n} gaps too short')
    all_of(wrong)
    return f'{n} gaps, {short} of them cut short, ' + planted.sum()


def main():
    check, truth, said = sys.argv[1:4]
    said = json.load(open(said))
    jobs = handed_over(sys.argv[4]) if len(sys.argv) > 4 and \
        check in ('busy', 'counted', 'gaps') else {}
    if check == 'late':
        print(late(truth, said))
    elif check == 'heads':
        print(late_by_head(truth.split(','), said))
    elif check == 'rate':
        print(rate(truth, said))
    elif check == 'waits':
        print(waits(truth, said, sys.argv[4]))
    elif check == 'busy':
        print(busy(truth, said, jobs))
    elif check == 'counted':
        print(counted(truth, said, sys.argv[5], jobs))
    elif check == 'causes':
        print(late(truth, said) + '; ' + causes(truth, said))
    elif check == 'sure':
        print(sure(planted_gaps(truth, said) if 'gaps' in said else
                   planted_frames(truth, said)))
    elif check == 'gaps':
        came = submitted(sys.argv[4]) if len(sys.argv) > 4 else {}
        print(gaps(truth, said, jobs, came))
    else:
        fail('no such check')


main()
