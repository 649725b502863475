"""Rust: a release build, beside prost's structs."""
from bench.contenders.rust import Names, modules

from . import ROOT, WORK, fresh, run, source

OURS = ROOT / "rust/target/debug/protoc-gen-hotpb-rs"
STOCK = ROOT / "build/cargo-bench-gen/debug/hotpb-bench-gen"
FACES = ("view", "writer", "pool", "pool+builder", "pool+builder+visitor")

MANIFEST = """[package]
name = "weight"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
{dependency}

[profile.release]
strip = true
"""

MAIN = """use std::io::{{Read, Write}};
fn main() {{
    let (mut data, mut out) = (Vec::new(), Vec::new());
    std::io::stdin().read_to_end(&mut data).unwrap();
{bodies}    std::io::stdout().write_all(&out).unwrap();
}}
"""

# How a program reads and writes a message.
CALLS = {
    "prost": "out.extend(<weight::prost_code::{name} as prost::Message>::decode(&data[..]).map(|m| prost::Message::encode_to_vec(&m)).unwrap_or_default());",
    "pool": "out.extend(hotpb::pool::Pool::<weight::hot::{name}<'static>>::new().decode(&data).map(|m| hotpb::pool::Encode::encode_to_vec(&m).unwrap()).unwrap_or_default());",
    "pool+builder": "out.extend(<weight::hot::{name}Builder as hotpb::pool::Builder>::decode(&data).map(|m| hotpb::pool::Encode::encode_to_vec(&m).unwrap()).unwrap_or_default());",
    "view": "out.extend(<weight::hot::{name}View as hotpb::view::View>::decode(&data).ok().filter(|m| hotpb::view::View::validate(m).is_ok()).map(|_| 1));",
}


def prepare():
    run("cargo", "build", "--quiet", "--bin", "protoc-gen-hotpb-rs", cwd=ROOT / "rust")
    run("cargo", "build", "--quiet", "--target-dir", ROOT / "build/cargo-bench-gen", "-p", "hotpb-bench-gen", cwd=ROOT / "rust/bench")


def weigh(schema, row, *options):
    crate = fresh("rust")
    if row == "prost":
        folder = crate / "src/prost"
        folder.mkdir(parents=True)
        run(STOCK, "prost", schema.path, folder)
        library, dependency = f"pub mod prost_code {{ {modules(folder)} }}\n", 'prost = "=0.14.4"'
    else:
        folder = crate / "src/hot"
        folder.mkdir(parents=True)
        run(OURS, f"--descriptor_set={schema.path}", f"--out={folder}", f"--files={'+'.join(schema.files)}", f"--opt={','.join([f'faces={row}', 'quiet', *options])}")
        library, dependency = '#[path = "hot/hotpb.mod.rs"]\npub mod hot;\n', f'hotpb = {{ path = "{ROOT}/rust/hotpb", features = ["descriptor", "plugin", "api"] }}'
    weight = source(folder, ".rs")
    target = WORK / "rust-target"
    environment = {"CARGO_TARGET_DIR": str(target)}
    (crate / "Cargo.toml").write_text(MANIFEST.format(dependency=dependency))
    (crate / "src/lib.rs").write_text("")
    run("cargo", "build", "--release", "--quiet", "--lib", cwd=crate, **environment)  # what it depends on
    (crate / "src/lib.rs").write_text("#![allow(warnings)]\n" + library)
    weight.seconds, weight.memory = run("cargo", "build", "--release", "--quiet", "--lib", cwd=crate, **environment)
    weight.object = (target / "release/libweight.rlib").stat().st_size
    if row in CALLS:
        names = Names(schema.set)
        (crate / "src/main.rs").write_text(MAIN.format(bodies="".join(f"    {CALLS[row].format(name=names.prost(message))}\n" for message in schema.three())))
        run("cargo", "build", "--release", "--quiet", cwd=crate, **environment)
        weight.program = (target / "release/weight").stat().st_size
    return weight


def rows(schema, faces=FACES):
    """Each row's name, its weight, and the name of the row that it is compared with."""
    yield "prost", weigh(schema, "prost"), None
    for row in faces:
        yield row, weigh(schema, row), "prost"
