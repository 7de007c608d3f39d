"""Compares what analyze says of a capture of a GPU with the ground truth that
the load itself wrote down:  gpu_truth.py CHECK TRUTH JSON [PERF_SCRIPT].

Prints what is wrong and exits 1, or prints one line of what was compared."""
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


def kernel_waits(path):
    """The kernel's own wait_start and wait_end, by thread: (from, to)."""
    begun, waits = {}, []
    with open(path) as f:
        for l in f:
            m = re.match(r'\s*\S.*?\s+(\d+)\s+\[\d+\]\s+(\d+)\.(\d{9}):\s+'
                         r'dma_fence:dma_fence_(wait_start|wait_end):', l)
            if not m:
                continue
            tid, ns = int(m[1]), int(m[2]) * 10**9 + int(m[3])
            if m[4] == 'wait_start':
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


def busy(truth, said, asked):
    """Not below what was asked for, at most 3 % above the driver's counter."""
    text = open(truth).read()
    out = []
    for ring in said['rings']:
        m = re.search(r'drm-engine-%s:\s*(\d+) ns' % ring['ring'], text)
        ns, told = ring['busy_ns'], int(m[1])
        if not told <= ns <= told * 1.03:
            fail(f'{ring}: the driver counted {told} ns')
        if ns < asked.get(ring['ring'], 0):
            fail(f'{ring}: less than was asked for')
        out.append('%s %+.2f %%' % (ring['ring'], 100 * (ns - told) / told))
    return 'busy against fdinfo: ' + ', '.join(out)


CAUSES = {
    'cpu': 'cpu', 'compute': 'cpu', 'asleep': 'asleep', 'idle': 'asleep',
    'runq': 'run-queue', 'wakeq': 'run-queue', 'gpu': 'gpu',
    'gpupoll': 'gpu', 'queue': 'queue', 'blocked': 'blocked',
    'pipe': 'blocked', 'scanout': 'scanout', 'dep': 'dependency',
}


def culprit(truth):
    for key in ('rival_tid', 'holder_tid', 'hog_tid'):
        if key in truth:
            return int(truth[key])
    return None


def check_cause(t, got):
    if got['cause'] != CAUSES[t['cause']]:
        fail(f"{t['cause']} expected, said: {got['sentence']}")
    who = culprit(t)
    if who and (got['culprit'] or {}).get('tid') != who:
        fail(f"thread {who} expected, said: {got['sentence']}")
    if t['cause'] in ('gpu', 'gpupoll', 'queue', 'scanout'):
        context, seqno = t['job'].split(':')
        fence = got['fence']
        if (fence['context'], fence['seqno']) != (int(context), int(seqno)):
            fail(f"job {t['job']} expected, said: {got['sentence']}")
    took, want = got['took_ns'] / 1e6, float(t['want_ms'])
    if t['cause'] == 'scanout': # the worker may begin to wait late
        took = (got['job']['end_ns'] - got['job']['start_ns']) / 1e6
    if t['cause'] != 'dep' and took < want * 0.9:
        fail(f"{want} ms planted, said: {got['sentence']}")


def cause_of_noise(frame, got):
    """Late with no cause planted: its time went to the CPU, or it did not."""
    cpu = int(frame['cpu_us']) * 1000
    spent = int(frame['submit_ns']) - int(frame['wake_ns'])
    if cpu > spent * 0.8 and got['cause'] != 'cpu':
        fail(f'it computed, said: {got["sentence"]}')


def causes(truth, said):
    by_seq = {f['seq']: f for f in said['late_frames']}
    frames = {f['seq']: f for f in lines(truth, r'GT frame=\d')}
    planted = noise = 0
    for t in lines(truth, r'GT late '):
        got = by_seq[int(t['seq'])]
        if t['cause'] == 'none':
            cause_of_noise(frames[t['seq']], got)
            noise += 1
        else:
            check_cause(t, got)
            planted += 1
    return f'{planted} planted causes, {noise} frames late by themselves'


def gaps(truth, said):
    """Each gap that the driver counted; near the least length one may differ."""
    found = {g['next_seqno']: g for g in said['gaps'] if g['ring'] == 'gfx'}
    cause = {c['job']: c for c in lines(truth, r'GT cause ')}
    n = planted = 0
    for t in lines(truth, r'GT gap '):
        true = int(t['idle_to_ns']) - int(t['idle_from_ns'])
        got = found.pop(int(t['next'].split(':')[1]), None)
        if not got and true < 1.5e6:
            continue
        if not got:
            fail(f"no gap before job {t['job']}, which was {true} ns")
        ns = got['idle_to_ns'] - got['idle_from_ns']
        if abs(ns - true) > 0.05 * true + 300000:
            fail(f"gap before job {t['job']}: {true} ns, said {ns}")
        n += 1
        if t['cause'] != 'none':
            check_cause(cause[t['job']], got)
            planted += 1
    for g in found.values():
        if g['idle_to_ns'] - g['idle_from_ns'] > 1.5e6:
            fail(f"no such gap: {g['sentence']}")
    return f'{n} gaps, {planted} planted causes'


def main():
    check, truth, said = sys.argv[1:4]
    said = json.load(open(said))
    if check == 'late':
        print(late(truth, said))
    elif check == 'heads':
        print(late_by_head(truth.split(','), said))
    elif check == 'rate':
        print(rate(truth, said))
    elif check == 'waits':
        print(waits(truth, said, sys.argv[4]))
    elif check == 'busy':
        asked = dict(a.split('=') for a in sys.argv[4:])
        print(busy(truth, said, {k: int(v) for k, v in asked.items()}))
    elif check == 'causes':
        print(late(truth, said) + '; ' + causes(truth, said))
    elif check == 'gaps':
        print(gaps(truth, said))
    else:
        fail('no such check')


main()
