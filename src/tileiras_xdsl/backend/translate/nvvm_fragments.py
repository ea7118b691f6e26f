"""Ops of `nvvm` that access fragments: one instruction for each piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.backend.guard import SM_90
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentAtomic,
    FragmentAtomicRMWOp,
    FragmentCmpXchgOp,
    FragmentLoadOp,
    FragmentOperation,
    FragmentStoreOp,
)

from .constants import is_number
from .memory import CONSTRAINTS, INTEGER_INSTRUCTIONS, PTX_SPACES
from .types import (
    FLOAT_NAMES,
    Register,
    lanes_of,
    pointer,
    registers_of,
    scalar_bits,
    scalar_type,
    space_of,
)
from .writer import LlvmFunctionWriter, fail, translates

CLUSTER_SPACE: Final = 7
GLOBAL: Final = 1


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

    def to_words(self, writer: LlvmFunctionWriter, lanes: Sequence[str]) -> list[str]:
        """Words of elements."""
        words: list[str] = []
        register = Register(self.element, self.word_lanes)
        for start in range(0, len(lanes), self.word_lanes):
            text = writer.join(register, lanes[start : start + self.word_lanes])
            words.append(self._to_word(writer, register, text))
        return words

    def _to_word(self, writer: LlvmFunctionWriter, register: Register, text: str) -> str:
        if register.element.startswith("ptr"):
            return writer.define(f"ptrtoint {register.element} {text} to {self.word}")
        return writer.cast(register, text, self.word)

    def from_words(
        self, writer: LlvmFunctionWriter, held: Sequence[Register], words: Sequence[str]
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

    def all_words(self, writer: LlvmFunctionWriter, value: SSAValue) -> list[list[str]]:
        """The words of every piece of a fragment."""
        held = registers_of(value.type)
        register = Register(self.element, self.word_lanes)
        if held[0].lanes == self.word_lanes:
            words = [self._to_word(writer, register, text) for text in writer.values[value]]
        else:
            lanes = writer.lanes(value)
            words = self.to_words(writer, lanes)
        return [words[start : start + self.words] for start in range(0, len(words), self.words)]


def _regular(op: FragmentOperation) -> bool:
    return op.get_semantic() == "weak"


def _require(writer: LlvmFunctionWriter, op: FragmentOperation, addresses: Attribute) -> None:
    """Clusters, their memory and their scope, are not everywhere."""
    has_scope = op.scope is not None and op.scope.data == "cluster"
    if has_scope or _space(addresses) == CLUSTER_SPACE:
        writer.require(op, SM_90)


def _masks(writer: LlvmFunctionWriter, mask: SSAValue | None, count: int) -> Sequence[str | None]:
    """For each piece its predicate, `None` where it is known to be true."""
    if mask is None:
        return [None] * count
    return [None if lane in ("true", "1", "-1") else lane for lane in writer.lanes(mask)]


@translates(FragmentLoadOp)
def _load(writer: LlvmFunctionWriter, op: FragmentLoadOp) -> None:
    _require(writer, op, op.addresses.type)
    ty = op.result.type
    addresses = writer.lanes(op.addresses)
    pieces = _Pieces(ty, len(addresses))
    masks = _masks(writer, op.mask, len(addresses))
    others = None if op.other is None else pieces.all_words(writer, op.other)
    space = _space(op.addresses.type)
    loaded: list[str] = []
    for index, address in enumerate(addresses):
        mask = masks[index]
        other = None if others is None else others[index]
        if mask is None and _regular(op):
            words = _plain_load(writer, op, pieces, space, address)
        else:
            words = _predicated_load(writer, op, pieces, space, address, mask, other)
        loaded.extend(words)
    writer.values[op.result] = pieces.from_words(writer, registers_of(ty), loaded)


def _plain_load(
    writer: LlvmFunctionWriter, op: FragmentLoadOp, pieces: _Pieces, space: int, address: str
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
    writer: LlvmFunctionWriter,
    op: FragmentLoadOp,
    pieces: _Pieces,
    space: int,
    address: str,
    mask: str | None,
    other: Sequence[str] | None,
) -> list[str]:
    held = max(16, pieces.word_bits)
    constraint = CONSTRAINTS[held]
    inputs = [writer.address_in(space, address)]
    count = pieces.words
    names = [f"${i}" for i in range(count)]
    prefix = ""
    if mask is not None:
        words = ["0"] * count if other is None else other
        words = [_extend(writer, word, pieces.word_bits, held) for word in words]
        inputs.append(("b", "i1", mask))
        inputs.extend((str(i), f"i{held}", word) for i, word in enumerate(words))
        prefix = f"@${count + 1} "
    instruction = f"ld{_order(op, 'ld')}{PTX_SPACES[space]}{pieces.vector}.b{pieces.word_bits}"
    target = names[0] if count == 1 else f"{{{', '.join(names)}}}"
    results = writer.assembly(
        f"{prefix}{instruction} {target}, [${count}];",
        [(constraint, f"i{held}")] * count,
        inputs,
    )
    if held == pieces.word_bits:
        return results
    return [writer.define(f"trunc i{held} {text} to {pieces.word}") for text in results]


@translates(FragmentStoreOp)
def _store(writer: LlvmFunctionWriter, op: FragmentStoreOp) -> None:
    _require(writer, op, op.addresses.type)
    addresses = writer.lanes(op.addresses)
    pieces = _Pieces(op.value.type, len(addresses))
    masks = _masks(writer, op.mask, len(addresses))
    space = _space(op.addresses.type)
    all_words = pieces.all_words(writer, op.value)
    for address, mask, words in zip(addresses, masks, all_words, strict=True):
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
        inputs = [writer.address_in(space, address)]
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
        instruction = f"st{_order(op, 'st')}{PTX_SPACES[space]}{pieces.vector}.b{pieces.word_bits}"
        writer.assembly(f"{prefix}{instruction} [$0], {source};", [], inputs)


# Atomics

REDUCTIONS: Final = ("relaxed", "release")
"""The orders in which memory can be changed without being read."""


def _instruction(writer: LlvmFunctionWriter, op: FragmentAtomicRMWOp, element: str) -> str | None:
    """What the GPU has for an atomic, if it has anything."""
    kind, bits = op.bin_op.data, scalar_bits(element)
    if kind in INTEGER_INSTRUCTIONS:
        word, letter = INTEGER_INSTRUCTIONS[kind]
        return f"{word}.{letter}{bits}"
    if kind != "fadd" or (element == "bfloat" and not writer.module.target.machine.meets(SM_90)):
        return None
    return f"add{'.noftz' if bits == 16 else ''}.{FLOAT_NAMES[element]}"


@translates(FragmentAtomicRMWOp)
def _atomicrmw(writer: LlvmFunctionWriter, op: FragmentAtomicRMWOp) -> None:
    element = scalar_type(op.value.type)
    instruction = _instruction(writer, op, element)
    order = _begin_atomics(writer, op)
    space = PTX_SPACES[_space(op.addresses.type)]
    width = lanes_of(op.value.type) // lanes_of(op.addresses.type)
    if width > 1:
        _add_pieces(writer, op, element, width, order)
        return
    reads = op.result is not None or instruction is None or instruction.startswith("exch")
    if not reads and op.get_semantic() in REDUCTIONS:
        template = f"red{order}{space}.{instruction} [$address], $value;"
    elif instruction is not None:
        template = f"atom{order}{space}.{instruction} $old, [$address], $value;"
        reads = True
    else:
        template = _loop(op, element, order, space)
    _each(writer, op, template, {"value": op.value}, None, op.result if reads else None, reads)


def _add_pieces(
    writer: LlvmFunctionWriter, op: FragmentAtomicRMWOp, element: str, width: int, order: str
) -> None:
    """Adds to several neighbours: by one instruction, if the GPU has one."""
    bits = scalar_bits(element)
    space = _space(op.addresses.type)
    if op.get_semantic() not in REDUCTIONS or bits == 64 or space != GLOBAL:
        fail(op, "cannot add to several elements at once")
    share = 32 // bits
    suffix = f"noftz.{FLOAT_NAMES[element]}x2" if share == 2 else FLOAT_NAMES[element]
    words = width // share
    if words > 1:
        writer.require(op, SM_90)
        suffix = suffix.replace("noftz.", f"noftz.v{words}.") if share == 2 else f"v{words}.f32"
    if element == "bfloat":
        writer.require(op, SM_90)
    masks = None if op.mask is None else writer.lanes(op.mask)
    lanes, register = writer.lanes(op.value), Register(element, share)
    for index, address in enumerate(writer.lanes(op.addresses)):
        inputs = [writer.address_in(space, address)]
        for start in range(index * width, (index + 1) * width, share):
            text = writer.join(register, lanes[start : start + share])
            inputs.append(("r", "i32", writer.cast(register, text, "i32")))
        names = ", ".join(f"${number + 1}" for number in range(words))
        prefix = ""
        if masks is not None:
            inputs.append(("b", "i1", masks[index]))
            prefix = f"@${words + 1} "
        value = f"{{{names}}}" if words > 1 else names
        text = f"{prefix}red{order}{PTX_SPACES[space]}.add.{suffix} [$0], {value};"
        writer.assembly(text, [], inputs, clobbers_memory=True)


def _loop(op: FragmentAtomicRMWOp, element: str, order: str, space: str) -> str:
    """Tries to replace what is there by its combination with a value until that succeeds."""
    bits, kind = scalar_bits(element), op.bin_op.data
    registers = f".reg .b{bits} seen, new, last;"
    if kind == "fadd":
        # Only a bf16 comes here: its sum, rounded twice, is as if it was rounded once.
        registers += " .reg .b16 none; .reg .b32 x, y;"
        combine = (
            "mov.b16 none, 0; mov.b32 x, {none, seen}; mov.b32 y, {none, $value}; "
            "add.rn.f32 x, x, y; cvt.rn.bf16.f32 new, x;"
        )
    else:
        combine = f"{kind[1:]}.{FLOAT_NAMES[element]} new, seen, $value;"
    is_relaxed = op.get_semantic() == "relaxed"
    scope = "gpu" if op.scope is None else op.scope.data
    leave = f"setp.eq.b{bits} same, new, seen; @same bra FOUND; " if is_relaxed else ""
    return (
        f"{{ .reg .pred same; {registers} "
        f"ld.relaxed.{scope}{space}.b{bits} seen, [$address]; "
        f"AGAIN: {combine} {leave}mov.b{bits} last, seen; "
        f"atom{order}{space}.cas.b{bits} seen, [$address], last, new; "
        f"setp.ne.b{bits} same, seen, last; @same bra AGAIN; "
        f"FOUND: mov.b{bits} $old, seen; }}"
    )


@translates(FragmentCmpXchgOp)
def _cmpxchg(writer: LlvmFunctionWriter, op: FragmentCmpXchgOp) -> None:
    bits = scalar_bits(scalar_type(op.value.type))
    order, space = _begin_atomics(writer, op), PTX_SPACES[_space(op.addresses.type)]
    template = f"atom{order}{space}.cas.b{bits} $old, [$address], $compare, $value;"
    operands = {"compare": op.compare, "value": op.value}
    _each(writer, op, template, operands, op.compare, op.result, reads=True)


def _begin_atomics(writer: LlvmFunctionWriter, op: FragmentAtomic) -> str:
    """`.acq_rel.gpu`, after what an order needs before it."""
    scope = "gpu" if op.scope is None else op.scope.data
    if scope == "cluster":
        writer.require(op, SM_90)
    semantic = op.get_semantic()
    if semantic == "seq_cst":
        writer.assembly(f"fence.sc.{scope};", [], [], clobbers_memory=True)
        semantic = "acq_rel"
    return f".{semantic}.{scope}"


def _each(
    writer: LlvmFunctionWriter,
    op: FragmentAtomicRMWOp | FragmentCmpXchgOp,
    template: str,
    operands: dict[str, SSAValue],
    fallback: SSAValue | None,
    result: SSAValue | None,
    reads: bool,
) -> None:
    """
    Assembly for each element. The template has names for what an element has; where the mask is
    false, the result is the fallback, or 0.
    """
    space = _space(op.addresses.type)
    element = scalar_type(op.value.type)
    bits = scalar_bits(element)
    word, constraint, register = f"i{bits}", CONSTRAINTS[bits], Register(element)
    masks = _masks(writer, op.mask, lanes_of(op.addresses.type))
    texts = {name: writer.lanes(value) for name, value in operands.items()}
    fallbacks = None if fallback is None else writer.lanes(fallback)
    found: list[str] = []
    for index, address in enumerate(writer.lanes(op.addresses)):
        inputs = [("address", writer.address_in(space, address))]
        for name, lanes in texts.items():
            inputs.append((name, (constraint, word, writer.cast(register, lanes[index], word))))
        mask = masks[index]
        if mask is not None:
            inputs.append(("mask", ("b", "i1", mask)))
            if reads:
                other = "0"
                if fallbacks is not None:
                    other = writer.cast(register, fallbacks[index], word)
                inputs.append(("other", ("0", word, other)))
        text = template if mask is None else _predicated(template)
        for number, (name, _) in enumerate(inputs):
            text = text.replace(f"${name}", f"${number + reads}")
        (old,) = writer.assembly(
            text.replace("$old", "$0"),
            [(constraint, word)] if reads else [],
            [each for _, each in inputs],
            clobbers_memory=True,
        ) or [""]
        if result is not None:
            found.append(writer.cast_back(old, register, word))
    if result is not None:
        writer.values[result] = writer.group(registers_of(result.type), found)


def _predicated(template: str) -> str:
    """Assembly that does nothing where the mask is false."""
    if not template.startswith("{"):
        return f"@$mask {template}"
    return f"{{ @!$mask bra SKIP; {template} SKIP: }}"


def _space(ty: Attribute) -> int:
    assert isinstance(ty, VectorType)
    return space_of(ty.get_element_type())


def _alignment(op: FragmentOperation) -> str:
    return "" if op.alignment is None else f", align {op.alignment.value.data}"


def _order(op: FragmentOperation, word: str) -> str:
    """`.relaxed.gpu`, `.volatile` or nothing."""
    semantic = op.get_semantic()
    if semantic == "weak":
        return ".volatile" if op.volatile_ is not None else ""
    scope = "" if op.scope is None else f".{op.scope.data}"
    return f".{semantic}{scope}"


def _extend(writer: LlvmFunctionWriter, text: str, bits: int, held: int) -> str:
    if bits == held or is_number(text):
        return text
    return writer.define(f"zext i{bits} {text} to i{held}")
