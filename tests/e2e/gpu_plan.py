"""What the loads of the virtual machine are to do, by chance:

    gpu_plan.py SEED

One line for each recording: its name, then the arguments of drmload. The same
seed gives the same lines."""
import random
import sys

LATE = ['cpu', 'asleep', 'runq', 'wakeq', 'blocked', 'pipe', 'gpu', 'gpupoll',
        'queue', 'scanout']
IDLE = ['compute', 'runq', 'wakeq', 'blocked', 'pipe', 'idle', 'dep']


def planted(r, causes, apart, shortest, longest):
    """Each cause at a frame or job of its own, and how many those are in all:
    between two of them is time to become punctual again."""
    order, at, words = r.sample(causes, len(causes)), 0, []
    for cause in order:
        at += r.randint(apart, apart + 3)
        words.append(f'{cause}@{at}:{r.randint(shortest, longest)}')
    return [str(at + apart)] + words


def plan(r):
    late = sorted(r.sample(range(10, 45, 8), 2))
    waits = r.sample(range(3, 45), 4)
    yield 'flip', ['flip', 'mockgpu', str(r.randint(50, 60)),
                   ','.join(map(str, late)), str(r.randint(40, 80))]
    yield 'stall', ['stall', ','.join(map(str, waits))]
    yield 'jobs', ['jobs', str(r.randint(15, 25))]
    yield 'causes', ['causes', 'mockgpu'] + planted(r, LATE, 6, 35, 75)
    yield 'gaps', ['gaps', 'mockgpu'] + planted(r, IDLE + ['dep'], 8, 8, 45)


for name, words in plan(random.Random(int(sys.argv[1]))):
    print(name, *words)
