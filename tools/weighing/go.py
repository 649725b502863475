"""Go: beside protoc-gen-go's structs and vtprotobuf's methods of them. What is added to the structs is weighed without them."""
import re
from pathlib import Path

from bench.contenders.go import camel, local

from . import PROTOC, ROOT, fresh, nonce, output, run, source

MODULE = "example.com/weight"
RUNTIME = "github.com/hotpb/hotpb/go"
TOOLS = ROOT / "build/bin/weight"
OURS, STOCK, VT = (TOOLS / f"protoc-gen-{name}" for name in ("go-hotpb", "go", "go-vtproto"))
FACES = ("codec", "view", "view+edit", "writer", "pool")
ADDED = ("vtprotobuf", "codec")  # methods of the stock structs

# How a program reads and writes a message.
CALLS = {
    "protoc-gen-go": "proto.Unmarshal(data, &m); out, _ := proto.Marshal(&m); use(out)",
    "vtprotobuf": "m.UnmarshalVT(data); out, _ := m.MarshalVT(); use(out)",
    "codec": "m.UnmarshalHot(data); out, _ := m.MarshalHot(); use(out)",
    "view": "m.Decode(data); m.Validate(); use(data)",
    "writer": "m.AppendRaw(data); m.End(); use(b.Bytes())",
    "pool": "m.Unmarshal(data); out, _ := m.Marshal(); use(out)",
}


def prepare():
    run("go", "build", "-o", OURS, "./cmd/protoc-gen-go-hotpb", cwd=ROOT / "go")
    run("go", "build", "-o", f"{TOOLS}/", "google.golang.org/protobuf/cmd/protoc-gen-go", "github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto", cwd=ROOT / "go/bench")


def places(schema):
    """The package of each file: one for each package of the schema."""
    packages = sorted({schema.set.files[file].package for file in schema.files})
    return {file: f"p{packages.index(schema.set.files[file].package)}" for file in schema.files}


def protoc(schema, folder, plugin, path, *options):
    each = [f"M{file}={MODULE}/{place}" for file, place in places(schema).items()]
    flags = [f"--{plugin}_opt={option}" for option in (f"module={MODULE}", *each, *options)]
    run(PROTOC, f"--plugin=protoc-gen-{plugin}={path}", f"--descriptor_set_in={schema.path}", f"--{plugin}_out={folder}", *flags, *schema.files)


def weigh(schema, row, *options):
    """A row: protoc-gen-go, vtprotobuf or one of our faces. Those of ADDED contain the structs."""
    folder = fresh("go")
    if row != "protoc-gen-go":
        if row == "vtprotobuf":
            protoc(schema, folder, "go-vtproto", VT, "features=marshal+unmarshal+size")
        else:
            protoc(schema, folder, "hotpb", OURS, f"faces={row}", "quiet", *options)
        weight = source(folder, ".go")
        if row in ADDED:
            protoc(schema, folder, "go", STOCK)
    else:
        protoc(schema, folder, "go", STOCK)
        weight = source(folder, ".go")
    return compiled(folder, weight, schema, row)


def compiled(folder, weight, schema, row):
    requirements = (ROOT / "go/bench/go.mod").read_text().split("\n")
    versions = "".join(f"require {line.strip().split(' //')[0]}\n" for line in requirements if line.strip().startswith(("google.golang.org/protobuf v", "github.com/planetscale/vtprotobuf v")))
    (folder / "go.mod").write_text(f"module {MODULE}\n\ngo 1.24\n\nrequire {RUNTIME} v0.0.0\n{versions}\nreplace {RUNTIME} => {ROOT}/go\n")
    (folder / "go.sum").write_text((ROOT / "go/bench/go.sum").read_text())
    environment = {"GOWORK": "off", "GOFLAGS": "-mod=mod"}
    # Imports are compiled first, so that only the generated code counts.
    imports = [f"{RUNTIME}/{room}" for room in ("rt/codec/google", "rt/pool", "rt/view", "rt/writer")] + ["google.golang.org/protobuf/proto"] + ["github.com/planetscale/vtprotobuf/protohelpers"] * (row == "vtprotobuf")
    (folder / "warm").mkdir()
    (folder / "warm/warm.go").write_text("package warm\n\nimport (\n" + "".join(f'\t_ "{path}"\n' for path in imports) + ")\n")
    run("go", "build", "./warm", cwd=folder, **environment)
    packages = sorted({f"./{file.parent.relative_to(folder)}" for file in folder.rglob("*.go") if file.parent.name != "warm"})
    for file in folder.rglob("*.go"):
        file.write_text(file.read_text() + nonce())
    weight.seconds, weight.memory = run("go", "build", *packages, cwd=folder, **environment)
    weight.object = sum(Path(path).stat().st_size for path in output("go", "list", "-export", "-f", "{{.Export}}", *packages, cwd=folder, **environment).split())
    if row.split("+")[0] in CALLS:
        (folder / "main").mkdir()
        (folder / "main/main.go").write_text(main(folder, schema, row.split("+")[0]))
        run("go", "build", "-ldflags=-s -w", "-o", "program", "./main", cwd=folder, **environment)
        weight.program = (folder / "program").stat().st_size
    return weight


def main(folder, schema, row):
    """The text of a program that reads and writes three messages."""
    own = row in ("view", "writer", "pool")
    bodies, used = "", {}
    for message in schema.three():
        place = places(schema)[message.file]
        name = camel(local(message, schema.set.files)) + {"view": "View", "writer": "Writer"}.get(row, "")
        if own:
            declared = "".join(file.read_text() for file in (folder / place).rglob("*.hot.go"))
            name = name if re.search(rf"^type {name} (struct|writer\.)", declared, re.M) else name + "_"
        used[place] = next(str(file.parent.relative_to(folder)) for file in (folder / place).rglob("*.hot.go" if own else "*.pb.go"))
        made = f"var b writer.Buffer\n\t\tm := {place}.New{name}(&b)" if row == "writer" else f"var m {place}.{name}"
        bodies += f"\t{{\n\t\t{made}\n\t\t{CALLS[row].replace('; ', chr(10) + chr(9) * 2)}\n\t}}\n"
    imports = [f'\t{place} "{MODULE}/{path}"\n' for place, path in used.items()] + ['\t"google.golang.org/protobuf/proto"\n'] * (row == "protoc-gen-go")
    imports += [f'\t"{RUNTIME}/writer"\n'] * (row == "writer")
    return f'package main\n\nimport (\n\t"io"\n\t"os"\n\n{"".join(imports)})\n\nfunc use(out []byte) {{ os.Stdout.Write(out) }}\n\nfunc main() {{\n\tdata, _ := io.ReadAll(os.Stdin)\n{bodies}}}\n'


def rows(schema, faces=FACES):
    """Each row's name, its weight, and the name of the row that it is compared with; methods of the stock structs always."""
    stock = weigh(schema, "protoc-gen-go")
    yield "protoc-gen-go", stock, None
    for row in ADDED:
        yield f"+ {row}", weigh(schema, row).beyond(stock), None if row == "vtprotobuf" else "+ vtprotobuf"
    for row in faces:
        if row not in ADDED:
            yield row, weigh(schema, row), "protoc-gen-go"
