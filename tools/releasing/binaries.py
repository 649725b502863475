"""The programs of a release, built statically for Linux from the packages, as users would install them."""
import json
import os
import shutil
import subprocess
from pathlib import Path

from releasing import programs
from releasing.tree import ROOT, run

GO = {
    "hotpb": "github.com/hotpb/hotpb/go/cmd/hotpb",
    "hotpb-schema-arrow": "github.com/hotpb/hotpb/go/schema/arrow/cmd/hotpb-schema-arrow",
    "protoc-gen-go-hotpb": "github.com/hotpb/hotpb/go/cmd/protoc-gen-go-hotpb",
}
# The programs of apps that write what their users download: apps/NAME/packaging/release PROGRAM ARCH FOLDER LICENSES.
APPS = [path.parents[1].name for path in sorted((ROOT / "apps").glob("*/packaging/release"))]
GO |= {name: f"github.com/hotpb/hotpb/apps/{name}" for name in APPS}
RUST = "protoc-gen-hotpb-rs"
CPP = "protoc-gen-hotpb-cpp"
# The architecture's name in Go and in Rust, the C++ compiler, and the emulator of its programs.
MACHINES = {
    "amd64": ("x86_64-unknown-linux-musl", "c++", "qemu-x86_64"),
    "arm64": ("aarch64-unknown-linux-musl", "aarch64-linux-gnu-g++", "qemu-aarch64"),
}
MACHINE_BYTES = {"amd64": 62, "arm64": 183}  # e_machine of ELF


class NotHere(Exception):
    """A program that cannot be built on this machine, and why."""


def build(arch, out, packages, version, commit, source, work):
    """Builds all programs into out. Returns those that could not be built: [NotHere]."""
    home = work / f"home-{arch}"
    shutil.rmtree(home, ignore_errors=True)
    env = programs.environment(home, packages, ROOT / "build/tools/protoc/bin/protoc")
    env["CC"] = os.environ.get("CC", "cc")
    env["HOTPB_COMMIT"] = commit
    out.mkdir(parents=True, exist_ok=True)
    missing = []
    for name, builder in [*((name, go) for name in GO), (RUST, rust), (CPP, cpp)]:
        try:
            builder(arch, name, out, env, version, source, work)
            checked(arch, out / name, version)
        except NotHere as error:
            missing.append(error)
    return missing


def go(arch, name, out, env, version, source, work):
    env = {**env, "GOOS": "linux", "GOARCH": arch, "CGO_ENABLED": "0"}
    run("go", "install", "-trimpath", f"-ldflags=-s -w -X main.commit={env['HOTPB_COMMIT']}", f"{GO[name]}@v{version}", cwd=work, env=env)
    places = [Path(env["GOPATH"]) / "bin" / name, Path(env["GOPATH"]) / f"bin/linux_{arch}" / name]
    shutil.copy(next(place for place in places if place.exists()), out / name)


def rust(arch, name, out, env, version, source, work):
    target = MACHINES[arch][0]
    done = subprocess.run(["rustup", "target", "add", target], capture_output=True) if shutil.which("rustup") else None
    if done is None or done.returncode != 0:
        raise NotHere(f"{name} for {arch}: rustup cannot bring the target {target}")
    variable = "CARGO_TARGET_" + target.upper().replace("-", "_")
    env = {**env, f"{variable}_LINKER": "rust-lld",
           f"{variable}_RUSTFLAGS": f"-Cstrip=symbols -Ctarget-feature=+crt-static --remap-path-prefix={env['CARGO_HOME']}=cargo"}
    root = work / f"rust-{arch}"
    run("cargo", "install", "--quiet", "--locked", "--no-track", "--target", target, "--root", root, f"{name}@{version}", cwd=work, env=env)
    shutil.copy(root / "bin" / name, out / name)


def cpp(arch, name, out, env, version, source, work):
    compiler = MACHINES[arch][1]
    if not shutil.which(compiler):
        raise NotHere(f"{name} for {arch}: {compiler} is missing (tools/setup machines)")
    build_folder = work / f"cpp-{arch}"
    cross = [] if arch == "amd64" else ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64"]
    run("cmake", "-S", source, "-B", build_folder, "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_COMPILER={compiler}", "-DHOTPB_UNITY=ON",
        f"-DCMAKE_CXX_FLAGS=-ffile-prefix-map={source}=hotpb", "-DCMAKE_EXE_LINKER_FLAGS=-static -s", *cross)
    run("cmake", "--build", build_folder, "--target", name)
    shutil.copy(build_folder / "cpp/plugin" / name, out / name)


