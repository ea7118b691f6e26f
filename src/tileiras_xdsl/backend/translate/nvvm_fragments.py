"""Ops of `nvvm` that access fragments: one instruction for each piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentLoadOp,
    FragmentOperation,
    FragmentStoreOp,
)

from .constants import is_number
from .types import (
    Register,
    lanes_of,
    pointer,
    registers_of,
    scalar_bits,
    scalar_type,
    space_of,
)
from .writer import SM_90, FunctionWriter, Table, handles

FRAGMENT_OPS: Final[Table] = {}

CLUSTER_SPACE: Final = 7
SPACES: Final = {0: "", 1: ".global", 3: ".shared", 7: ".shared::cluster"}
CONSTRAINTS: Final = {8: "h", 16: "h", 32: "r", 64: "l"}


class _Pieces:
    """The pieces of a fragment: as they are in memory, and as assembly holds them."""

    def __init__(self, fragment: Attribute, count: int):
        lanes = lanes_of(fragment)
        self.lanes = lanes // count
        self.element = scalar_type(fragment)
        bits = scalar_bits(self.element) * self.lanes
        self.word_bits = scalar_bits(self.element) if scalar_bits(self.element) >= 32 else 32
        if bits < 32:
            self.word_bits = bits
        self.words = bits // self.word_bits
        self.word = f"i{self.word_bits}"
        """What assembly takes and yields; bytes travel in 16 bits."""
        self.word_lanes = max(1, self.word_bits // scalar_bits(self.element))

    @property
    def vector(self) -> str:
        return "" if self.words == 1 else f".v{self.words}"

    @property
    def type(self) -> str:
        """The type of a piece in memory."""
        if self.words == 1:
            return self.word
        return f"<{self.words} x {self.word}>"

    def to_words(self, writer: FunctionWriter, lanes: Sequence[str]) -> list[str]:
        """Words of elements."""
        words: list[str] = []
        register = Register(self.element, self.word_lanes)
        for start in range(0, len(lanes), self.word_lanes):
            text = writer.join(register, lanes[start : start + self.word_lanes])
            words.append(self._to_word(writer, register, text))
        return words

    def _to_word(self, writer: FunctionWriter, register: Register, text: str) -> str:
        if register.element.startswith("ptr"):
            return writer.define(f"ptrtoint {register.element} {text} to {self.word}")
        return writer.cast(register, text, self.word)

    def from_words(
        self, writer: FunctionWriter, held: Sequence[Register], words: Sequence[str]
    ) -> list[str]:
        """The registers of a fragment, from the words of all its pieces."""
        register = Register(self.element, self.word_lanes)
        if register.element.startswith("ptr"):
            return [
                writer.define(f"inttoptr {self.word} {text} to {register.element}")
                for text in words
            ]
        texts = [writer.cast_back(text, register, self.word) for text in words]
        if held[0].lanes == self.word_lanes:
            return texts
        lanes = [lane for text in texts for lane in writer.split(register, text)]
        return writer.group(held, lanes)

    def all_words(self, writer: FunctionWriter, value: SSAValue) -> list[list[str]]:
        """The words of every piece of a fragment."""
        held = registers_of(value.type)
        register = Register(self.element, self.word_lanes)
        if held[0].lanes == self.word_lanes:
            words = [self._to_word(writer, register, text) for text in writer.registers(value)]
        else:
            lanes = writer.lanes(value)
            words = self.to_words(writer, lanes)
        return [words[start : start + self.words] for start in range(0, len(words), self.words)]


def _regular(op: FragmentOperation) -> bool:
    return op.get_semantic() == "weak"


def _require(writer: FunctionWriter, op: FragmentOperation, addresses: Attribute) -> None:
    """Clusters, their memory and their scope, are not everywhere."""
    has_scope = op.scope is not None and op.scope.data == "cluster"
    if has_scope or _space(addresses) == CLUSTER_SPACE:
        writer.require(op, SM_90)


@handles(FRAGMENT_OPS, FragmentLoadOp)
def _load(writer: FunctionWriter, op: FragmentLoadOp) -> None:
    _require(writer, op, op.addresses.type)
    type = op.result.type
    addresses = writer.lanes(op.addresses)
    pieces = _Pieces(type, len(addresses))
    masks = None if op.mask is None else writer.lanes(op.mask)
    others = None if op.other is None else pieces.all_words(writer, op.other)
    space = _space(op.addresses.type)
    loaded: list[str] = []
    for index, address in enumerate(addresses):
        mask = None if masks is None else masks[index]
        other = None if others is None else others[index]
        if mask in ("true", "1", "-1"):
            mask = None
        if mask is None and _regular(op):
            words = _plain_load(writer, op, pieces, space, address)
        else:
            words = _predicated_load(writer, op, pieces, space, address, mask, other)
        loaded.extend(words)
    writer.values[op.result] = pieces.from_words(writer, registers_of(type), loaded)


def _plain_load(
    writer: FunctionWriter, op: FragmentLoadOp, pieces: _Pieces, space: int, address: str
) -> list[str]:
    words = "volatile " if op.volatile_ is not None else ""
    suffix = _alignment(op)
    if op.invariant is not None:
        suffix += f", !invariant.load {writer.module.node('!{}')}"
    text = writer.define(f"load {words}{pieces.type}, {pointer(space)} {address}{suffix}")
    if pieces.words == 1:
        return [text]
    return [
        writer.define(f"extractelement {pieces.type} {text}, i32 {i}") for i in range(pieces.words)
    ]


def _predicated_load(
    writer: FunctionWriter,
    op: FragmentLoadOp,
    pieces: _Pieces,
    space: int,
    address: str,
    mask: str | None,
    other: Sequence[str] | None,
) -> list[str]:
    held = max(16, pieces.word_bits)
    constraint = CONSTRAINTS[held]
    inputs = [_address(writer, space, address)]
    count = pieces.words
    names = [f"${i}" for i in range(count)]
    prefix = ""
    if mask is not None:
        words = ["0"] * count if other is None else other
        words = [_extend(writer, word, pieces.word_bits, held) for word in words]
        inputs.append(("b", "i1", mask))
        inputs.extend((str(i), f"i{held}", word) for i, word in enumerate(words))
        prefix = f"@${count + 1} "
    instruction = f"ld{_order(op, 'ld')}{SPACES[space]}{pieces.vector}.b{pieces.word_bits}"
    target = names[0] if count == 1 else f"{{{', '.join(names)}}}"
    results = writer.assembly(
        f"{prefix}{instruction} {target}, [${count}];",
        [(constraint, f"i{held}")] * count,
        inputs,
    )
    return [_truncate(writer, text, held, pieces.word_bits) for text in results]


@handles(FRAGMENT_OPS, FragmentStoreOp)
def _store(writer: FunctionWriter, op: FragmentStoreOp) -> None:
    _require(writer, op, op.addresses.type)
    addresses = writer.lanes(op.addresses)
    pieces = _Pieces(op.value.type, len(addresses))
    masks = None if op.mask is None else writer.lanes(op.mask)
    space = _space(op.addresses.type)
    all_words = pieces.all_words(writer, op.value)
    for index, (address, words) in enumerate(zip(addresses, all_words, strict=True)):
        mask = None if masks is None else masks[index]
        if mask in ("true", "1", "-1"):
            mask = None
        if mask is None and _regular(op):
            text = words[0]
            if pieces.words > 1:
                text = writer.insert_all(pieces.type, pieces.word, words)
            volatile = "volatile " if op.volatile_ is not None else ""
            writer.emit(
                f"store {volatile}{pieces.type} {text}, {pointer(space)} {address}{_alignment(op)}"
            )
            continue
        held = max(16, pieces.word_bits)
        inputs = [_address(writer, space, address)]
        inputs.extend(
            (CONSTRAINTS[held], f"i{held}", _extend(writer, word, pieces.word_bits, held))
            for word in words
        )
        prefix = ""
        if mask is not None:
            inputs.append(("b", "i1", mask))
            prefix = f"@${len(words) + 1} "
        names = [f"${i + 1}" for i in range(len(words))]
        source = names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"
        instruction = f"st{_order(op, 'st')}{SPACES[space]}{pieces.vector}.b{pieces.word_bits}"
        writer.assembly(f"{prefix}{instruction} [$0], {source};", [], inputs)


def _space(type: Attribute) -> int:
    assert isinstance(type, VectorType)
    return space_of(type.get_element_type())


def _alignment(op: FragmentOperation) -> str:
    return "" if op.alignment is None else f", align {op.alignment.value.data}"


def _order(op: FragmentOperation, word: str) -> str:
    """`.relaxed.gpu`, `.volatile` or nothing."""
    semantic = op.get_semantic()
    if semantic == "weak":
        return ".volatile" if op.volatile_ is not None else ""
    scope = "" if op.scope is None else f".{op.scope.data}"
    return f".{semantic}{scope}"


def _address(writer: FunctionWriter, space: int, address: str) -> tuple[str, str, str]:
    if space in (3, 7):
        return "r", "i32", writer.define(f"ptrtoint {pointer(space)} {address} to i32")
    return "l", pointer(space), address


def _extend(writer: FunctionWriter, text: str, bits: int, held: int) -> str:
    if bits == held or is_number(text):
        return text
    return writer.define(f"zext i{bits} {text} to i{held}")


def _truncate(writer: FunctionWriter, text: str, held: int, bits: int) -> str:
    return text if bits == held else writer.define(f"trunc i{held} {text} to i{bits}")
