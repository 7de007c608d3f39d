"""perf script -D | brokenchains.py: how many samples have a chain with a word that
is neither an address nor one of PERF_CONTEXT_*, behind at least one address."""

import re
import sys

CONTEXT_MAX = (1 << 64) - 4095
CONTEXTS = {(1 << 64) - n for n in (32, 128, 512, 2048, 2176, 2560)}
WORD = re.compile(r"^\.{5}\s+\d+: ([0-9a-f]+)$")


def is_broken(words):
    addresses = 0
    for word in words:
        if word < CONTEXT_MAX:
            addresses += 1
        elif word not in CONTEXTS:
            return addresses > 0
    return False


count, chain = 0, []
for line in sys.stdin:
    word = WORD.match(line)
    if word:
        chain.append(int(word[1], 16))
    elif chain:
        count += is_broken(chain)
        chain = []
print(count + is_broken(chain))
