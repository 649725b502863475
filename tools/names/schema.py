"""Schemas as trees that are generated at random, shrunk, and printed as .proto."""
import re

from words import (BUILT_INS, FIELD_PREFIXES, FIELD_SUFFIXES, FILES, KEYWORDS, MACROS, METHODS, PACKAGE_PARTS, TYPE_PREFIXES,
                   TYPE_SUFFIXES)

SCALARS = ["int32", "uint64", "sint32", "sint64", "bool", "fixed32", "sfixed64", "float", "double", "string", "bytes", "string"]
KEYS = ["int32", "uint64", "bool", "string", "sfixed32"]


class Node:
    """A part of a schema. `needs` are the nodes that it requires besides its parents."""

    def __init__(self, kind, name, **more):
        self.kind, self.name, self.parent, self.children, self.needs = kind, name, None, [], []
        self.label = self.type = self.number = self.value = None
        self.__dict__.update(more)

    def add(self, child):
        child.parent = self
        self.children.append(child)
        return child

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def full_name(self):
        if self.kind == "file":
            return self.package
        if self.kind in ("oneof", "extend"):
            return self.parent.full_name()
        outer = self.parent.full_name()
        return f"{outer}.{self.name}" if outer else self.name

    def file(self):
        return self if self.kind == "file" else self.parent.file()


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


