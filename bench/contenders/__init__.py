"""The contenders of bench/peers: one module for each language, which generates and builds its programs."""
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
    """A program that measures some messages. The label tells programs of one language apart."""
    command: list
    label: str
    messages: list
