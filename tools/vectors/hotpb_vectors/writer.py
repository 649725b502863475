"""Writer vectors: a script of calls, and the chunks that it must produce (vectors/README.md, "Writer").

The calls are also encoded here, plainly, as a tree of messages: with minimal lengths, or four bytes for each. What a vector
expects must be the same message, and the same bytes where the policy leaves no choice.
"""
import struct

from .decode import Fail, Options, decode_stream
from .encode import reencode, scalar
from .notation import length4, parse, tag, varint

POLICIES = ("compact", "fixed4", "minimal")
KEYS = {"name", "ids", "in", "message", "each", "policy", "into", "calls", "output", "used", "open", "patches", "error", "valid_len"}
# verb -> how many words follow it at least
VERBS = {
    "root": 0, "delimited": 0, "flush": 0, "put": 2, "ranges": 1, "span": 1, "packed": 1, "element": 1, "open": 1, "with": 2,
    "raw": 2, "entry": 3, "fields": 1, "end": 0, "finish": 0,
}


class ScriptError(ValueError):
    pass


def find_field(message, name):
    for field in message.fields.values():
        if field.name == name:
            return field
    for field in message.extensions.values():
        if field.name.rsplit(".", 1)[1] == name:
            return field
    raise ScriptError(f"{message.name} has no field {name}")


def read_value(declared, text):
    """The value of a text in a script: (as the reference encoder takes it, as it stands in the JSON line)."""
    kind = declared.type
    if kind in ("string", "bytes"):
        if text.startswith("fill:"):
            count = int(text[5:])
            return Fill(count), {"repeat": "78", "count": count}
        data = parse(text)
        return data, data.hex()
    if kind in ("float", "double"):
        data = struct.pack("<f" if kind == "float" else "<d", float(text))
        return data, data.hex()
    if kind == "bool":
        if text not in ("true", "false"):
            raise ScriptError(f"{text} is not a bool")
        return text == "true", text
    value = int(text)
    return value, str(value)