class Maker:
    """One random schema: some files, few stems, and many names built from them."""

    def __init__(self, rng, words):
        self.rng, self.words = rng, words
        self.taken, self.numbers = {}, {}
        self.global_names = set()

    def make(self, messages):
        rng = self.rng
        lists = [KEYWORDS, BUILT_INS, MACROS, METHODS]
        if self.words:
            lists += [self.words, self.words]
        self.stems = [rng.choice(rng.choice(lists)) for _ in range(rng.randint(3, 9))]
        self.stems += rng.sample(["foo", "order", "x", "m", "a", "Item", "value"], 3)
        if rng.random() < 0.3:
            self.stems.append(rng.choice("xyzAbC_") * rng.choice([1, 2, 60, 116, 119, 255, 600]))
        syntax = rng.choice(["proto2", "proto2", "proto3", "editions"])
        parts = [rng.choice(PACKAGE_PARTS) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
        self.packages = [".".join(parts), ".".join(parts[:-1] + [rng.choice(PACKAGE_PARTS)])]
        for package in self.packages:
            self.global_names.update([".".join(package.split(".")[:i]) for i in range(1, package.count(".") + 2)])
        names = rng.sample(FILES, rng.choice([1, 2, 2, 3]))
        if any(a.startswith(b + "/") for a in names for b in names):
            names = names[:1]
        files = []
        self.types = []
        for at, name in enumerate(names):
            file = Node("file", name, package=rng.choice(self.packages), syntax=syntax, imports=files[:])
            files.append(file)
            for _ in range(max(1, messages // len(names))):
                self.declare(file, 0)
        everything = [node for file in files for node in file.walk() if node.kind == "message"]
        for message in everything:
            self.fill(message)
        if syntax != "proto3":
            for file in files:
                for scope in [file] + [n for n in file.walk() if n.kind == "message" and rng.random() < 0.2]:
                    self.extensions(scope)
        return files

    def variant(self, of_field):
        rng = self.rng
        name = rng.choice(self.stems)
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            change = rng.randrange(8)
            if change < 3:
                name = rng.choice([snake, camel, str.upper, str.lower, lambda s: s[:1].lower() + camel(s)[1:], str.title])(name)
            elif of_field:
                name = rng.choice(FIELD_PREFIXES) + name if change < 5 else name + rng.choice(FIELD_SUFFIXES)
            else:
                name = rng.choice(TYPE_PREFIXES) + name if change == 3 else name + rng.choice(TYPE_SUFFIXES)
        if rng.random() < 0.06 and not of_field:
            name += "_" + rng.choice(self.stems)  # nested names look like this where a generator flattens them
        return name if not name[:1].isdigit() else "n" + name

    def claim(self, scope, of_field, also=lambda name: []):
        """A name that protoc accepts in the scope, or None."""
        outer = scope.full_name()
        used = self.taken.setdefault(outer, set())
        for _ in range(20):
            name = self.variant(of_field)
            full = f"{outer}.{name}" if outer else name
            names = [name, *also(name)]
            if full in self.global_names or any(n in used for n in names) or name in ("option", "reserved"):
                continue
            used.update(names)
            return name
        return None

    def declare(self, scope, depth):
        rng = self.rng
        if rng.random() < 0.25:
            enum = self.enum(scope)
            if enum is not None:
                self.types.append(enum)
            return
        name = self.claim(scope, False)
        if name is None:
            return
        message = scope.add(Node("message", name))
        self.types.append(message)
        if depth < 3:
            for _ in range(rng.choice([0, 0, 0, 1, 2])):
                self.declare(message, depth + 1)

    def enum(self, scope):
        name = self.claim(scope, False)
        if name is None:
            return None
        enum = scope.add(Node("enum", name))
        for number in range(self.rng.randint(1, 6)):
            value = self.claim(scope, self.rng.random() < 0.5)
            if value is not None:
                enum.add(Node("value", value, value=number))
        if not enum.children:
            scope.children.remove(enum)
            return None
        enum.children[0].value = 0
        return enum

    def visible(self, file, kind=None):
        def reachable(target):
            return target is file or target in file.imports
        return [node for node in self.types if reachable(node.file()) and (kind is None or node.kind == kind)]

    def fill(self, message):
        rng = self.rng
        number = iter(rng.sample(range(1, 99), 40))
        for _ in range(rng.choice([1, 2, 4, 7, 12])):
            self.field(message, next(number))
        for _ in range(rng.choice([0, 0, 1, 2])):
            name = self.claim(message, True)
            if name is None:
                continue
            oneof = Node("oneof", name, parent=message)
            oneof.parent = message
            for _ in range(rng.randint(1, 4)):
                self.field(oneof, next(number))
            if oneof.children:
                message.children.append(oneof)

    def field(self, scope, number):
        rng = self.rng
        file = scope.file()
        kind = rng.randrange(10)
        in_oneof = scope.kind == "oneof"
        extending = scope.kind == "extend"
        types = self.visible(file)
        if kind == 0 and not in_oneof and not extending:
            name = self.claim(scope, True, lambda n: [map_entry(n)])
            if name is None:
                return
            field = scope.add(Node("field", name, label="", number=number))
            self.type_of(field, types)
            field.key = rng.choice(KEYS)
            field.label = "map"
            return
        if kind == 1 and file.syntax == "proto2" and not extending:
            name = self.claim(scope, False, lambda n: [n.lower()])
            if name is None or not name[:1].isupper() or name.lower() == name:
                return
            label = "" if in_oneof else rng.choice(["optional", "repeated", "required"])
            group = scope.add(Node("group", name, label=label, number=number))
            group.add(Node("field", "g", label="optional", type="int32", number=1))
            return
        name = self.claim(scope, True)
        if name is None:
            return
        labels = {"proto2": ["optional", "repeated", "required"], "proto3": ["", "optional", "repeated"],
                  "editions": ["", "repeated"]}[file.syntax]
        label = "" if in_oneof else rng.choice(labels[:2] if extending else labels)
        field = scope.add(Node("field", name, label=label, number=number))
        self.type_of(field, types)

    def type_of(self, field, types):
        rng = self.rng
        if types and rng.random() < 0.45:
            used = rng.choice(types)
            field.type = used
            field.needs.append(used)
        else:
            field.type = rng.choice(SCALARS)

    def extensions(self, scope):
        rng = self.rng
        for _ in range(rng.choice([0, 1, 2])):
            extendees = self.visible(scope.file(), "message")
            if not extendees:
                return
            extendee = rng.choice(extendees)
            extend = Node("extend", "", extendee=extendee)
            extend.parent = scope
            extend.needs.append(extendee)
            numbers = self.numbers.setdefault(extendee, iter(range(1000, 1999)))
            for _ in range(rng.randint(1, 4)):
                self.field(extend, next(numbers))
            if extend.children:
                scope.children.append(extend)


def map_entry(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_")) + "Entry"


def survivors(files, without=frozenset()):
    """The nodes that remain when some are removed, together with every node that requires them."""
    alive = {node for file in files for node in file.walk()} - set(without)

    def whole(node):
        if any(need not in alive for need in node.needs) or node.parent is not None and node.parent not in alive:
            return False
        return node.kind not in ("oneof", "enum", "extend") or any(child in alive for child in node.children)

    while True:
        left = {node for node in alive if whole(node)}
        if left == alive:
            return left
        alive = left


def text(file, alive):
    """The file as .proto, with the nodes that remain."""
    head = 'edition = "2023";' if file.syntax == "editions" else f'syntax = "{file.syntax}";'
    lines = [head, ""]
    if file.package:
        lines += [f"package {file.package};", ""]
    lines += [f'import "{imported.name}";' for imported in file.imports if imported in alive] + [""]
    extended = {node.extendee for node in alive if node.kind == "extend"}
    first_values = set()
    for node in alive:
        if node.kind == "enum":
            first_values.add(next(child for child in node.children if child in alive))

    def reference(target):
        return target if isinstance(target, str) else "." + target.full_name()

    def put(node, pad):
        if node not in alive:
            return
        start = node.label + " " if node.label else ""
        if node.kind == "value":
            lines.append(f"{pad}{node.name} = {0 if node in first_values else node.value};")
        elif node.kind == "field" and node.label == "map":
            lines.append(f"{pad}map<{node.key}, {reference(node.type)}> {node.name} = {node.number};")
        elif node.kind == "field":
            lines.append(f"{pad}{start}{reference(node.type)} {node.name} = {node.number};")
        else:
            title = f"{node.kind} {node.name}"
            if node.kind == "extend":
                title = f"extend {reference(node.extendee)}"
            if node.kind == "group":
                title = f"{start}group {node.name} = {node.number}"
            lines.append(f"{pad}{title} {{")
            if node.kind in ("message", "enum"):
                lines.append(pad + "  option deprecated_legacy_json_field_conflicts = true;")
            if node in extended:
                lines.append(pad + "  extensions 1000 to 1999;")
            for child in node.children:
                put(child, pad + "  ")
            lines.append(pad + "}")

    for child in file.children:
        put(child, "")
    return "\n".join(lines) + "\n"
