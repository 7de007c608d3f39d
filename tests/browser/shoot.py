"""Pictures of a page: shoot.py PAGE[#STATE] OUT.png [WIDTHxHEIGHT] [light|dark] [KEY...]

Keys are pressed one after another before the picture is taken. It has a palette:
colours beyond the 256 most frequent become the next of these."""

import base64
import struct
import sys
import zlib
from pathlib import Path

import chromium

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks(png):
    at = len(SIGNATURE)
    while at < len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        yield kind, png[at + 8:at + 8 + size]
        at += 12 + size


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def unfilter(kind, line, above, step):
    """In place, as PNG 9.2 has it."""
    for i, v in enumerate(line):
        left = line[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        by = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner) if kind == 4 else 0)[kind]
        line[i] = (v + by) & 255
    return line


def pixels(png):
    """Width, and lines of (red, green, blue), of what a browser writes."""
    parts = list(chunks(png))
    width, _, depth, colour = struct.unpack(">IIBB", parts[0][1][:10])
    assert depth == 8 and colour in (2, 6)
    step = 3 if colour == 2 else 4
    raw = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
    above, lines = bytearray(width * step), []
    for at in range(0, len(raw), 1 + width * step):
        line = bytearray(raw[at + 1:at + 1 + width * step])
        above = unfilter(raw[at], line, above, step) if raw[at] else line
        lines.append([tuple(above[i:i + 3]) for i in range(0, len(above), step)])
    return width, lines


def with_palette(png):
    width, lines = pixels(png)
    count = {}
    for line in lines:
        for colour in line:
            count[colour] = count.get(colour, 0) + 1
    kept = sorted(count, key=count.get, reverse=True)[:256]

    def nearest(colour):
        return min(range(len(kept)), key=lambda k: sum((a - b) ** 2 for a, b in zip(kept[k], colour)))

    index = {colour: k for k, colour in enumerate(kept)}
    index.update((colour, nearest(colour)) for colour in count if colour not in index)
    rows = b"".join(b"\0" + bytes(index[colour] for colour in line) for line in lines)
    return SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(lines), 8, 3, 0, 0, 0)) + \
        chunk(b"PLTE", b"".join(map(bytes, kept))) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def shoot(browser, url, size, scheme, keys):
    page = browser.open(url)
    page.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
              deviceScaleFactor=1, mobile=False)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    for key in keys:
        page.key(key, key if len(key) == 1 else "")
    for _ in range(3):
        page.js("new Promise(d => requestAnimationFrame(() => requestAnimationFrame(d)))")
    return base64.b64decode(page.call("Page.captureScreenshot", format="png")["data"])


def main(page, out, size="1300x800", scheme="light", *keys):
    path, hash_, state = page.partition("#")
    browser = chromium.Browser(chromium.find())
    try:
        png = shoot(browser, Path(path).resolve().as_uri() + hash_ + state,
                    [int(n) for n in size.split("x")], scheme, keys)
    finally:
        browser.close()
    Path(out).write_bytes(with_palette(png))


if __name__ == "__main__":
    main(*sys.argv[1:])
