#!/usr/bin/env python3
"""perfdatafacts.py FACTS NAME DUMP: whether the rows of `analyze dump --json` have
the counts, sums, times and names that the table FACTS tells of the file NAME."""
import collections
import json
import re
import sys


def row_of(table, name):
    lines = open(table).read().split('\n')
    keys = lines[0].split('\t')
    for line in lines[1:]:
        row = dict(zip(keys, line.split('\t')))
        if row.get('file') == name:
            return row
    sys.exit('%s is not in %s' % (name, table))


def nanoseconds(text):
    whole, part = text.split('.')
    return int(whole) * 10**9 + int(part)


class Seen:
    def __init__(self, path):
        self.n, self.period = collections.Counter(), collections.Counter()
        self.comms = collections.Counter()
        self.first = self.last = None
        for line in open(path):
            s = json.loads(line)
            self.n[s['event']] += 1
            self.period[s['event']] += s['period']
            self.comms[s['comm']] += 1
            self.first = s['time'] if self.first is None else self.first
            self.last = s['time']


def main():
    table, name, dump = sys.argv[1:]
    row, seen = row_of(table, name), Seen(dump)
    bad = []

    def same(what, ours, theirs):
        if ours != theirs:
            bad.append('%s: %s, published %s' % (what, ours, theirs))

    events = re.findall(r'(\S+) n=(\d+) period=(\d+)',
                        row['per_event_samples_and_period_sum'])
    same('events', sorted(seen.n), sorted(e[0] for e in events))
    for event, n, period in events:
        same('samples of ' + event, seen.n[event], int(n))
        same('periods of ' + event, seen.period[event], int(period))
    if row['time_range_s']:
        first, last = row['time_range_s'].split('..')
        same('first time', seen.first, nanoseconds(first))
        same('last time', seen.last, nanoseconds(last))
    for part in filter(None, row['top_comms'].split('; ')):
        comm, n = part.rsplit('=', 1)
        same('samples of ' + comm, seen.comms[comm], int(n))
    print('\n'.join(bad) if bad else '%d events, %d samples' % (
        len(events), sum(seen.n.values())))
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
