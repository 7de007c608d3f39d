"""Writes folded inputs for the browser tests: inputs.py FOLDER"""

import random
import sys
from pathlib import Path


def mixed():
    """Recursion, all kinds, names alike but for case, wide characters."""
    yield "server;main;run;run;parse_[j] 40"
    yield "server;main;run;parse 25"
    yield "server;main;run;Parse;parse;read_[k];vfs_read_[k] 60"
    yield "server;main;run;std::vector<int>::push_back(int&&)_[i] 30"
    yield "server;main;'quoted' \"name\" 12"
    yield "server;main;火焰图渲染函数;火焰图 35"
    yield "server;[unknown];read_[k] 9"
    yield "server 20"
    yield "worker 12;main;idle 14"


def diff():
    yield "a;b;c 31 56"
    yield "a;b 6 2"
    yield "a;c;c 0 35"
    yield "gone;x 20 0"
    yield "b;main 274 415"


def wide():
    rng = random.Random(7)
    for i in range(3000):
        path = [f"f{rng.randrange(6)}" for _ in range(rng.randrange(2, 7))]
        yield f"{';'.join(path)};leaf{i} {rng.randrange(1, 90)}"


def deep():
    yield ";".join(f"f{i}" for i in range(5000)) + " 3"
    yield ";".join(f"f{i}" for i in range(90)) + ";other 2"


def hostile():
    """Every byte, and what means something to XML, CSS, scripts or regexes."""
    for byte in range(256):
        if byte not in (10, 13):
            yield b"all;x" + bytes([byte]) + b"y;leaf 5"
    for name in ("]]>", "<![CDATA[", "</script>", "</svg>", "&amp;", "&#0;",
                 "<script>alert(1)</script>", "a(b", "[", "\\", ".*", "%s%n", "{}",
                 "(1 samples, 2.00%)", "\ufffe\uffff", "e\u0301" * 40, "W" * 500):
        yield f"names;{name};{name} 50".encode()


def main(folder):
    for make in (mixed, diff, wide, deep, hostile):
        lines = (s if isinstance(s, bytes) else s.encode() for s in make())
        Path(folder, make.__name__ + ".txt").write_bytes(b"\n".join(lines) + b"\n")


main(sys.argv[1])
