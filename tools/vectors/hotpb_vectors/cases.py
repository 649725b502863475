"""Reads vectors/*/*.yaml and expands each case into its vectors."""
import pathlib
import re
import string

import yaml

from . import writer
from .notation import NotationError, parse, parse_marked

SCHEMAS = {"p3": "hotpb.vectors.p3", "p2": "hotpb.vectors.p2", "e23": "hotpb.vectors.e23", "e24": "hotpb.vectors.e24"}
KEYS = {
    "wire": {"name", "ids", "in", "message", "faces", "options", "each", "inputs", "canonical", "text", "truncate", "exceptions"},
    "invalid": {"name", "ids", "in", "message", "faces", "options", "each", "inputs", "error", "reference"},
    "stream": {"name", "ids", "in", "message", "faces", "options", "inputs", "messages", "error"},
    "primitive": {"name", "ids", "kind", "inputs", "value", "error", "each"},
    "writer": writer.KEYS,
}
FACES = ["view", "pool"]
OPTIONS = {"strict": bool, "depth": int, "size": int, "elements": int, "allow_partial": bool}
CODES = {
    "Truncated", "VarintOverflow", "InvalidTag", "InvalidWireType", "GroupMismatch", "InvalidUtf8", "DepthExceeded",
    "SizeExceeded", "CountExceeded", "MissingRequired", "BufferExhausted", "InvalidSchema", "TypeMismatch", "HandleMisuse",
}


class CaseError(Exception):
    pass


