"""The files of a release, and the archives of packages: the same files yield the same bytes."""
import gzip
import hashlib
import io
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DOWNLOADS = "https://github.com/hotpb/hotpb/releases/download/"


def run(*command, **more):
    """Runs a command and returns its output. When the command fails, ends the program with that output."""
    more.setdefault("cwd", ROOT)
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip()
        sys.exit(f"{Path(sys.argv[0]).name}: {' '.join(map(str, command))}: exit status {done.returncode}\n{said}")
    return done.stdout


def files(root=ROOT):
    """The files that git would commit, as names below root. Ignored files are in no package."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=root)
    return sorted(name for name in listed.split("\0") if name and ((root / name).is_file() or (root / name).is_symlink()))


def version(root=ROOT):
    return (root / "VERSION").read_text().strip()


def archive(path, folder, entries):
    """Writes a .tar.gz whose bytes depend on the entries alone: (name, bytes, executable), below one folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for name, content, executable in sorted(entries):
                entry = tarfile.TarInfo(f"{folder}/{name}")
                entry.size = len(content)
                entry.mode = 0o755 if executable else 0o644
                tar.addfile(entry, io.BytesIO(content))


def entry(root, name, place=None):
    path = root / name
    return place or name, path.read_bytes(), bool(path.stat().st_mode & 0o100)


def digest(path, kind="sha256"):
    return hashlib.new(kind, path.read_bytes()).hexdigest()
