"""Weighs generated code: the schemas, and for each language how code is generated, compiled and linked."""
import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
WORK = ROOT / "build/weight"
PROTOC = ROOT / "build/tools/protoc/bin/protoc"
INCLUDE = ROOT / "build/tools/protoc/include"


class Failure(Exception):
    """A command failed; the text has its output."""


@dataclass
class Weight:
    """Bytes, but for the processor seconds of the compilers. None: not measured."""
    source: int = 0       # generated code
    lines: int = 0
    seconds: float = 0.0
    memory: int = 0       # of the largest process
    object: int = None    # what the compiler wrote: Go's packages, Rust's library, the code and data of C++'s object files
    program: int = None   # a stripped program that reads and writes three messages

    def beyond(self, base):
        """What this adds to another one; memory and program are of both together."""
        return Weight(self.source, self.lines, self.seconds - base.seconds, self.memory, self.object - base.object, self.program)


def run(*command, cwd=ROOT, **environment):
    """Processor seconds of a command and the bytes of memory of its largest process."""
    with open(WORK / "log", "w+") as log:
        process = subprocess.Popen([str(word) for word in command], cwd=cwd, stdout=log, stderr=log, env={**os.environ, **environment})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            log.seek(0)
            raise Failure(f"{' '.join(map(str, command))[:300]}\n{log.read()[-3000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def output(*command, cwd=ROOT, **environment):
    return subprocess.run([str(word) for word in command], cwd=cwd, check=True, capture_output=True, text=True, env={**os.environ, **environment}).stdout


def fresh(name):
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def source(folder, *endings):
    files = [file for file in folder.rglob("*") if file.is_file() and file.name.endswith(endings)]
    return Weight(sum(file.stat().st_size for file in files), sum(file.read_bytes().count(b"\n") for file in files))


def text_and_data(*files):
    """Bytes of code and data in object files, or in a program."""
    rows = [row.split() for row in output("size", *files).splitlines()[1:]]
    return sum(int(row[0]) + int(row[1]) for row in rows)


def stripped(program):
    run("strip", program)
    return Path(program).stat().st_size


def nonce():
    """A comment that no compiler's cache has seen."""
    return f"\n// {random.getrandbits(64)}\n"