class Loader(yaml.SafeLoader):
    """Plain scalars stay text: 0801 is bytes and 1_000 a word, not numbers."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == "tag:yaml.org,2002:bool" and first in "tf"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def unique_mapping(loader, node):
    keys = [loader.construct_object(key) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise CaseError(f"line {node.start_mark.line + 1}: {key!r} stands twice")
    return {key: loader.construct_object(value, deep=True) for key, (_, value) in zip(keys, node.value)}


Loader.add_constructor("tag:yaml.org,2002:map", unique_mapping)


def read_yaml(path):
    with open(path, encoding="utf-8") as file:
        try:
            return yaml.load(file, Loader)
        except yaml.YAMLError as error:
            raise CaseError(f"{path}: {error}") from error


def substitute(value, row):
    if isinstance(value, str):
        return string.Template(value).safe_substitute(row) if "$" in value else value
    if isinstance(value, list):
        return [substitute(item, row) for item in value]
    if isinstance(value, dict):
        return {substitute(key, row): substitute(item, row) for key, item in value.items()}
    return value


def chosen(value, schema):
    """A value that may differ by schema: `{p3: …, p2: …}`, else the same for all."""
    if isinstance(value, dict) and set(value) <= set(SCHEMAS):
        return value.get(schema)
    return value


def read_all(folder, described):
    """Every vector of vectors/<kind>/*.yaml: {kind: [vector]}, in the order of the files' names and lines."""
    folder = pathlib.Path(folder)
    tables = read_yaml(folder / "types.yaml")
    out = {}
    for kind in KEYS:
        out[kind] = []
        for path in sorted((folder / kind).glob("*.yaml")):
            for case in read_yaml(path) or []:
                try:
                    out[kind] += expand(kind, case, tables, described)
                except (CaseError, NotationError, KeyError, ValueError, AttributeError) as error:
                    raise CaseError(f"{path.parent.name}/{path.name}: {case.get('name', case)}: {error}") from error
    return out


def expand(kind, case, tables, described):
    wrong = set(case) - KEYS[kind]
    if wrong:
        raise CaseError(f"unknown key {', '.join(sorted(wrong))}")
    for row in rows(case, tables):
        expanded = substitute({key: value for key, value in case.items() if key != "each"}, row)
        if row and expanded["name"] == case["name"]:
            expanded["name"] += f".{row['type']}"
        if kind == "primitive":
            yield from primitive(expanded)
            continue
        schemas = expanded.get("in", [])
        schemas = schemas if isinstance(schemas, list) else [schemas]
        if "in" in row:
            schemas = [schema for schema in schemas if schema in row["in"]]
        for schema in schemas:
            if kind == "writer":
                yield of_writer(expanded, schema, described)
            else:
                yield from vectors(kind, expanded, schema)


def rows(case, tables):
    if "each" not in case:
        return [{}]
    each = case["each"]
    table = tables[each["table"]]
    unknown = set(each.get("only", [])) | set(each.get("but", []))
    if unknown - set(table):
        raise CaseError(f"no row {', '.join(sorted(unknown - set(table)))}")
    return [
        {"type": name, **row, **in_order(row)}
        for name, row in table.items()
        if name in each.get("only", table) and name not in each.get("but", [])
    ]


def in_order(row):
    """The two values as keys of a map in canonical order: first, second, and tfirst, tsecond in text format."""
    if "low" not in row:
        return {}
    low, high = ("a", "b") if row["low"] == "a" else ("b", "a")
    return {"first": row[low], "second": row[high], "tfirst": row["t" + low], "tsecond": row["t" + high]}


def options_of(case):
    out = {}
    for key, value in case.get("options", {}).items():
        if key not in OPTIONS:
            raise CaseError(f"unknown option {key}")
        out[key] = value if OPTIONS[key] is bool else int(value)
        if OPTIONS[key] is bool and not isinstance(value, bool):
            raise CaseError(f"option {key} is true or false")
    return out


def error_of(case, mark):
    """`[Code, offset, path]`, or `[Code, path]` with @ in the input; `not compared` where implementations may differ."""
    given = case["error"] if isinstance(case["error"], list) else [case["error"]]
    code, rest = given[0], list(given[1:])
    if code not in CODES:
        raise CaseError(f"unknown code {code}")
    if rest == ["not compared"]:
        return {"code": code, "offset": None, "path": None}
    offset = mark if mark is not None else int(rest.pop(0)) if rest else None
    if offset is None or len(rest) > 1:
        raise CaseError("an error needs an offset, or @ in its input, and at most a path")
    return {"code": code, "offset": offset, "path": path_of(rest[0]) if rest else ""}


def path_of(text):
    """A path; `(name.)*100` stands for as many names."""
    return re.sub(r"\((.*?)\)\*(\d+)", lambda found: found[1] * int(found[2]), text)


def vectors(kind, case, schema):
    case = substitute(case, {"package": SCHEMAS[schema]})
    if "$" in case["name"]:
        raise CaseError("a placeholder that the table does not have")
    name = f"{case['name']}.{schema}"
    base = {"ids": case["ids"], "faces": case.get("faces", FACES), "message": f"{SCHEMAS[schema]}.{case.get('message', 'All')}"}
    for index, text in enumerate(chosen(case["inputs"], schema), 1):
        data, mark = parse_marked(text)
        vector = {"name": f"{name}/{index}", **base, "input": data, "options": options_of(case)}
        if kind == "wire":
            canonical = chosen(case["canonical"], schema)
            vector["canonical"] = data if canonical == "same" else parse(canonical)
            if "exceptions" in case:
                vector["exceptions"] = {face: parse(value).hex() for face, value in case["exceptions"].items()}
            message_text = chosen(case.get("text"), schema)
            if message_text is not None:
                vector["text"] = message_text.strip()
            vector["truncate"] = case.get("truncate", False)
        if kind == "stream":
            vector["messages"] = [parse(message) for message in case["messages"]]
        if kind == "invalid":
            vector["reference"] = case.get("reference", True)
        if "error" in case:
            vector["error"] = error_of(case, mark)
        elif mark is not None:
            raise CaseError("@ without an error")
        yield vector


def of_writer(case, schema, described):
    case = substitute(case, {"package": SCHEMAS[schema]})
    if case.get("error", "BufferExhausted") not in CODES:
        raise CaseError(f"unknown code {case['error']}")
    # A call from a table is text.
    case["calls"] = [yaml.load(call, Loader) if isinstance(call, str) else call for call in case["calls"]]
    return writer.vector(case, described, f"{case['name']}.{schema}", f"{SCHEMAS[schema]}.{case.get('message', 'All')}")


def primitive(case):
    if case["kind"] not in ("varint", "utf8"):
        raise CaseError(f"unknown kind {case['kind']}")
    for index, text in enumerate(case["inputs"], 1):
        data, mark = parse_marked(text)
        vector = {"name": f"{case['name']}/{index}", "ids": case["ids"], "kind": case["kind"], "input": data}
        if "error" in case:
            vector["error"] = error_of(case, mark)
        if case["kind"] == "utf8":
            vector["value"] = "error" not in case
        elif "value" in case:
            vector["value"] = case["value"]
        yield vector
