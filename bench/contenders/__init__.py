"""The contenders of bench/peers: one module for each language, which generates and builds its programs."""
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .descriptors import Set


class Failure(Exception):
    """The programs of a language cannot be built; the text says why."""


@dataclass(frozen=True)
class Message:
    """One row of a folder's manifest."""
    name: str
    source: str
    type: str      # full name, without a leading dot
    set: Set = field(repr=False, compare=False)
    data: Path     # the records, each with its length before it
    count: int
    bytes: int     # of all records


@dataclass(frozen=True)
class Program:
    """A program that measures some messages. The label distinguishes programs of one language."""
    command: list
    label: str
    messages: list


def run(*command, cwd=None):
    done = subprocess.run([str(part) for part in command], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))[:300]}\n{done.stdout[-3000:]}")
    return done.stdout


def say(text):
    print(f"bench/peers: {text}", file=sys.stderr, flush=True)


def write(path, text):
    """Writes a file if that changes it, so that nothing is compiled in vain."""
    data = text if isinstance(text, bytes) else text.encode()
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