class Fill:
    """A payload of which only the size matters; it is too large to build."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size


class Node:
    """A message that is being written: bytes, and nodes for its nested messages."""

    def __init__(self, message, before=b"", after=b"", prefixed=True):
        self.message, self.before, self.after, self.prefixed = message, before, after, prefixed
        self.known = False  # whether its length is known before it is written (WRT-11)
        self.parts = []

    def encode(self, length):
        inside = b"".join(part if isinstance(part, bytes) else part.encode(length) for part in self.parts)
        before = (varint if self.known else length)(len(inside)) if self.prefixed else b""
        return self.before + before + inside + self.after


class Script:
    """Reads the calls of a case: .calls for the JSON line, .roots as the reference sees them."""

    def __init__(self, schema, message):
        self.schema, self.message = schema, message
        self.calls, self.roots, self.handles = [], [], []  # handles: [node, parent's index, open?]
        self.plain = True  # the reference encoding applies: no misuse, nothing too large

    def read(self, calls):
        if not calls or calls[0][0] not in ("root", "delimited"):
            calls = [["root"], *calls]
        self.calls = self.block(calls, None)
        return self

    def block(self, calls, inside):
        """`inside`: the handle that a callable was given."""
        out = []
        for call in calls:
            call = [str(word).lower() if isinstance(word, bool) else word for word in call]
            if call[0] == "times":
                for _ in range(int(call[1])):
                    out += self.block([call[2]], inside)
                continue
            on = None
            if call[0] == "on":
                on, call = int(call[1]), call[2:]
            out.append(self.play(call[0], list(call[1:]), on))
        if inside is not None:
            self.close(inside)
        return out

    def play(self, verb, words, on):
        if verb not in VERBS or len(words) < VERBS[verb]:
            raise ScriptError(f"{verb} {words}: not a call")
        if verb in ("root", "delimited"):
            if any(handle[2] for handle in self.handles):
                self.plain = False
            node = Node(self.message, prefixed=verb == "delimited")
            self.roots.append(node)
            return {"call": verb, "handle": self.opened(node, None)}
        if verb == "flush":
            return {"call": verb}
        if on is None:
            on = max(index for index, handle in enumerate(self.handles) if handle[2])
        node, _, alive = self.handles[on]
        self.plain = self.plain and (alive or verb == "end")
        made = {"on": on, "call": verb}
        if verb in ("end", "finish"):
            if verb == "end" and any(parent == on and handle_open for _, parent, handle_open in self.handles):
                self.plain = False  # destroyed while a child is open
            self.close(on)
            return made
        self.close_inside(on)
        if verb == "element":
            value, made["value"] = read_value(node.message, words[0])
            node.parts.append(scalar(node.message, value))
            return made
        if verb == "fields":
            data = parse(words[0])
            node.parts.append(data)
            return {**made, "value": data.hex()}
        declared = find_field(node.message, words.pop(0))
        made["field"] = declared.name
        if declared.packed != (verb in ("span", "packed")):
            raise ScriptError(f"{verb} {declared.name}: span and packed are for packed fields, and these for nothing else")
        getattr(self, f"call_{verb}")(made, on, node, declared, words)
        return made

    def opened(self, node, parent):
        self.handles.append([node, parent, True])
        return len(self.handles) - 1

    def close(self, index):
        self.close_inside(index)
        self.handles[index][2] = False

    def close_inside(self, index):
        for at, handle in enumerate(self.handles):
            if handle[1] == index and handle[2]:
                self.close(at)

    def call_put(self, made, _, node, declared, words):
        value, made["value"] = read_value(declared, words[0])
        if isinstance(value, Fill):
            self.plain = False
            return
        node.parts.append(tag(declared.number, declared.wire_type) + scalar(declared, value))

    def call_ranges(self, made, _, node, declared, words):
        parts = [parse(word) for word in words]
        made["values"] = [part.hex() for part in parts]
        node.parts.append(tag(declared.number, 2) + scalar(declared, b"".join(parts)))

    def call_span(self, made, _, node, declared, words):
        values = [read_value(declared, word) for word in words]
        made["values"] = [text for _, text in values]
        inside = b"".join(scalar(declared, value) for value, _ in values)
        if inside:
            node.parts.append(tag(declared.number, 2) + varint(len(inside)) + inside)

    def call_packed(self, made, on, node, declared, _):
        child = Node(declared, tag(declared.number, 2))
        node.parts.append(child)
        made["handle"] = self.opened(child, on)

    def call_raw(self, made, _, node, declared, words):
        child = self.child(made, node, declared, words)
        data = parse(words[0])
        made["value"] = data.hex()
        child.parts.append(data)
        child.known = node.parts[-1].known = True

    def call_entry(self, made, _, node, declared, words):
        key_field, value_field = declared.message.fields[1], declared.message.fields[2]
        key, made["key"] = read_value(key_field, words[0])
        value, made["value"] = read_value(value_field, words[1])
        inside = b"".join(tag(field.number, field.wire_type) + scalar(field, item) for field, item in ((key_field, key), (value_field, value)))
        node.parts.append(tag(declared.number, 2) + varint(len(inside)) + inside)

    def call_open(self, made, on, node, declared, words):
        made["handle"] = self.opened(self.child(made, node, declared, words), on)

    def call_with(self, made, on, node, declared, words):
        child = self.child(made, node, declared, words)
        made["handle"] = self.opened(child, on)
        made["calls"] = self.block(words[0], made["handle"])

    def child(self, made, node, declared, words):
        """The node for a nested message; the words contain the key of a map entry."""
        if declared.is_map:
            key_field, value_field = declared.message.fields[1], declared.message.fields[2]
            key, made["key"] = read_value(key_field, words.pop(0))
            entry = Node(declared.message, tag(declared.number, 2))
            entry.parts.append(tag(1, key_field.wire_type) + scalar(key_field, key))
            node.parts.append(entry)
            child = Node(value_field.message, tag(2, 2))
            entry.parts.append(child)
            return child
        if node.message.message_set:
            item = Node(None, tag(1, 3) + tag(2, 0) + varint(declared.number), tag(1, 4), prefixed=False)
            child = Node(declared.message, tag(3, 2))
            item.parts.append(child)
            node.parts.append(item)
            return child
        if declared.delimited:
            child = Node(declared.message, tag(declared.number, 3), tag(declared.number, 4), prefixed=False)
        else:
            child = Node(declared.message, tag(declared.number, 2))
        node.parts.append(child)
        return child

    def encode(self, policy):
        length = length4 if policy == "fixed4" else varint
        return b"".join(root.encode(length) for root in self.roots)


def vector(case, schema, name, message):
    """One vector; cases.py has substituted the table's row and chosen the message."""
    script = Script(schema, schema.messages[message]).read(case["calls"])
    into = case["into"]
    if len(into) != 1 or set(into) - {"fixed", "heap", "chunks"}:
        raise ScriptError("into: one of fixed, heap, chunks")
    where, sizes = next(iter(into.items()))
    sizes = [int(size) for size in sizes] if isinstance(sizes, list) else int(sizes)
    policy = case.get("policy", "compact")
    if policy not in POLICIES:
        raise ScriptError(f"no policy {policy}")
    made = {
        "name": name, "ids": case["ids"], "faces": ["writer"], "message": message, "policy": policy, "into": {where: sizes},
        "calls": script.calls, "script": script,
    }
    if "error" in case:
        made["error"] = {"code": case["error"]}
    if "output" in case:
        output = parse(case["output"])
        made["output"] = output
        made["valid_len"] = int(case.get("valid_len", len(output)))
        if where == "chunks":
            made |= chunks(case, output, sizes)
    elif "error" in case:
        made["valid_len"] = int(case["valid_len"])
    else:
        raise ScriptError("an output is needed")
    return made


