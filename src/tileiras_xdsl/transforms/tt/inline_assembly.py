"""
Inline assembly, instruction by instruction, for all elements at once.

    tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", …} %x : …
    →
    cuda_tile.shli %x, 3 : tile<8xi32>

Instructions stand in one line of control, with predicates or without. A register keeps the type
that was written to it; its bits are read as the type of the instruction that reads it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import IntegerType, bf16, f16, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import tt
from tileiras_xdsl.dialects.cuda_tile import (
    ComparisonOrdering,
    ComparisonPredicate,
    Rounding,
    Signedness,
)
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.cuda_tile.types import TileType, is_float

from .arithmetic import RELATIONS, copy_sign, make_reciprocal, make_rint, make_trunc
from .emitter import Emitter, Results, rule
from .memory import convert_launch, convert_wait
from .shapes import join_packs, lanes_of, split_packs

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_GUARDED: Final = re.compile(r"(?:@(!?)(\S+)\s+)?(\S+)\s*(.*)", re.DOTALL)
_OPERAND: Final = re.compile(r"\{[^}]*\}|[^\s,{][^,]*")
_FLOATS: Final = {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64}
_WIDTHS: Final = {"r": 32, "f": 32, "l": 64, "d": 64, "h": 16}
"""Bits of a register, by its constraint."""
_GRID: Final = {
    "griddepcontrol.wait": convert_wait,
    "griddepcontrol.launch_dependents": convert_launch,
}

_FLOAT_OPS: Final[Mapping[str, type[Operation]]] = {
    "abs": ct.AbsFOp,
    "add": ct.AddFOp,
    "cos": ct.CosOp,
    "div": ct.DivFOp,
    "ex2": ct.Exp2Op,
    "fma": ct.FmaOp,
    "lg2": ct.Log2Op,
    "mad": ct.FmaOp,
    "max": ct.MaxFOp,
    "min": ct.MinFOp,
    "mul": ct.MulFOp,
    "neg": ct.NegFOp,
    "rsqrt": ct.RsqrtOp,
    "sin": ct.SinOp,
    "sqrt": ct.SqrtOp,
    "sub": ct.SubFOp,
    "tanh": ct.TanHOp,
}
_INTEGER_OPS: Final[Mapping[str, type[Operation]]] = {
    "abs": ct.AbsIOp,
    "add": ct.AddIOp,
    "and": ct.AndIOp,
    "neg": ct.NegIOp,
    "or": ct.OrIOp,
    "sub": ct.SubIOp,
    "xor": ct.XOrIOp,
}
_SIGNED_OPS: Final[Mapping[str, type[Operation]]] = {
    "div": ct.DivIOp,
    "max": ct.MaxIOp,
    "min": ct.MinIOp,
    "rem": ct.RemIOp,
    "shr": ct.ShRIOp,
}
_FLOAT_WORDS: Final = {"rn", "approx", "full", "ftz", "NaN"}
"""How floats are computed: what is approximate there may be exact here."""
_WORDS: Final[Mapping[str, set[str]]] = {
    "mul": {"lo", "hi"},
    "mad": {"lo", "hi"},
    "shf": {"l", "r", "clamp", "wrap"},
}
"""What instructions on integers may have before their types."""
_RELATIONS: Final = {**RELATIONS, "eq": RELATIONS["e"], "ne": RELATIONS["n"]}
_UNSIGNED: Final = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def element_of(word: str) -> Attribute | None:
    """The type that the suffix of an instruction names."""
    if word == "pred":
        return i1
    if re.fullmatch(r"[sub](8|16|32|64)", word):
        return IntegerType(int(word[1:]))
    return _FLOATS.get(word)


def names_in(operand: str) -> list[str]:
    """The registers of an operand: of `{a, b}` two."""
    return [name.strip() for name in operand.strip("{}").split(",")]


class Assembly:
    """Runs instructions on tiles of one shape."""

    def __init__(self, emitter: Emitter, shape: Sequence[int], registers: dict[str, SSAValue]):
        self.emitter = emitter
        self.shape = tuple(shape)
        self.registers = registers

    def run(self, text: str) -> None:
        """Runs all instructions; what is declared has no type before it is written."""
        for line in _COMMENT.sub("", text).split(";"):
            line = line.lstrip("{} \t\n").rstrip()
            if line and not line.startswith(".reg"):
                self.run_line(line)

    def run_line(self, line: str) -> None:
        """Runs an instruction, where its predicate holds."""
        match = _GUARDED.fullmatch(line)
        assert match is not None
        negated, guard, opcode, rest = match.groups()
        target, *operands = (each.strip() for each in _OPERAND.findall(rest) or [""])
        name, *words = opcode.split(".")
        try:
            value = self.compute(opcode, name, words, operands)
        except (IndexError, TypeError, ValueError):
            self.emitter.fail(f"has no conversion for '{line}'")
        targets = names_in(target)
        bits = element_bit_width(self.element(value)) // len(targets)
        parts = self.split(value, bits, len(targets))
        predicate = None if guard is None else self.read(guard, i1)
        for each, part in zip(targets, parts, strict=True):
            new = self.cast(part, IntegerType(bits)) if len(targets) > 1 else part
            if predicate is not None and (old := self.registers.get(each)) is not None:
                old = self.cast(old, self.element(new))
                new = self.emitter.select(predicate, *((old, new) if negated else (new, old)))
            self.registers[each] = new

    def element(self, value: SSAValue) -> Attribute:
        return self.emitter.tile(value).element_type

    def constant(self, element: Attribute, number: float) -> SSAValue:
        return self.emitter.constant(TileType(element, self.shape), number)

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """The bits of a value as another type; of integers, the low ones, or zeros above them."""
        emitter, ty = self.emitter, self.emitter.tile(value)
        if ty.element_type == element:
            return value
        have, wanted = element_bit_width(ty.element_type), element_bit_width(element)
        if have != wanted:
            value = self.cast(value, IntegerType(have))
            wide = ty.with_element(IntegerType(wanted))
            if have > wanted:
                value = emitter.one(ct.TruncIOp(value, wide))
            else:
                value = emitter.one(ct.ExtIOp(value, wide, signedness=Signedness.UNSIGNED))
            return self.cast(value, element)
        return emitter.one(ct.BitcastOp(value, ty.with_element(element)))

    def join(self, parts: Sequence[SSAValue], bits: int, width: int) -> SSAValue:
        """A register of parts of so many bits, the first one in the low bits."""
        if bits == width:
            return parts[0]
        found, *rest = (self.cast(part, IntegerType(width)) for part in parts)
        for place, part in enumerate(rest, 1):
            moved = self.emitter.one(ct.ShLIOp(part, self.emitter.like(part, place * bits)))
            found = self.emitter.one(ct.OrIOp(found, moved))
        return found

    def split(self, register: SSAValue, bits: int, count: int) -> list[SSAValue]:
        """What has the parts of a register in its low bits."""
        if count == 1:
            return [register]
        whole = self.cast(register, IntegerType(element_bit_width(self.element(register))))
        places = (str(place * bits) for place in range(1, count))
        return [register, *(self.shift("shr", whole, x, Signedness.UNSIGNED) for x in places)]

    def read(self, operand: str, element: Attribute) -> SSAValue:
        """An operand: a register, several that are its parts, or a number."""
        if operand.startswith("{"):
            names, width = names_in(operand), element_bit_width(element)
            bits = width // len(names)
            parts = [self.read(name, IntegerType(bits)) for name in names]
            return self.cast(self.join(parts, bits, width), element)
        if operand in self.registers:
            return self.cast(self.registers[operand], element)
        if operand.startswith("!") and operand[1:] in self.registers:
            true = self.constant(i1, 1)
            return self.emitter.one(ct.XOrIOp(self.read(operand[1:], i1), true))
        try:
            if (prefix := operand[:2].lower()) in ("0f", "0d"):
                code = "!f" if prefix == "0f" else "!d"
                (number,) = struct.unpack(code, bytes.fromhex(operand[2:]))
            elif isinstance(element, IntegerType):
                number = int(operand.removesuffix("U"), 0) & ((1 << element.width.data) - 1)
            else:
                number = float(operand)
        except (ValueError, struct.error):
            self.emitter.fail(f"has no conversion for the operand '{operand}'")
        return self.constant(element, number)

    def compute(
        self, opcode: str, name: str, words: Sequence[str], operands: Sequence[str]
    ) -> SSAValue:
        """The result of an instruction."""
        emitter, last = self.emitter, words[-1] if words else ""
        if last.endswith("x2"):
            return self.compute_halves(opcode.removesuffix("x2"), name, words, operands)
        element = element_of(last)
        if element is None:
            emitter.fail(f"has no conversion for the instruction '{opcode}'")
        signedness = Signedness.SIGNED if last[0] == "s" else Signedness.UNSIGNED
        if name == "cvt":
            return self.convert(opcode, words, self.read(operands[0], element), signedness)
        if name in ("setp", "set"):
            return self.compare(opcode, words, [self.read(each, element) for each in operands])
        known = _FLOAT_WORDS if is_float(element) else _WORDS.get(name, set())
        if not known.issuperset(words[:-1]):
            emitter.fail(f"has no conversion for the instruction '{opcode}'")
        if name == "selp":
            sides = [self.read(each, element) for each in operands[:2]]
            return emitter.select(self.read(operands[2], i1), *sides)
        if name in ("shl", "shr"):
            return self.shift(name, self.read(operands[0], element), operands[1], signedness)
        if name in ("shf", "lop3", "prmt"):
            special = {"shf": self.funnel, "lop3": self.look_up, "prmt": self.permute}[name]
            return special(words, operands)
        values = [self.read(each, element) for each in operands]
        made: type[Operation] | None
        if name == "mov":
            return values[0]
        if is_float(element):
            return self.compute_float(opcode, name, words, values)
        if name == "not":
            return emitter.one(ct.XOrIOp(values[0], emitter.like(values[0], -1)))
        if name in ("mul", "mad"):
            high = "hi" in words
            if high and signedness == Signedness.SIGNED:
                emitter.fail(f"has no conversion for the instruction '{opcode}'")
            product = emitter.one((ct.MulhiIOp if high else ct.MulIOp)(*values[:2]))
            return product if name == "mul" else emitter.one(ct.AddIOp(product, values[2]))
        if (made := _SIGNED_OPS.get(name)) is not None:
            return emitter.one(made(*values, signedness=signedness))  # pyright: ignore[reportCallIssue]
        if (made := _INTEGER_OPS.get(name)) is not None:
            return emitter.one(made(*values))
        emitter.fail(f"has no conversion for the instruction '{opcode}'")

    def compute_float(
        self, opcode: str, name: str, words: Sequence[str], values: Sequence[SSAValue]
    ) -> SSAValue:
        """The same of floats."""
        emitter = self.emitter
        if name == "rcp":
            return make_reciprocal(emitter, values[0])
        if name == "copysign":
            return copy_sign(emitter, values[1], values[0])
        made = _FLOAT_OPS.get(name)
        if made is None:
            emitter.fail(f"has no conversion for the instruction '{opcode}'")
        if "NaN" in words:
            extremum = ct.MaxFOp if name == "max" else ct.MinFOp
            return emitter.one(extremum(*values, propagate_nan=True))
        return emitter.one(made(*values))

    def compute_halves(
        self, opcode: str, name: str, words: Sequence[str], operands: Sequence[str]
    ) -> SSAValue:
        """The result of an instruction for both halves of registers."""
        emitter, outer = self.emitter, self.registers
        words = (*words[:-1], words[-1].removesuffix("x2"))
        half = element_of(words[-1])
        if half is None or element_bit_width(half) != 16:
            emitter.fail(f"has no conversion for the instruction '{opcode}x2'")
        whole = [self.read(each, i32) for each in operands]
        parts: list[SSAValue] = []
        for offset in (0, 16):
            shifted = [self.shift("shr", each, str(offset), Signedness.UNSIGNED) for each in whole]
            halves = {f"%{k}": self.cast(each, IntegerType(16)) for k, each in enumerate(shifted)}
            self.registers = halves
            parts.append(self.cast(self.compute(opcode, name, words, list(halves)), i32))
        self.registers = outer
        high = self.shift("shl", parts[1], "16", Signedness.UNSIGNED)
        return emitter.one(ct.OrIOp(parts[0], high))

    def convert(
        self, opcode: str, words: Sequence[str], value: SSAValue, signedness: Signedness
    ) -> SSAValue:
        """`cvt`: the type of the result is before that of the operand."""
        emitter = self.emitter
        element = element_of(words[-2])
        modes = set(words[:-2])
        if element is None or modes - {"rn", "rz", "rni", "rzi", "ftz"}:
            emitter.fail(f"has no conversion for the instruction '{opcode}'")
        ty = emitter.tile(value).with_element(element)
        to_float, from_float = is_float(element), is_float(self.element(value))
        if from_float and to_float:
            narrows = element_bit_width(element) < element_bit_width(self.element(value))
            rounding = Rounding.ZERO if "rz" in modes and narrows else Rounding.NEAREST_EVEN
            return emitter.one(ct.FToFOp(value, ty, rounding_mode=rounding))
        if from_float:
            value = (make_rint if "rni" in modes else make_trunc)(emitter, value)
            signed = Signedness.SIGNED if words[-2][0] == "s" else Signedness.UNSIGNED
            return emitter.one(ct.FToIOp(value, ty, signedness=signed))
        if to_float and "rz" not in modes:
            mode = Rounding.NEAREST_EVEN
            return emitter.one(ct.IToFOp(value, ty, signedness=signedness, rounding_mode=mode))
        if to_float:
            emitter.fail(f"has no conversion for the instruction '{opcode}'")
        signed = signedness == Signedness.SIGNED
        return self.cast(emitter.extend(value, element_bit_width(element), signed=signed), element)

    def compare(self, opcode: str, words: Sequence[str], values: Sequence[SSAValue]) -> SSAValue:
        """A predicate."""
        word, last = words[0], words[-1]
        is_signed = last[0] == "s" and word not in _UNSIGNED
        word = _UNSIGNED.get(word, word)
        ordering = ComparisonOrdering.ORDERED
        if is_float(self.element(values[0])) and word.endswith("u"):
            word, ordering = word[:-1], ComparisonOrdering.UNORDERED
        relation: ComparisonPredicate | None = _RELATIONS.get(word)
        if relation is None or len(values) != 2 or words[1:-1] not in ([], ["ftz"]):
            self.emitter.fail(f"has no conversion for the instruction '{opcode}'")
        if ordering == ComparisonOrdering.ORDERED:
            return self.emitter.compare(relation, *values, signed=is_signed)
        return self.emitter.one(
            ct.CmpFOp(*values, comparison_predicate=relation, comparison_ordering=ordering)
        )

    def shift(self, name: str, value: SSAValue, amount: str, signedness: Signedness) -> SSAValue:
        """A shift by any amount: beyond the width, all bits are shifted out."""
        emitter, element = self.emitter, self.element(value)
        bits = element_bit_width(element)
        count = self.cast(self.read(amount, i32), element)
        limit = emitter.like(count, bits - 1)
        within = emitter.one(ct.MinIOp(count, limit, signedness=Signedness.UNSIGNED))
        if name == "shl":
            shifted = emitter.one(ct.ShLIOp(value, within))
        else:
            shifted = emitter.one(ct.ShRIOp(value, within, signedness=signedness))
            if signedness == Signedness.SIGNED:
                return shifted
        fits = emitter.compare(ComparisonPredicate.LESS_THAN_OR_EQUAL, count, limit, signed=False)
        return emitter.select(fits, shifted, emitter.like(shifted, 0))

    def funnel(self, words: Sequence[str], operands: Sequence[str]) -> SSAValue:
        """`shf`: a part of two registers in a row, the lower one first."""
        emitter = self.emitter
        low, high, count = (self.read(each, i32) for each in operands)
        if "wrap" in words:
            count = emitter.one(ct.AndIOp(count, emitter.like(count, 31)))
        else:
            limit = emitter.like(count, 32)
            count = emitter.one(ct.MinIOp(count, limit, signedness=Signedness.UNSIGNED))
        count = self.cast(count, i64)
        upper = emitter.one(ct.ShLIOp(self.cast(high, i64), emitter.like(count, 32)))
        both = emitter.one(ct.OrIOp(upper, self.cast(low, i64)))
        if words[0] == "l":
            moved = emitter.one(ct.ShLIOp(both, count))
            count = emitter.like(count, 32)
            both = moved
        return self.cast(emitter.one(ct.ShRIOp(both, count, signedness=Signedness.UNSIGNED)), i32)

    def look_up(self, words: Sequence[str], operands: Sequence[str]) -> SSAValue:
        """`lop3`: for each bit, what a table has for the bits of three operands."""
        emitter = self.emitter
        values = [self.read(each, i32) for each in operands[:3]]
        table = self.immediate(operands[3])
        ones = emitter.like(values[0], -1)
        inverse = [emitter.one(ct.XOrIOp(each, ones)) for each in values]
        found = emitter.like(values[0], 0)
        for row in range(8):
            if table >> row & 1:
                sides = [values[k] if row >> (2 - k) & 1 else inverse[k] for k in range(3)]
                found = emitter.one(ct.OrIOp(found, emitter.all_of(sides)))
        return found

    def permute(self, words: Sequence[str], operands: Sequence[str]) -> SSAValue:
        """`prmt`: bytes of two registers, by a number that is known."""
        emitter = self.emitter
        values = [self.read(each, i32) for each in operands[:2]]
        selector = self.immediate(operands[2])
        found = emitter.like(values[0], 0)
        unsigned = Signedness.UNSIGNED
        for index in range(4):
            nibble = selector >> (4 * index) & 15
            source, place = values[nibble >> 2 & 1], 8 * (nibble & 3)
            if nibble & 8:  # All bits are the sign of the byte.
                moved = self.shift("shl", source, str(24 - place), unsigned)
                byte = self.shift("shr", moved, "31", Signedness.SIGNED)
            else:
                byte = self.shift("shr", source, str(place), unsigned)
            byte = emitter.one(ct.AndIOp(byte, emitter.like(byte, 255)))
            byte = self.shift("shl", byte, str(8 * index), unsigned)
            found = emitter.one(ct.OrIOp(found, byte))
        return found

    def immediate(self, operand: str) -> int:
        try:
            return int(operand, 0)
        except ValueError:
            self.emitter.fail(f"has no conversion for the operand '{operand}', which is no number")


@dataclass(frozen=True)
class Held:
    """How registers hold the packs of a value."""

    names: Sequence[str]
    element: Attribute
    width: int
    """Bits of a register."""
    each: int
    """Elements of a register."""

    @property
    def bits(self) -> int:
        """Bits of an element."""
        return element_bit_width(self.element)

    def join(self, machine: Assembly, parts: Sequence[SSAValue]) -> None:
        """Has the registers hold the elements of packs, the first one in the low bits."""
        for index, name in enumerate(self.names):
            held = parts[index * self.each : (index + 1) * self.each]
            machine.registers[name] = machine.join(held, self.bits, self.width)

    def split(self, machine: Assembly) -> list[SSAValue]:
        """The elements of packs."""
        parts: list[SSAValue] = []
        for name in self.names:
            if name not in machine.registers:
                machine.emitter.fail(f"has no instruction that writes '{name}'")
            held = machine.split(machine.registers[name], self.bits, self.each)
            parts += (machine.cast(part, self.element) for part in held)
        return parts


@rule("tt.elementwise_inline_asm")
def convert_assembly(emitter: Emitter, op: tt.ElementwiseInlineAsmOp) -> Results:
    """
    The instructions for all elements at once, or for the first, second, … of all packs; elements of
    few bits share registers.
    """
    text = op.asm_string.data
    instruction = _COMMENT.sub("", text).strip().rstrip(";").strip()
    if (grid := _GRID.get(instruction)) is not None:
        grid(emitter, op)
        return [emitter.constant(emitter.type(each.type), 0) for each in op.results]
    pack = op.packed_element.value.data
    words = [word.strip().lstrip("=&") for word in op.constraints.data.split(",")]
    if not set(words) <= set(_WIDTHS):
        emitter.fail(f"has no conversion for the constraints '{op.constraints.data}'")
    values: list[Held] = []
    at = 0
    for value in (*op.results, *op.args):
        element = emitter.type(value.type).element_type
        width = _WIDTHS[words[at]]
        each = min(max(width // element_bit_width(element), 1), pack)
        count = pack // each
        values.append(Held([f"${at + k}" for k in range(count)], element, width, each))
        at += count
    shape = tt.shape_of(op.results[0].type)
    machine = Assembly(emitter, lanes_of(emitter, shape, pack), {})
    for held, value in zip(values[len(op.results) :], emitter.list_values(op.args), strict=True):
        held.join(machine, split_packs(emitter, value, pack))
    machine.run(text)
    return [join_packs(emitter, held.split(machine), shape) for held in values[: len(op.results)]]