def checked(arch, path, version):
    """Checks that the program is for that machine, needs no other file to run, and prints the version where it can run."""
    header = path.read_bytes()[:20]
    if header[:4] != b"\x7fELF" or int.from_bytes(header[18:20], "little") != MACHINE_BYTES[arch]:
        raise SystemExit(f"{path} is not a program for {arch}")
    if "INTERP" in run("readelf", "--program-headers", path):
        raise SystemExit(f"{path} is not linked statically")
    native = os.uname().machine == {"amd64": "x86_64", "arm64": "aarch64"}[arch]
    runner = [] if native else [shutil.which(MACHINES[arch][2])]
    if None not in runner:
        said = run(*runner, path, "version" if path.name in APPS else "--version").strip()
        if version not in said:
            raise SystemExit(f"{path} says {said!r}, not {version}")


def apps(arch, tree, programs, out, licenses, work):
    """Writes what users of the apps download."""
    text = work / "LICENSES.txt"
    text.write_bytes(licenses)
    tools = tree / "build/tools"
    if not tools.exists():
        tools.parent.mkdir(exist_ok=True)
        tools.symlink_to(ROOT / "build/tools")
    for name in APPS:
        run(tree / "apps" / name / "packaging/release", programs / name, arch, out, text)


def cargo_metadata(packages, version, work):
    """The crates of the Rust generator, by the lock file in its crate, after `build`."""
    run("tar", "-xzf", packages / f"crates/{RUST}-{version}.crate", "-C", work)
    return run("cargo", "metadata", "--quiet", "--locked", "--format-version", "1", "--filter-platform", MACHINES["amd64"][0],
               cwd=work / f"{RUST}-{version}", env={**os.environ, "CARGO_HOME": str(work / "home-amd64/cargo"), "CARGO_NET_OFFLINE": "true"})


def toolchain():
    """The libraries that compilers link into their programs: PROGRAM:LIBRARY=VERSION."""
    return [f"{CPP}:libstdc++={run('c++', '-dumpfullversion', '-dumpversion').strip()}",
            f"{CPP}:glibc={run('getconf', 'GNU_LIBC_VERSION').split()[1]}", f"{RUST}:std={run('rustc', '--version').split()[1]}"]


def licenses(components, metadata, work):
    """The licences of everything that is linked into the programs, one after the other. components: the lines that sbom printed."""
    modules = work / "home-amd64/go/pkg/mod"
    crates = {f"{crate['name']} {crate['version']}": Path(crate["manifest_path"]).parent
              for crate in json.loads(metadata)["packages"] if crate["source"]}
    text = ["hotpb's programs have code of these in them, each under its own licence.\n"]
    for line in components:
        kind, name, number, license = line.split(" ", 3)
        if kind == "cargo" and f"{name} {number}" in crates:
            folder = crates[f"{name} {number}"]
        elif kind == "golang" and "/" in name and not name.startswith("github.com/hotpb/"):
            folder = modules / f"{escaped(name)}@{number}"
        elif name == "stdlib":
            folder = Path(run("go", "env", "GOROOT").strip())
        elif name == "std":
            text.append(f"\n==== Rust's standard library {number}, in {RUST} (MIT OR Apache-2.0), on musl's C library (MIT)\n"
                        "Copyright (c) The Rust Project Contributors. Copyright (c) 2005-2020 Rich Felker, et al.\n")
            text += [path.read_text(errors="replace").rstrip() + "\n" for path in sorted(
                (Path(run("rustc", "--print", "sysroot").strip()) / "share/doc/rust/licenses").glob("MIT.txt"))]
            continue
        else:
            continue
        found = sorted(path for path in folder.iterdir() if path.is_file() and path.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE"))) if folder.is_dir() else []
        if not found:
            raise SystemExit(f"{name} {number} has no file with its licence in {folder}")
        text.append(f"\n==== {name} {number}" + ("" if license == "-" else f" ({license})") + "\n")
        text += [path.read_text(errors="replace").rstrip() + "\n" for path in found]
    text.append("\n==== the C and C++ runtime libraries of the compiler, in protoc-gen-hotpb-cpp\n"
                "libstdc++ and libgcc: GPL-3.0 with the GCC Runtime Library Exception. glibc: LGPL-2.1; the sources of\n"
                "protoc-gen-hotpb-cpp are in the archive hotpb-cpp of this release, so that it can be linked with another one.\n")
    return "".join(text).encode()


def escaped(path):
    """A module path as the module cache spells it."""
    return "".join("!" + letter.lower() if letter.isupper() else letter for letter in path)
