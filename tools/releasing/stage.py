"""Packages as a release would publish them, below one folder."""
import json
import os
import re
import shutil
import tempfile
from pathlib import Path

from releasing.tree import DOWNLOADS, ROOT, archive, digest, entry, files, run, version

CRATES = ["hotpb", "hotpb-codegen", "hotpb-build", "protoc-gen-hotpb-rs"]
# Those that stand on them, in the order in which they need each other.
OTHERS = ["hotpb-tonic", "hotpb-tonic-build", "hotpb-arrow", "hotpb-datafusion"]
# The C++ package: the files that a user builds, without tests, benchmarks and fuzz targets.
CPP = ("CMakeLists.txt", "LICENSE", "VERSION", "CHANGELOG.md", "SECURITY.md", "cpp/CMakeLists.txt", "cpp/README.md", "cpp/cmake/",
       "cpp/include/", "cpp/plugin/")


def emptied(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def gomodules(root, *arguments):
    """Runs tools/releasing/gomodules, the checkout's own, on the tree at root."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("\n".join(files(root)) + "\n")
        names.flush()
        return run("go", "run", "./gomodules", "-root", root, "-version", "v" + version(root), "-files", names.name, *arguments,
                   cwd=ROOT / "tools/releasing")


def go(out, root=ROOT):
    """A file tree for GOPROXY. Returns the module paths."""
    proxy = emptied(out / "goproxy")
    return [line.split()[0] for line in gomodules(root, "-proxy", proxy).splitlines()]


def cpp(out, root=ROOT):
    """The archive that FetchContent downloads, and with its URL and checksums Conan's recipe and vcpkg's port."""
    number = version(root)
    archives = emptied(out / "archives")
    packed = archives / f"hotpb-cpp-{number}.tar.gz"
    made = well_known_headers(out, root)
    archive(packed, f"hotpb-cpp-{number}", [entry(root, name) for name in files(root) if name.startswith(CPP)] + made)
    package_managers(out, root, packed, f"{DOWNLOADS}v{number}/{packed.name}")
    return packed


def well_known_headers(out, root):
    """The headers hotpb/wkt, which a checkout generates when it is built, as entries of the archive."""
    build = emptied(out / "cpp-build")
    run("cmake", "-S", root / "cpp", "-B", build, "-DHOTPB_UNITY=ON", "-DHOTPB_INSTALL=OFF", "-DCMAKE_CXX_FLAGS_RELEASE=-O1")
    run("cmake", "--build", build, "--target", "hotpb_well_known", "--parallel", "2")
    place = build / "include/hotpb/wkt"
    made = [entry(place, path.name, f"cpp/include/hotpb/wkt/{path.name}") for path in sorted(place.glob("*.h"))]
    shutil.rmtree(build)
    return made


def package_managers(out, root, packed, url):
    conan = emptied(out / "conan")
    shutil.copy(root / "packaging/conan/conanfile.py", conan)
    (conan / "conandata.yml").write_text(
        f'sources:\n  "{version(root)}":\n    url: "{url}"\n    sha256: "{digest(packed)}"\n')
    port = emptied(out / "vcpkg") / "ports/hotpb"
    port.mkdir(parents=True)
    shutil.copy(root / "packaging/vcpkg/ports/hotpb/vcpkg.json", port)
    text = (root / "packaging/vcpkg/ports/hotpb/portfile.cmake.in").read_text()
    text = text.replace("@HOTPB_CPP_URL@", url).replace("@HOTPB_CPP_SHA512@", digest(packed, "sha512"))
    (port / "portfile.cmake").write_text(text)


def crates(out, root=ROOT):
    """The .crate files that `cargo publish` would upload. Returns their paths."""
    found = re.search(r"(\d+)\.(\d+)", run("cargo", "--version"))
    if tuple(map(int, found.groups())) < (1, 90):
        raise TooOld("packing crates that need each other wants cargo 1.90 or newer")
    run(root / "rust/gen.sh", "--types")
    target = emptied(out / "cargo-package")
    run("cargo", "package", "--quiet", "--locked", "--no-verify", "--allow-dirty", "--target-dir", target,
        *(part for crate in CRATES for part in ("-p", crate)), cwd=root / "rust")
    place = emptied(out / "crates")
    packed = []
    for crate in CRATES:
        name = f"{crate}-{version(root)}.crate"
        packed.append(shutil.copy(target / "package" / name, place / name))
    shutil.rmtree(target)
    return [Path(path) for path in packed]


def other_crate(out, registry, crate, root=ROOT):
    """The same for one of OTHERS: cargo finds the other crates, as if they were published, in the registry. Returns its path."""
    target = emptied(out / "cargo-package")
    run("cargo", "package", "--quiet", "--offline", "--no-verify", "--allow-dirty", "--target-dir", target, "-p", crate,
        "--config", 'source.crates-io.replace-with="packages"', "--config", f'source.packages.local-registry="{registry}"', cwd=root / "rust")
    name = f"{crate}-{version(root)}.crate"
    packed = shutil.copy(target / "package" / name, out / "crates" / name)
    shutil.rmtree(target)
    return Path(packed)


class TooOld(Exception):
    pass


def registry(out, root=ROOT):
    """A registry of our crates and of those that the lock file of `rust` names, in cargo's form `local-registry`."""
    packages = crates(out, root)
    place = emptied(out / "registry")
    publish_ours(place, packages)
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    run("cargo", "fetch", "--quiet", "--locked", cwd=root / "rust")
    read = json.loads(run("cargo", "metadata", "--quiet", "--locked", "--offline", "--all-features", "--format-version", "1", cwd=root / "rust"))
    for package in read["packages"]:
        if package["source"] is None:
            continue  # a folder, not a crate of the registry
        name = f"{package['name']}-{package['version']}.crate"
        cached = sorted(home.glob(f"registry/cache/*/{name}"))
        if not cached:
            raise FileNotFoundError(f"{name} is not in {home}/registry/cache, where `cargo fetch` puts it")
        publish(place, package, cached[0])
    for crate in OTHERS:
        publish_ours(place, [other_crate(out, place, crate, root)])
    return place


def publish_ours(registry, paths):
    with tempfile.TemporaryDirectory() as work:
        for path in paths:
            run("tar", "-xzf", path, "-C", work)
        # Unpacked crates are read by cargo itself, each in a workspace of its own.
        for path in paths:
            folder = Path(work) / path.name[: -len(".crate")]
            read = run("cargo", "metadata", "--quiet", "--no-deps", "--format-version", "1", "--manifest-path", folder / "Cargo.toml")
            publish(registry, json.loads(read)["packages"][0], path)


def publish(registry, package, packed):
    """Adds a crate to the registry: the file, and a line in the index."""
    target = registry / packed.name
    if target.exists():
        return
    shutil.copy(packed, target)
    line = {
        "name": package["name"], "vers": package["version"], "deps": [dependency(required) for required in package["dependencies"]],
        "cksum": digest(target), "features": {}, "features2": package["features"], "yanked": False, "links": package["links"],
        "rust_version": package["rust_version"], "v": 2,
    }
    name = package["name"].lower()
    folder = {1: "1", 2: "2", 3: f"3/{name[:1]}"}.get(len(name), f"{name[:2]}/{name[2:4]}")
    index = registry / "index" / folder / name
    index.parent.mkdir(parents=True, exist_ok=True)
    with open(index, "a") as file:
        file.write(json.dumps(line) + "\n")


def dependency(entry):
    renamed = entry["rename"]
    return {
        "name": renamed or entry["name"], "package": entry["name"] if renamed else None, "req": entry["req"], "features": entry["features"],
        "optional": entry["optional"], "default_features": entry["uses_default_features"], "target": entry["target"],
        "kind": entry["kind"] or "normal", "registry": None,
    }
