"""quick-protobuf in Rust: its generator reads .proto files, so a descriptor set becomes one again; and the sums over its structs.

Defaults of proto2 are left out of the file: with them, its structs do not know whether a field was there.
"""
from . import Failure

# What its generator appends _pb to.
RESERVED = set("""abstract alignof as become bool box Box break BytesReader const continue crate Cow Default do else enum Err extern f32 f64 false
final fn for HashMap i32 i64 if impl in let loop macro match mod move mut None MessageWrite offsetof Ok Option override priv proc pub pure ref Result
return self Self sizeof Some static str String struct super trait true type typeof u8 u32 u64 unsafe unsized use Vec virtual where while Write
Writer yield""".split())
FIXED = {"double", "float", "fixed32", "fixed64", "sfixed32", "sfixed64"}


def name(text):
    return text + "_pb" if text in RESERVED else text


class Code:
    """The types of a descriptor set in its code. A Failure says why it takes no part."""

    def __init__(self, schema, roots):
        self.set = schema
        reached = {message.fullname: message for root in roots for message in schema.reachable(root)}
        packages = {schema.files[message.file].package for message in reached.values()}
        if any(f.kind == "group" for message in reached.values() for f in message.fields):
            raise Failure("it has no groups")
        if len(packages) != 1 or "" in packages:
            raise Failure("its generator gets a file for one package, and the messages are in others: " + ", ".join(sorted(packages)))
        self.package = packages.pop()
        files = [file for file in schema.files.values() if file.package == self.package]
        if len({file.syntax for file in files}) != 1 or files[0].syntax not in ("proto2", "proto3"):
            raise Failure("its generator knows proto2 and proto3, one in a file")
        self.files, self.borrowing = files, set()
        while found := {message.fullname for message in schema.messages.values() if message.fullname not in self.borrowing and any(map(self.borrows, message.fields))}:
            self.borrowing |= found

    def borrows(self, f):
        return f.kind in ("string", "bytes") or f.packed and f.kind in FIXED or f.kind == "message" and f.type_name in self.borrowing

    def proto(self):
        """The text of a .proto file with all messages of the package."""
        lines = [f'syntax = "{self.files[0].syntax}";', f"package {self.package};"]
        below = {}
        for kind in (self.set.messages, self.set.enums):
            for declaration in kind.values():
                if declaration.file in (file.name for file in self.files):
                    below.setdefault(declaration.parent, []).append(declaration)

        def field(f, label):
            if f.repeated and f.kind == "message" and self.set.messages[f.type_name].map_entry:
                key, value = (next(e for e in self.set.messages[f.type_name].fields if e.number == number) for number in (1, 2))
                return f"map<{key.kind}, {typed(value)}> {f.name} = {f.number};"
            packed = f" [packed = {str(f.packed).lower()}]" if f.repeated and f.kind not in ("string", "bytes", "message") else ""
            return f"{label}{typed(f)} {f.name} = {f.number}{packed};"

        def typed(f):
            return f".{f.type_name}" if f.kind in ("message", "enum") else f.kind

        def declared(declaration):
            short = declaration.fullname.rsplit(".", 1)[-1]
            if declaration.fullname in self.set.enums:
                lines.append(f"enum {short} {{")
                lines.extend(f"{value} = {number};" for value, number in declaration.values)
            else:
                lines.append(f"message {short} {{")
                for inner in below.get(declaration.fullname, []):
                    if inner.fullname in self.set.enums or not inner.map_entry:
                        declared(inner)
                for f in declaration.fields:
                    if not f.oneof:
                        plain = f.label == "optional" and self.files[0].syntax == "proto3" and not f.proto3_optional
                        lines.append(field(f, "" if plain else f"{f.label} "))
                for oneof in declaration.oneofs:
                    lines.append(f"oneof {oneof} {{")
                    lines.extend(field(f, "") for f in declaration.fields if f.oneof == oneof)
                    lines.append("}")
            lines.append("}")

        for declaration in below.get("", []):
            declared(declaration)
        return "\n".join(lines) + "\n"

    def path(self, scope, *inner):
        """Where a message or enum is, or what is in the module of a message."""
        package = self.package.split(".")
        outer = scope.fullname[len(self.package) + 1:].split(".")
        outer, own = (outer, inner) if inner else (outer[:-1], (name(outer[-1]),))
        return "::".join(["crate::quick_code", *map(name, package), *(f"mod_{name(part)}" for part in outer), *own])

    def type(self, message, lifetime):
        return self.path(message) + (f"<{lifetime}>" if message.fullname in self.borrowing else "")

    def sum(self, message, term):
        """The lines that add up a struct; term makes one of a field's number and value."""
        lines, done = [], set()
        for f in message.fields:
            own, inner = f"self.{name(f.name)}", f.kind == "message"
            if f.oneof:
                if f.oneof not in done:
                    done.add(f.oneof)
                    choice = self.path(message, f"OneOf{f.oneof}")
                    arms = [f"{choice}::{name(m.name)}(v) => {{ {term(m.number, 'child(v)' if m.kind == 'message' else 'v.word()')} }}" for m in message.fields if m.oneof == f.oneof]
                    lines.append(f"match &self.{f.oneof} {{ {' '.join(arms)} {choice}::None => {{}} }}")
            elif f.repeated and inner and self.set.messages[f.type_name].map_entry:
                value = next(v for v in self.set.messages[f.type_name].fields if v.number == 2)
                lines.append(term(f.number, f"entries{'_of_messages' if value.kind == 'message' else ''}({own}.iter())"))
            elif f.repeated:
                lines.append(term(f.number, f"{'children' if inner else 'words'}({own}.iter())"))
            elif inner and f.label == "required":
                lines.append(term(f.number, f"child(&{own})"))
            elif inner or f.presence and f.label != "required" and not f.proto3_optional:  # of which it keeps no presence
                lines.append(f"if let Some(v) = &{own} {{ {term(f.number, 'child(v)' if inner else 'v.word()')} }}")
            else:
                lines.append(term(f.number, f"{own}.word()"))
        return lines
