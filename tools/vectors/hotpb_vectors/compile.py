"""vectors/*/*.yaml -> build/vectors/*.jsonl. Writes nothing when anything is wrong."""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

from . import cases, ids, texts, writer
from .decode import Fail, Options, decode_stream, ill_formed, read_varint
from .descriptor import read_file_set
from .encode import reencode
from .schema import Schema

# The order of the keys in a line; what is absent stays absent.
ORDER = ["name", "ids", "faces", "exceptions", "message", "kind", "input", "options", "canonical", "text", "messages", "value",
         "policy", "into", "calls", "output", "chunks", "patches", "valid_len", "error"]


def truncations(vector, schema):
    """A vector cut at every offset; the reference decoder says whether that is an error or a shorter message."""
    message = schema.messages[vector["message"]]
    base, _, nth = vector["name"].rpartition("/")
    for size in range(len(vector["input"])):
        cut = {key: vector[key] for key in ("faces", "message", "options")}
        cut |= {"name": f"{base}_cut_at_{size}/{nth}", "input": vector["input"][:size]}
        try:
            canonical = reencode(message, cut["input"], Options(**vector["options"]))
            yield "wire", {**cut, "ids": ["FLD-1"], "canonical": canonical}
        except Fail as fail:
            yield "invalid", {**cut, "ids": ["ERR-1"], "error": fail.as_json()}


def outcome(schema, vector):
    message = schema.messages.get(vector["message"])
    if message is None:
        return "no such message"
    try:
        return reencode(message, vector["input"], Options(**vector["options"]))
    except Fail as fail:
        return fail.as_json()


def shown(value):
    return value.hex() if isinstance(value, bytes) else str(value)


def check_wire(schema, vector):
    got = outcome(schema, vector)
    if got != vector["canonical"]:
        yield f"canonical is {vector['canonical'].hex()}, the reference decoder gives {shown(got)}"
        return
    reread = outcome(schema, {**vector, "input": got})
    if reread != got:
        yield f"canonical {got.hex()} does not re-encode to itself but to {shown(reread)}"


def check_invalid(schema, vector):
    if not vector.get("reference", True):
        return
    got = outcome(schema, vector)
    if got != vector["error"]:
        yield f"expected {vector['error']}, the reference decoder gives {shown(got)}"


def check_stream(schema, vector):
    message = schema.messages.get(vector["message"])
    if message is None:
        yield "no such message"
        return
    good, fail = decode_stream(message, vector["input"], Options(**vector["options"]))
    fail = fail.as_json() if fail else None
    if good != vector["messages"] or fail != vector.get("error"):
        yield f"the reference decoder gives {[part.hex() for part in good]} and {fail}"


def check_primitive(_, vector):
    data, want = vector["input"], vector.get("error")
    if vector["kind"] == "utf8":
        bad = ill_formed(data)
        got = None if bad is None else {"code": "InvalidUtf8", "offset": bad, "path": ""}
        if got != want:
            yield f"the reference decoder gives {got}"
        return
    try:
        value, end = read_varint(data, 0, len(data), "")
        if want or str(value) != vector["value"] or end != len(data):
            yield f"the reference decoder gives {value} in {end} bytes"
    except Fail as fail:
        if fail.as_json() != want:
            yield f"the reference decoder gives {fail.as_json()}"


CHECKS = {"wire": check_wire, "invalid": check_invalid, "stream": check_stream, "primitive": check_primitive,
          "writer": writer.check}


def line(vector):
    out = {}
    for key in ORDER:
        value = vector.get(key)
        if key not in vector or (key == "options" and not value):
            continue
        if key == "messages":
            value = [item.hex() for item in value]
        out[key] = value.hex() if isinstance(value, bytes) else value
    return json.dumps(out, ensure_ascii=False, separators=(",", ":"))


