"""The byte notation of the vectors: hex with a few abbreviations.

    08 9601          hex pairs, spaces free; # starts a comment that runs to the end of the line
    "text\\x00"       the UTF-8 bytes of a string; escapes \\\\ \\" \\n \\xHH
    301:2            the minimal tag of field 301 with wire type 2 (any number, any type: also wrong ones)
    =150  =-1        a minimal varint; negative numbers are sign-extended to ten bytes
    ~-3              a zigzag varint
    f32=1.5 f64=-0   a little-endian float or double;  i32=-1  i64=7  a little-endian integer of that width
    { ... }          the contents, after their minimal length
    {4 ... }         the same, its length in four bytes as a writer pads it
    ( ... )*50       what is inside, fifty times
    nest(19,100){ ... }   what is inside, in a hundred messages in one another, each field 19 of the one around it
    @                nothing: marks the offset that an error must have
"""
import re
import struct

TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<tag>\d+:[0-7](?![0-9a-fA-F]))
      | (?P<number>(?:=|~|f32=|f64=|i32=|i64=)-?[0-9.a-z+]+(?:-[0-9]+)?)
      | (?P<times>\)\*\d+)
      | (?P<nest>nest\(\d+,\d+\)\{)
      | (?P<four>\{4(?=\s))
      | (?P<mark>[{}(@])
      | (?P<hex>(?:[0-9a-fA-F]{2})+(?![0-9a-fA-F:]))""",
    re.VERBOSE,
)
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|.)")


class NotationError(ValueError):
    pass


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def length4(size):
    return bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14 & 0x7F | 0x80, size >> 21])


def tag(number, wire_type):
    return varint(number << 3 | wire_type)


def zigzag(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def string(literal):
    out = bytearray()
    at = 0
    body = literal[1:-1]
    for found in ESCAPE.finditer(body):
        out += body[at : found.start()].encode()
        code = found[1]
        if code[0] == "x" and len(code) == 3:
            out.append(int(code[1:], 16))
        elif code in '"\\':
            out += code.encode()
        elif code == "n":
            out.append(10)
        else:
            raise NotationError(f"unknown escape \\{code}")
        at = found.end()
    return bytes(out + body[at:].encode())


def number(token):
    if token[0] == "=":
        return varint(int(token[1:]))
    if token[0] == "~":
        return zigzag(int(token[1:]))
    kind, value = token.split("=", 1)
    if kind == "f32":
        return struct.pack("<f", float(value))
    if kind == "f64":
        return struct.pack("<d", float(value))
    width = int(kind[1:])
    return (int(value) & ((1 << width) - 1)).to_bytes(width // 8, "little")


def parse(text):
    """The bytes that a text in this notation stands for."""
    return parse_marked(text)[0]


def parse_marked(text):
    """(the bytes, the offset that @ marks or None)."""
    text = str(text)
    stack = [_Level("")]
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if not found:
            raise NotationError(f"cannot read {text[at:at + 20]!r}")
        at = found.end()
        kind, token, level = found.lastgroup, found[0], stack[-1]
        if kind == "hex":
            level.out += bytes.fromhex(token)
        elif kind == "string":
            level.out += string(token)
        elif kind == "tag":
            level.out += tag(*map(int, token.split(":")))
        elif kind == "number":
            level.out += number(token)
        elif token == "@":
            level.mark = len(level.out)
        elif token in ("{", "("):
            stack.append(_Level(token))
        elif kind == "four":
            stack.append(_Level("{", four=True))
        elif kind == "nest":
            stack.append(_Level("{", *map(int, re.findall(r"\d+", token))))
        elif kind != "space":
            stack.pop().close(token, stack)
    if len(stack) != 1:
        raise NotationError(f"{stack[-1].opened} is not closed")
    return bytes(stack[0].out), stack[0].mark


class _Level:
    def __init__(self, opened, field=None, levels=1, four=False):
        self.opened, self.field, self.levels, self.four = opened, field, levels, four
        self.out, self.mark = bytearray(), None

    def close(self, token, stack):
        if (self.opened, token[0]) not in (("{", "}"), ("(", ")")):
            raise NotationError(f"{token} does not close {self.opened or 'anything'}")
        outer = stack[-1]
        if token == "}":
            for _ in range(self.levels):
                length = length4(len(self.out)) if self.four else varint(len(self.out))
                before = (tag(self.field, 2) if self.field else b"") + length
                self.out[:0] = before
                self.mark = None if self.mark is None else self.mark + len(before)
        else:
            if self.mark is not None:
                raise NotationError("@ inside a repetition")
            self.out *= int(token[2:])
        if self.mark is not None:
            outer.mark = len(outer.out) + self.mark
        outer.out += self.out
