"""
What NVIDIA's disassembler and our reader say to the same bytes, and whether they agree.

Our writer does not verify, so that a module that is wrong in any way can be shown to the
disassembler, which verifies what it reads.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tileiras_xdsl.frontend.bytecode import BytecodeError, read

REJECTED = 3
"""Exit code of the disassembler for bytes it does not accept."""


@dataclass(frozen=True)
class Verdict:
    """Whether bytes were accepted, and if not why."""

    accepted: bool
    message: str = ""
    crashed: bool = False


class Agreement(Enum):
    """How two verdicts relate."""

    SAME = "same"
    TEXT = "other text"
    STRICTER = "only we reject"
    LAXER = "only the disassembler rejects"
    CRASH = "the disassembler crashes"


ERROR = re.compile(r"(?:^|: )error: (.*)")
"""A diagnostic, which may have a place in front."""
OFFSET = re.compile(r"^error at offset \d+: ")
OP_PREFIX = re.compile(r"^'cuda_tile\.([\w$.]+)' op ")
UNFINISHED = (
    "block with no terminator, has ",  # and then the op, with names that nobody gave it
    "expect Cuda Tile integer or float type but got: ",  # and then no type
)
"""Messages of which only the start is compared."""
I4_CONSTANT = re.compile(r"expect Cuda Tile integer or float type but got: '.*[<x]i4>'")
"""We have no constants of `i4`; the disassembler reads them, for the op's verifier to refuse."""
OUR_NAMES = {"fpowf": "pow"}
"""Ops that we call otherwise."""


def split_message(message: str) -> tuple[str | None, str]:
    """The op a message is about, as we call it, and the rest of the message."""
    match = OP_PREFIX.match(message)
    if match is None:
        return None, message
    return OUR_NAMES.get(match[1], match[1]), message[match.end() :]


def compare(ours: Verdict, theirs: Verdict) -> Agreement:
    """
    Whether two verdicts agree. Our text may say more, as where it has a wording of our own
    in front and the public one after it.
    """
    if theirs.crashed:
        return Agreement.CRASH
    if ours.accepted != theirs.accepted:
        return Agreement.LAXER if ours.accepted else Agreement.STRICTER
    if I4_CONSTANT.fullmatch(ours.message):
        return Agreement.SAME
    op, text = split_message(theirs.message)
    for start in UNFINISHED:
        if text.startswith(start):
            text = start
    if text in ours.message and (op is None or f"'cuda_tile.{op}' op " in ours.message):
        return Agreement.SAME
    return Agreement.TEXT


def our_verdict(data: bytes) -> Verdict:
    """What our reader says, verification included."""
    try:
        read(data)
    except BytecodeError as error:
        message = error.message.removeprefix(
            "verification failed for deserialized cuda_tile::ModuleOp: "
        )
        return Verdict(accepted=False, message=message)
    return Verdict(accepted=True)


@dataclass(frozen=True)
class Oracle:
    """NVIDIA's disassembler."""

    program: Path
    folder: Path

    def verdict(self, data: bytes, name: str) -> Verdict:
        """What the disassembler says; `name` is of a file that nobody else uses."""
        path = self.folder / f"{name}.tileirbc"
        path.write_bytes(data)
        try:
            result = subprocess.run(
                [self.program, path], capture_output=True, check=False, timeout=60
            )
        except subprocess.TimeoutExpired:
            return Verdict(accepted=False, message="does not end", crashed=True)
        finally:
            path.unlink()
        if result.returncode == 0:
            return Verdict(accepted=True)
        lines = result.stderr.decode(errors="replace").splitlines()
        errors = [match[1] for line in lines if (match := ERROR.search(line))]
        message = OFFSET.sub("", errors[0]) if errors else "\n".join(lines)
        return Verdict(accepted=False, message=message, crashed=result.returncode != REJECTED)

    def verdicts(self, files: Sequence[bytes]) -> list[Verdict]:
        """What it says to many files, several at a time."""
        names = [f"{os.getpid()}_{index}" for index in range(len(files))]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(self.verdict, files, names))
