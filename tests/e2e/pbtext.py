"""Protocol buffers as text, to dicts of lists: just the grammar, no schema."""
import re

TOKEN = re.compile(r'\s*(?:([A-Za-z_][\w.]*)\s*(:|\{|<)|(\}|>))')
STRING = re.compile(r'\s*"((?:[^"\\]|\\.)*)"')
SCALAR = re.compile(r'\s*([^\s}>]+)')
ESCAPE = re.compile(rb'\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)', re.S)
NAMED = {b'n': b'\n', b't': b'\t', b'r': b'\r', b'a': b'\a', b'b': b'\b',
         b'f': b'\f', b'v': b'\v'}


def unescape(text):
    def one(m):
        e = m.group(1)
        if e[:1] in b'01234567':
            return bytes([int(e, 8) & 255])
        if e[:1] == b'x' and len(e) > 1:
            return bytes([int(e[1:], 16)])
        return NAMED.get(e, e)
    return ESCAPE.sub(one, text.encode('utf-8', 'surrogateescape'))


def parse(text):
    """A message: {field: [values]}; a value is bytes, an int, a word or a
    message."""
    root = {}
    stack = [root]
    at = 0
    while True:
        m = TOKEN.match(text, at)
        if not m:
            if text[at:].strip():
                raise ValueError('at %d: %r' % (at, text[at:at + 40]))
            return root
        at = m.end()
        name, mark, end = m.groups()
        if end:
            stack.pop()
            continue
        values = stack[-1].setdefault(name, [])
        if mark == ':' and not re.match(r'\s*[{<]', text[at:at + 8]):
            s = STRING.match(text, at)
            if s:
                values.append(unescape(s.group(1)))
            else:
                s = SCALAR.match(text, at)
                word = s.group(1)
                values.append(int(word) if re.fullmatch(r'-?\d+', word)
                              else word)
            at = s.end()
            continue
        if mark == ':':
            at = re.compile(r'\s*[{<]').match(text, at).end()
        values.append({})
        stack.append(values[-1])