def put_plans(root, target):
    """Puts all golden plans into one folder. Git has only the sums of long ones: Go's generator prints those, unless they are there."""
    target.mkdir(parents=True, exist_ok=True)
    source = root / "vectors/plans"
    for path in source.glob("*.json"):
        plan = target / path.name
        if not plan.exists() or plan.read_bytes() != path.read_bytes():
            texts.replace(plan, path.read_text())
    files = dict(row.split("\t") for row in (source / "list.txt").read_text().splitlines())
    generator = root / "build/bin/protoc-gen-go-hotpb"
    built = False
    for name, sum_ in (row.split("\t") for row in (source / "large.txt").read_text().splitlines()):
        plan = target / f"{name}.json"
        if plan.exists() and digest(plan) == sum_:
            continue
        if not built:
            subprocess.run(["go", "build", "-o", generator, "./cmd/protoc-gen-go-hotpb"], cwd=root / "go", check=True)
            built = True
        new = target / f"{name}.json.new"
        subprocess.run([generator, f"--descriptor_set={source / name}.fds", f"--files={files[name]}", f"--emit_plan={new}"], check=True)
        os.replace(new, plan)
        if digest(plan) != sum_:
            print(f"tools/vectors/compile: Go's generator prints another plan of {name} than vectors/plans/large.txt has (tools/plan-goldens)", file=sys.stderr)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(argv=None):
    started = time.monotonic()
    root = pathlib.Path(__file__).resolve().parents[3]
    parser = argparse.ArgumentParser(prog="tools/vectors/compile", description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=root / "build/vectors", help="folder of the JSON lines")
    parser.add_argument("--vectors", type=pathlib.Path, default=root / "vectors", help="folder of the YAML files")
    parser.add_argument("--no-ids", action="store_true", help="do not demand a vector for each sentence (while writing new ones)")
    arguments = parser.parse_args(argv)

    schema = Schema(read_file_set((root / "vectors/plans/vectors.fds").read_bytes()))
    try:
        compiled = cases.read_all(arguments.vectors, schema)
    except cases.CaseError as error:
        print(f"tools/vectors/compile: {error}", file=sys.stderr)
        return 1

    problems = []
    names = set()
    for kind, vectors in compiled.items():
        for vector in vectors:
            if vector["name"] in names:
                problems.append(f"{vector['name']}: the name stands twice")
            names.add(vector["name"])
            problems += [f"{kind}: {vector['name']}: {problem}" for problem in CHECKS[kind](schema, vector)]

    arguments.out.mkdir(parents=True, exist_ok=True)
    protoc = os.environ.get("PROTOC", str(root / "build/tools/protoc/bin/protoc"))
    problems += texts.problems(protoc, root, compiled["wire"], arguments.out / "texts-checked.json")
    if not arguments.no_ids:
        every = [vector for vectors in compiled.values() for vector in vectors]
        not_shown = cases.read_yaml(arguments.vectors / "not-shown.yaml")
        problems += ids.problems(root / "spec", root / "vectors/plans/README.md", every, not_shown)
        problems += ids.unnamed(root / "spec/shm.md", sorted((root / "cpp/tests/shm").glob("*.cc")))
        tests = root / "examples/tracing/tests"
        problems += ids.unnamed(root / "spec/tracing.md", sorted([*tests.glob("*.cc"), *tests.glob("*.py"), *(root / "vectors/tracing").glob("*.json")]))
    if problems:
        print("\n".join(problems), file=sys.stderr)
        print(f"tools/vectors/compile: {len(problems)} problems, nothing written", file=sys.stderr)
        return 1

    for vector in list(compiled["wire"]):
        if vector["truncate"]:
            for kind, shortened in truncations(vector, schema):
                compiled[kind].append(shortened)
    counts = []
    for kind, vectors in compiled.items():
        text = "".join(line(vector) + "\n" for vector in vectors)
        target = arguments.out / f"{kind}.jsonl"
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            texts.replace(target, text)
        counts.append(f"{len(vectors)} {kind}")
    put_plans(root, arguments.out / "plans")
    print(f"vectors: {', '.join(counts)} ({time.monotonic() - started:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