def chunks(case, output, sizes):
    """The chunks as they leave, with zeros in the slots that are open then, and the patches that fill those slots."""
    used = [int(word) for word in case.get("used", [len(output)] if output else [])]
    opened = [int(word) for word in case.get("open", [0] * len(used))]
    patches = [[int(number) for number in word] for word in case.get("patches", [])]
    if sum(used) != len(output) or len(opened) != len(used):
        raise ScriptError(f"used: sums up to {sum(used)} of {len(output)} bytes; open: one for each")
    for index, size in enumerate(used):
        if size > (sizes[index] if isinstance(sizes, list) else sizes):
            raise ScriptError(f"chunk {index} is not as large as that")
    starts = [sum(used[:index]) for index in range(len(used))]
    left = bytearray(output)
    still, made = list(opened), []
    for chunk, offset, after in patches:
        at = starts[chunk] + offset
        four = output[at : at + 4]
        still[chunk] -= 1
        if offset + 4 > used[chunk] or after != still[chunk]:
            raise ScriptError(f"patch {chunk} {offset}: still open is {still[chunk]}, and a slot lies in one chunk")
        if not (all(byte >= 0x80 for byte in four[:3]) and four[3] < 0x80):
            raise ScriptError(f"patch {chunk} {offset}: {four.hex()} is not a length of four bytes")
        left[at : at + 4] = bytes(4)
        made.append({"chunk": chunk, "offset": offset, "bytes": four.hex(), "still_open": after})
    if any(still):
        raise ScriptError(f"patches: slots are left open: {still}")
    ends = [*starts[1:], len(output)]
    return {
        "chunks": [{"bytes": bytes(left[a:b]).hex(), "open_slots": number} for a, b, number in zip(starts, ends, opened)],
        "patches": made,
    }


def check(schema, vector):
    """The reference's result for a writer vector."""
    if "output" not in vector:
        return
    script, output = vector["script"], vector["output"]
    message = schema.messages[vector["message"]]
    options = Options(allow_partial=True)
    delimited = any(root.prefixed for root in script.roots)
    try:
        if delimited:
            got, fail = decode_stream(message, output, options)
            if fail:
                raise fail
        else:
            got = reencode(message, output[: vector["valid_len"]], options)
    except Fail as fail:
        yield f"the output does not parse: {fail}"
        return
    if "error" in vector or not script.plain:
        if "error" not in vector:
            yield "the script misuses a handle, but there is no error"
        return
    want = script.encode(vector["policy"])
    if vector["policy"] != "compact" and output != want:
        yield f"the reference encodes the calls as {want.hex()}"
    if got != (decode_stream(message, want, options)[0] if delimited else reencode(message, want, options)):
        yield f"the output is not the message that the calls make: {want.hex()}"
