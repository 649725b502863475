"""Programs of a Markdown file, run as a reader would: each section in an empty folder, on nothing but packages.

A section begins with `## Title`. Its fences count from top to bottom:

    ```LANG file=NAME   is written to NAME
    ```sh install       is run, by bash
    ```sh run           is run; what it prints is kept
    ```text output      has to be what was printed since the last such fence

Other fences are not looked at. URLs below `downloads` are replaced by the folder of local archives.
"""
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from releasing.tree import DOWNLOADS

FENCE = re.compile(r"^```(\w*) *(.*)$")
SECONDS = 900


@dataclass
class Fence:
    line: int
    language: str
    kind: str  # file, install, run, output
    name: str  # of a file
    text: str


class Failure(Exception):
    """The fault that a reader would have met, with file and line."""


def sections(path):
    """The sections of a file that have something to run: {title: [Fence]}."""
    found, title, fence, lines = {}, None, None, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = FENCE.match(line)
        if fence is None and match:
            fence = (number, match.group(1), match.group(2).strip())
            lines = []
        elif fence is not None and line.rstrip() == "```":
            add(found, path, title, fence, lines)
            fence = None
        elif fence is not None:
            lines.append(line)
        elif line.startswith("## "):
            title = line[3:].strip()
    if fence is not None:
        raise Failure(f"{path}:{fence[0]}: the fence does not end")
    return {title: fences for title, fences in found.items() if any(fence.kind == "run" for fence in fences)}


def add(found, path, title, fence, lines):
    number, language, words = fence
    file = re.fullmatch(r"file=(\S+)", words)
    kind = "file" if file else words if (language, words) in {("sh", "install"), ("sh", "run"), ("text", "output")} else None
    if kind is None:
        if re.search(r"\b(file=|install|run|output)\b", words):
            raise Failure(f"{path}:{number}: `{language} {words}`: known are LANG file=NAME, sh install, sh run, text output")
        return
    if title is None:
        raise Failure(f"{path}:{number}: the fence is in no section (## Title)")
    name = file.group(1) if file else ""
    if file and (name.startswith("/") or ".." in Path(name).parts):
        raise Failure(f"{path}:{number}: {name}: a file of the reader's folder, please")
    found.setdefault(title, []).append(Fence(number, language, kind, name, "\n".join(lines) + "\n"))


def environment(home, packages, protoc):
    """The environment of a reader who has installed the toolchains and has only our packages.

    Go and Rust get empty caches of modules and crates, because these believe a version to be the same bytes for ever. What is
    not ours may come from the machine's own cache of modules, where it was verified.
    """
    def ask(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    keep = {name: os.environ[name] for name in ("LANG", "TMPDIR", "CC", "CXX", "RUSTUP_TOOLCHAIN", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY",
                                                 "https_proxy", "http_proxy", "no_proxy", "SSL_CERT_FILE") if name in os.environ}
    cache, proxy, sums, go_cache = ask("go", "env", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOCACHE").splitlines()
    cargo = home / "cargo"
    cargo.mkdir(parents=True)
    if (packages / "registry").is_dir():
        (cargo / "config.toml").write_text(
            '[source.crates-io]\nreplace-with = "packages"\n'
            f'[source.packages]\nlocal-registry = "{packages / "registry"}"\n')
    bins = [home / "go/bin", cargo / "bin", protoc.parent]
    return {
        **keep,
        "HOME": str(home),
        "PATH": os.pathsep.join([*map(str, bins), os.environ["PATH"]]),
        "GOPATH": str(home / "go"), "GOCACHE": go_cache, "GOFLAGS": "-modcacherw -trimpath", "GOTOOLCHAIN": "local", "GOWORK": "off",
        "GOPROXY": f"file://{packages / 'goproxy'},file://{cache}/cache/download,{proxy}",
        "GOSUMDB": sums, "GONOSUMDB": "github.com/hotpb/hotpb/*",
        "CARGO_HOME": str(cargo), "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")), "CARGO_NET_OFFLINE": "true",
        "CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_INCREMENTAL": "0",
        "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1),
    }


def run(path, fences, folder, home, packages, version, protoc):
    """Runs the fences of one section; raises Failure at the first one that fails."""
    env = environment(home, packages, protoc)
    local = f"file://{packages / 'archives'}/"
    printed, compared = "", 0
    for fence in fences:
        where = f"{path}:{fence.line}"
        text = fence.text.replace(f"{DOWNLOADS}v{version}/", local)
        if fence.kind == "file":
            (folder / fence.name).parent.mkdir(parents=True, exist_ok=True)
            (folder / fence.name).write_text(text)
        elif fence.kind in ("install", "run"):
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=SECONDS)
            if done.returncode != 0:
                said = "\n".join((done.stdout + done.stderr).splitlines()[-40:])
                raise Failure(f"{where}: {fence.kind}: exit status {done.returncode}\n{text.rstrip()}\n{said}")
            if fence.kind == "run":
                printed += done.stdout
        else:
            wanted, got = ([line.rstrip() for line in output.rstrip().splitlines()] for output in (fence.text, printed))
            if wanted != got:
                raise Failure(f"{where}: the output is another one\n--- in the file\n" + "\n".join(wanted) + "\n--- printed\n" + "\n".join(got))
            printed, compared = "", compared + 1
    if printed.strip():
        raise Failure(f"{path}: the last `sh run` of the section printed what no `text output` shows:\n{printed}")
    return compared
