"""
PTX as functions of basic blocks: instructions with the registers that they read and write.

The parser takes what LLVM prints and what inline assembly adds to it: statements end with `;`,
braces open scopes with registers of their own, which get names that are unique in the function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
FUNCTION = re.compile(r"\.(?:entry|func)\b(?:\s*\([^)]*\))?\s*([\w$]+)")
LABEL = re.compile(r"\s*([\w$]+):(?!:)")
GUARD = re.compile(r"@(!?)([%\w$]+)\s*")
WORD = re.compile(r"[%\w$][\w$]*(?:\.\w+)*")
DECLARED = re.compile(r"([%\w$]+)(<\d+>)?")

READING = ("bar.sync", "bar.arrive", "barrier.", "bra", "brx", "nanosleep", "tcgen05.dealloc")
"""Opcodes whose first operand is read though it is no address."""
LEAVING = ("ret", "exit")


@dataclass(frozen=True)
class Operand:
    """What stands between two commas."""

    text: str
    registers: tuple[str, ...]
    """Those that are declared in the function, in their order; special ones as `%tid.x` are not."""

    @property
    def is_address(self) -> bool:
        return self.text.startswith("[")

    @property
    def number(self) -> int | None:
        """The value of an integer literal."""
        return int(self.text, 0) if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", self.text) else None


@dataclass(frozen=True)
class Instruction:
    """A statement that does something."""

    line: int
    opcode: str
    operands: tuple[Operand, ...]
    guard: str | None = None
    """The predicate register behind `@`."""

    @property
    def has_result(self) -> bool:
        """Whether the first operand is written."""
        if not self.operands or self.opcode.startswith(READING):
            return False
        return not self.operands[0].is_address

    @cached_property
    def writes(self) -> tuple[str, ...]:
        return self.operands[0].registers if self.has_result else ()

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """Registers that are read, of an MMA with an accumulator in place those of it, too."""
        sources = self.operands[1:] if self.has_result else self.operands
        found = [register for each in sources for register in each.registers]
        if self.opcode.startswith("wgmma.mma_async"):
            found += self.writes
        if self.guard is not None:
            found.append(self.guard)
        return tuple(found)

    @cached_property
    def registers(self) -> frozenset[str]:
        return frozenset((*self.reads, *self.writes))

    @property
    def target(self) -> str | None:
        """The label that a branch goes to."""
        return self.operands[0].text if self.opcode in ("bra", "bra.uni") else None

    def __str__(self) -> str:
        operands = ", ".join(each.text for each in self.operands)
        text = f"{self.opcode} {operands}"
        return f"line {self.line}: {text if len(text) < 100 else text[:97] + '...'}"


@dataclass
class Block:
    """Instructions of which either all are executed or none."""

    instructions: list[Instruction] = field(default_factory=list[Instruction])
    successors: list[int] = field(default_factory=list[int])
    """Numbers of blocks."""
    leaves: bool = False
    """Whether the function ends here, or may."""


@dataclass
class Function:
    """A kernel, or a function that kernels call."""

    name: str
    blocks: list[Block]

    @property
    def instructions(self) -> Iterator[Instruction]:
        return (each for block in self.blocks for each in block.instructions)


@dataclass(frozen=True)
class Finding:
    """An instruction that must not be where it is."""

    function: str
    instruction: Instruction
    what: str

    def __str__(self) -> str:
        return f"{self.function}, {self.instruction}: {self.what}"


def parse(text: str) -> list[Function]:
    """All functions of a PTX module that have a body."""
    # Comments become blanks, so that lines keep their numbers.
    text = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    found: list[Function] = []
    place = 0
    while (match := FUNCTION.search(text, place)) is not None:
        start = text.find("{", match.end())
        semicolon = text.find(";", match.end())
        if start < 0 or 0 <= semicolon < start:
            place = match.end()
            continue
        body = _Body(text, start)
        found.append(Function(match[1], body.blocks()))
        place = body.end
    return found


class _Body:
    """Reads the body of a function."""

    def __init__(self, text: str, start: int):
        self.text = text
        self.scopes: list[dict[str, str]] = []
        self.families: list[str] = []
        self.scope_count = 0
        self.end = start
        self.items = list(self._items(start))

    def _items(self, place: int) -> Iterator[Instruction | str]:
        """Instructions, and labels as strings."""
        line, depth = self.text.count("\n", 0, place) + 1, 0
        while True:
            rest = self.text[place : place + 1]
            if rest.isspace():
                line += rest == "\n"
                place += 1
                continue
            if rest == "{":
                depth += 1
                self.scope_count += 1
                self.scopes.append({})
                place += 1
                continue
            if rest == "}":
                depth -= 1
                self.scopes.pop()
                place += 1
                if depth == 0:
                    self.end = place
                    return
                continue
            if (label := LABEL.match(self.text, place)) is not None:
                yield label[1]
                place = label.end()
                continue
            end = self.text.index(";", place)
            statement = self.text[place:end]
            if statement.startswith("."):
                self._declare(statement)
            else:
                yield self._instruction(statement, line)
            line += statement.count("\n")
            place = end + 1

    def _declare(self, statement: str) -> None:
        """Registers of a scope; those of the outermost one are families such as `%r<9>`."""
        words = statement.split(None, 2)
        if words[0] != ".reg":
            return
        for name, count in DECLARED.findall(words[2]):
            if count:
                self.families.append(name)
            else:
                self.scopes[-1][name] = f"{name}@{self.scope_count}"

    def _register(self, word: str) -> str | None:
        for scope in reversed(self.scopes):
            if word in scope:
                return scope[word]
        if word.rstrip("0123456789") in self.families and word[-1].isdigit():
            return word
        return None

    def _registers(self, text: str) -> tuple[str, ...]:
        words = map(self._register, WORD.findall(text))
        return tuple(word for word in words if word is not None)

    def _instruction(self, statement: str, line: int) -> Instruction:
        guard = None
        if (match := GUARD.match(statement)) is not None:
            guard = self._register(match[2])
            statement = statement[match.end() :]
        opcode, _, rest = statement.strip().partition("\t")
        if " " in opcode:
            opcode, _, rest = statement.strip().partition(" ")
        operands = tuple(
            Operand(part, self._registers(part)) for part in split_operands(rest) if part
        )
        return Instruction(line, opcode.strip(), operands, guard)

    def blocks(self) -> list[Block]:
        """Basic blocks with their successors."""
        blocks, labels = [Block()], dict[str, int]()
        for item in self.items:
            if isinstance(item, str):
                if blocks[-1].instructions:
                    blocks.append(Block())
                labels[item] = len(blocks) - 1
                continue
            blocks[-1].instructions.append(item)
            if item.target is not None or item.opcode in LEAVING:
                blocks.append(Block())
        for number, block in enumerate(blocks):
            last = block.instructions[-1] if block.instructions else None
            is_last = number + 1 == len(blocks)
            if last is not None and last.target is not None:
                block.successors.append(labels[last.target])
            block.leaves = is_last or (last is not None and last.opcode in LEAVING)
            goes_on = last is None or last.guard is not None
            if (goes_on or not (block.leaves or block.successors)) and not is_last:
                block.successors.append(number + 1)
        return blocks


def split_operands(text: str) -> Sequence[str]:
    """Parts between commas that are in no brackets."""
    found, depth, start = list[str](), 0, 0
    for place, character in enumerate(text):
        if character in "{[(":
            depth += 1
        elif character in "}])":
            depth -= 1
        elif character == "," and depth == 0:
            found.append(text[start:place].strip())
            start = place + 1
    return [*found, text[start:].strip()]
