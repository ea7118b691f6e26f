"""Writes the text of one function: names, registers, calls, inline assembly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NoReturn

from typing_extensions import TypeVar
from xdsl.dialects.builtin import VectorType, i32
from xdsl.dialects.llvm import TruncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.guard import Requirement

from .constants import escape, group, is_bit, is_number, symbol, zero
from .types import (
    Register,
    are_vectors_whole,
    lanes_in_register,
    lanes_of,
    name_of,
    native_type,
    pointer,
    registers_of,
    scalar_type,
    space_of,
    vector_of,
)

if TYPE_CHECKING:
    from .module_writer import LlvmModuleWriter

OpT = TypeVar("OpT", bound=Operation)
Handler = Callable[["LlvmFunctionWriter", Any], None]
NameOf = Callable[["LlvmFunctionWriter", Any], str]
Lane = tuple[SSAValue, int] | None
"""An element of a vector, or any value."""

NVVM: Final = "llvm.nvvm."

OPS: Final[dict[str, Handler]] = {}
"""The translation of each op, by its name; modules of ops add theirs."""

STATIC_INSTRUCTIONS: Final = (
    *("getelementptr ", "ptrtoint ", "inttoptr ", "addrspacecast ", "zext ", "sext ", "trunc "),
    *("add ", "sub ", "mul ", "and ", "or ", "xor ", "shl ", "lshr "),
)
"""What addresses and descriptors in shared memory are made of."""


def translates(
    *op_types: type[OpT], needs: Requirement | None = None
) -> Callable[
    [Callable[[LlvmFunctionWriter, OpT], None]], Callable[[LlvmFunctionWriter, OpT], None]
]:
    """Registers the translation of some ops, which not all architectures may have."""

    def register(
        handler: Callable[[LlvmFunctionWriter, OpT], None],
    ) -> Callable[[LlvmFunctionWriter, OpT], None]:
        def handle(writer: LlvmFunctionWriter, op: OpT) -> None:
            if needs is not None:
                writer.require(op, needs)
            handler(writer, op)

        registered = handler if needs is None else handle
        OPS.update((op_type.name, registered) for op_type in op_types)
        return handler

    return register


def calls(
    op_type: type[Operation],
    name: str | NameOf,
    needs: Requirement | None = None,
    *,
    number: Callable[[Any], int] | None = None,
) -> None:
    """
    Registers an op that is one intrinsic, of its operands and result as they are. `name` comes
    after `llvm.nvvm.`, or is what makes that of the op; `number` is what follows its operands.
    """

    @translates(op_type, needs=needs)
    def _(writer: LlvmFunctionWriter, op: Operation) -> None:
        full = f"{NVVM}{name if isinstance(name, str) else name(writer, op)}"
        arguments = [(scalar_type(value.type), writer.scalar(value)) for value in op.operands]
        if number is not None:
            arguments.append(("i32", str(number(op))))
        result = native_type(op.results[0].type) if op.results else "void"
        text = writer.call(full, result, arguments)
        if op.results:
            writer.set_packed(op.results[0], text)


class TranslationError(BackendError):
    """An error that knows its op."""


def fail(op: Operation, message: str) -> NoReturn:
    """One error that names an op and knows its place."""
    op.emit_error(message, TranslationError(message))


@dataclass(eq=False)
class LlvmFunctionWriter:
    """
    A function that is being written. `values` has the registers of every value that was defined:
    names, or constants as they are written.
    """

    module: LlvmModuleWriter
    lines: list[str] = field(default_factory=list[str])
    values: dict[SSAValue, Sequence[str]] = field(default_factory=dict[SSAValue, "Sequence[str]"])
    edges: dict[Block, list[tuple[str, Sequence[SSAValue]]]] = field(
        default_factory=dict[Block, list[tuple[str, "Sequence[SSAValue]"]]]
    )
    """For each block, the labels that lead to it and what they pass."""
    labels: dict[Block, str] = field(default_factory=dict[Block, str])
    label: str = ""
    """The block that is being written."""
    debug: str = ""
    """What ends each line, where debug information is asked for."""
    count: int = 0
    """Of names."""
    cta_group: int | None = None
    """CTAs that operations on tensor memory are of, from the first one on."""
    hoisted: dict[str, str] = field(default_factory=dict[str, str])
    """Names by what is computed at the start of the function, in this order."""
    static: set[str] = field(default_factory=set[str])
    """These names."""

    # Text

    def name(self) -> str:
        """A new name."""
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append(f"  {text}{self.debug}")

    def define(self, text: str) -> str:
        """An instruction with a result; returns its name."""
        name = self.name()
        self.lines.append(f"  {name} = {text}{self.debug}")
        return name

    def compute(self, text: str, operands: Iterable[str]) -> str:
        """
        An instruction without effects on scalars; returns its name. What is computed of addresses
        of symbols and numbers alone is computed once, at the start of the function, if so wanted.
        """
        if not self.module.hoists or not text.startswith(STATIC_INSTRUCTIONS):
            return self.define(text)
        if not all(text[0] != "%" or text in self.static for text in operands):
            return self.define(text)
        name = self.hoisted.get(text)
        if name is None:
            name = self.hoisted[text] = self.name()
            self.static.add(name)
        return name

    def require(self, op: Operation, requirement: Requirement, instruction: str = "") -> None:
        """Refuses an op that the architecture does not have, or what an op would need."""
        target = self.module.target
        if not target.machine.meets(requirement):
            what = f" for {instruction}" if instruction else ""
            fail(op, f"'{op.name}' needs {requirement}{what}, the target is {target}")

    # Values

    def scalar(self, value: SSAValue) -> str:
        """The one register of a value."""
        (register,) = self.values[value]
        return register

    def typed(self, value: SSAValue) -> str:
        """A value as one of LLVM's, with its type: `float %v1`."""
        return f"{native_type(value.type)} {self.packed(value)}"

    def typed_registers(self, value: SSAValue) -> Iterator[tuple[Register, str]]:
        """The registers of a value, and what they are."""
        return zip(registers_of(value.type), self.values[value], strict=True)

    def packed(self, value: SSAValue) -> str:
        """A value as one of LLVM's."""
        return self.pack(value.type, self.values[value])

    def set(self, value: SSAValue, *registers: str) -> None:
        """Defines a value by its registers."""
        self.values[value] = registers

    def set_packed(self, value: SSAValue, text: str) -> None:
        """Defines a value by one of LLVM's."""
        self.values[value] = self.unpack(value.type, text)

    def constant(self, op: Operation, value: SSAValue, what: str) -> int:
        """The number that a value is, which the instruction needs to know."""
        text = self.scalar(value)
        if not is_number(text):
            fail(op, f"{what} of '{op.name}' must be a constant")
        return int(text)

    # Vectors and aggregates

    def pack(self, ty: Attribute, registers: Sequence[str]) -> str:
        """Registers as one value of LLVM."""
        held = registers_of(ty)
        native = native_type(ty)
        if isinstance(ty, VectorType):
            if len(held) == 1 and held[0].lanes > 1:
                return registers[0]
            if len(held) > 1 and all(each.bits == 32 and each.lanes > 1 for each in held):
                words = [self.cast(each, text, "i32") for each, text in zip(held, registers)]
                text = self.insert_all(f"<{len(held)} x i32>", "i32", words)
                return self.define(f"bitcast <{len(held)} x i32> {text} to {native}")
            lanes = [
                lane
                for each, text in zip(held, registers, strict=True)
                for lane in self.split(each, text)
            ]
            return self.insert_all(native, scalar_type(ty), lanes)
        if native[0] not in "{[":
            return registers[0]
        text = "poison"
        for path, start, part in _leaves(ty):
            inner = self.pack(part, registers[start : start + len(registers_of(part))])
            text = self.define(
                f"insertvalue {native} {text}, {native_type(part)} {inner}, "
                f"{', '.join(map(str, path))}"
            )
        return text

    def unpack(self, ty: Attribute, text: str) -> Sequence[str]:
        """The registers of one value of LLVM."""
        held = registers_of(ty)
        native = native_type(ty)
        if isinstance(ty, VectorType):
            if len(held) == 1 and held[0].lanes > 1:
                return (text,)
            if len(held) > 1 and all(each.bits == 32 and each.lanes > 1 for each in held):
                words = f"<{len(held)} x i32>"
                text = self.define(f"bitcast {native} {text} to {words}")
                return [
                    self.cast_back(self.define(f"extractelement {words} {text}, i32 {i}"), each)
                    for i, each in enumerate(held)
                ]
            lanes = [
                self.define(f"extractelement {native} {text}, i32 {i}") for i in range(lanes_of(ty))
            ]
            return self.group(held, lanes)
        if native[0] not in "{[":
            return (text,)
        registers: list[str] = []
        for path, _, part in _leaves(ty):
            inner = self.define(f"extractvalue {native} {text}, {', '.join(map(str, path))}")
            registers.extend(self.unpack(part, inner))
        return registers

    def insert_all(self, ty: str, element: str, lanes: Sequence[str]) -> str:
        """A vector of these lanes."""
        text = "poison"
        for index, lane in enumerate(lanes):
            text = self.define(f"insertelement {ty} {text}, {element} {lane}, i32 {index}")
        return text

    def split(self, register: Register, text: str) -> list[str]:
        """The lanes of a register."""
        if register.lanes == 1:
            return [text]
        if text in ("poison", "undef"):
            return [text] * register.lanes
        if text == "zeroinitializer":
            return [zero(Register(register.element))] * register.lanes
        return [
            self.define(f"extractelement {register.type} {text}, i32 {lane}")
            for lane in range(register.lanes)
        ]

    def join(self, register: Register, lanes: Sequence[str]) -> str:
        """The register of some lanes."""
        if register.lanes == 1 or not any(lane.startswith("%") for lane in lanes):
            return group(register, lanes)
        return self.insert_all(register.type, register.element, lanes)

    def group(self, held: Sequence[Register], lanes: Sequence[str]) -> list[str]:
        """The registers of the lanes of a vector."""
        registers: list[str] = []
        start = 0
        for register in held:
            registers.append(self.join(register, lanes[start : start + register.lanes]))
            start += register.lanes
        return registers

    def lane(self, value: SSAValue, index: int) -> str:
        """An element of a vector."""
        held = registers_of(value.type)
        share = held[0].lanes
        register, text = held[index // share], self.values[value][index // share]
        if register.lanes == 1:
            return text
        return self.define(f"extractelement {register.type} {text}, i32 {index % share}")

    def lanes(self, value: SSAValue) -> list[str]:
        """The elements of a vector; a scalar has one."""
        return [
            lane
            for register, text in self.typed_registers(value)
            for lane in self.split(register, text)
        ]

    def gather(self, ty: Attribute, lanes: Sequence[Lane]) -> list[str]:
        """The registers of a vector made of elements of others; whole registers are kept."""
        registers: list[str] = []
        start = 0
        for register in registers_of(ty):
            wanted = lanes[start : start + register.lanes]
            start += register.lanes
            first = wanted[0]
            if first is not None and isinstance(first[0].type, VectorType):
                value, index = first
                share = registers_of(value.type)[0].lanes
                held = registers_of(value.type)[index // share]
                whole = [(value, index + lane) for lane in range(register.lanes)]
                if held == register and index % share == 0 and list(wanted) == whole:
                    registers.append(self.values[value][index // share])
                    continue
            registers.append(
                self.join(
                    register,
                    ["poison" if lane is None else self.lane(*lane) for lane in wanted],
                )
            )
        return registers

    def cast(self, register: Register, text: str, ty: str) -> str:
        """The bits of a register as another type."""
        if register.type == ty:
            return text
        if text in ("poison", "undef"):
            return text
        return self.define(f"bitcast {register.type} {text} to {ty}")

    def cast_back(self, text: str, register: Register, ty: str = "i32") -> str:
        """Bits as a register."""
        if register.type == ty:
            return text
        return self.define(f"bitcast {ty} {text} to {register.type}")

    def pieces(self, value: SSAValue, share: int) -> list[str]:
        """The elements of a vector, this many at a time."""
        held = registers_of(value.type)
        registers = self.values[value]
        if held[0].lanes == share or (len(held) == 1 and held[0].lanes < share):
            return list(registers)
        element, count = held[0].element, lanes_of(value.type)
        lanes = self.lanes(value)
        return [
            self.join(Register(element, min(share, count - start)), lanes[start : start + share])
            for start in range(0, count, share)
        ]

    def elementwise(
        self,
        result: SSAValue,
        operands: Sequence[SSAValue],
        write: Callable[[Sequence[str], Sequence[str], str], str],
        *,
        one_by_one: bool = False,
        in_pairs: bool = False,
    ) -> None:
        """
        An op on each element. `write` gets types and registers of the operands and the type of
        the result, and returns the instruction; or a name or constant, if there is none. Some ops
        on f32 are done two elements at a time, where the architecture can.
        """
        element = scalar_type(result.type)
        elements = [scalar_type(operand.type) for operand in operands]
        if not isinstance(result.type, VectorType):
            texts = [*map(self.scalar, operands)]
            text = write(elements, texts, element)
            self.set(result, self.compute(text, texts) if _is_instruction(text) else text)
            return
        count = lanes_of(result.type)
        are_vectors = [isinstance(operand.type, VectorType) for operand in operands]
        share = 1
        if not one_by_one:
            share = max(map(lanes_in_register, (element, *elements)))
        if in_pairs and element == "float" and count > 1 and not are_vectors_whole():
            share = 2 if self.module.target.machine.has("f32x2") else 1
        pieces = [
            self.pieces(operand, share)
            if isinstance(operand.type, VectorType)
            else [self.scalar(operand)] * -(-count // share)
            for operand in operands
        ]
        held = registers_of(result.type)
        registers: list[str] = []
        sizes = [share] * (count // share)
        if count % share:
            sizes.append(count % share)
        size, types, ty = 0, [""], ""
        for wanted, texts in zip(sizes, zip(*pieces, strict=True), strict=True):
            if wanted != size:
                size = wanted
                ty = vector_of(element, size)
                types = [
                    vector_of(each, size) if is_vector else each
                    for each, is_vector in zip(elements, are_vectors, strict=True)
                ]
            text = write(types, texts, ty)
            registers.append(self.define(text) if _is_instruction(text) else text)
        if held[0].lanes != sizes[0]:
            lanes = [
                lane
                for size, text in zip(sizes, registers, strict=True)
                for lane in self.split(Register(element, size), text)
            ]
            registers = self.group(held, lanes)
        self.values[result] = registers

    # Calls

    def call(
        self, name: str, result: str, arguments: Sequence[tuple[str, str]], flags: str = ""
    ) -> str:
        """A call of a function of LLVM, which is declared by the way; arguments have types."""
        types = ", ".join(ty for ty, _ in arguments)
        self.module.declare(name, f"declare {result} {symbol(name)}({types})")
        values = ", ".join(map(" ".join, arguments))
        text = f"call {flags}{result} {symbol(name)}({values})"
        if result == "void":
            self.emit(text)
            return ""
        return self.define(text)

    def assembly(
        self,
        template: str,
        outputs: Sequence[tuple[str, str]],
        inputs: Sequence[tuple[str, str, str]],
        *,
        effects: bool = True,
        converges: bool = False,
        clobbers_memory: bool = False,
        is_async: bool = False,
    ) -> list[str]:
        """
        Inline assembly. Outputs are constraints and types, inputs constraints, types and values;
        a number as a constraint ties an input to an output. Code that `converges`, as all does
        that has effects, is not moved to where fewer threads run it.

        Outputs of several instructions, or of one that `is_async`, are early-clobber: they are
        written while other inputs are still to be read. Else LLVM takes one register for an output
        and for an input that is not tied to it, but has the same value as the one that is.
        """
        is_early = is_async or template.count(";") > 1
        constraints = [f"={'&' if is_early else ''}{constraint}" for constraint, _ in outputs]
        constraints.extend(constraint for constraint, _, _ in inputs)
        if clobbers_memory:
            constraints.append("~{memory}")
        match len(outputs):
            case 0:
                ty = "void"
            case 1:
                ty = outputs[0][1]
            case _:
                ty = self.module.struct([ty for _, ty in outputs])
        values = ", ".join(f"{ty} {text}" for _, ty, text in inputs)
        flags = "convergent nounwind" if effects or converges else "nounwind"
        text = (
            f'call {ty} asm {"sideeffect " if effects else ""}"{escape(template)}", '
            f'"{",".join(constraints)}"({values}) {flags}'
        )
        if not outputs:
            self.emit(text)
            return []
        name = self.define(text)
        if len(outputs) == 1:
            return [name]
        return [self.define(f"extractvalue {ty} {name}, {i}") for i in range(len(outputs))]

    def address(self, value: SSAValue) -> tuple[str, str, str]:
        """A pointer as an operand of inline assembly."""
        return self.address_in(space_of(value.type), self.scalar(value))

    def address_in(self, space: int, text: str) -> tuple[str, str, str]:
        """The same of a pointer into an address space."""
        if space in (3, 6, 7):
            return "r", "i32", self.define(f"ptrtoint {pointer(space)} {text} to i32")
        return "l", pointer(space), text

    def generic(self, value: SSAValue) -> str:
        """A pointer into the generic address space."""
        return self.in_space(value, 0)

    def in_space(self, value: SSAValue, space: int) -> str:
        """A pointer, cast to an address space."""
        if space_of(value.type) == space:
            return self.scalar(value)
        return self.define(
            f"addrspacecast {pointer(space_of(value.type))} {self.scalar(value)} "
            f"to {pointer(space)}"
        )

    def widen(self, value: SSAValue) -> str:
        """An `i1` as an `i32`."""
        text = self.scalar(value)
        if is_number(text):
            return text
        if isinstance(cut := value.owner, TruncOp) and cut.arg.type == i32 and is_bit(cut.arg):
            return self.scalar(cut.arg)
        return self.define(f"zext i1 {text} to i32")

    # Control flow

    def jump(self, target: Block, arguments: Sequence[SSAValue]) -> str:
        """The label to jump to, for a branch with arguments."""
        edges = self.edges.setdefault(target, [])
        if arguments and any(source == self.label for source, _ in edges):
            # A block may come from another in two ways, with one set of values only.
            self.count += 1
            between = f"e{self.count}"
            self.module.trampolines.append((between, self.labels[target]))
            edges.append((between, arguments))
            return f"label %{between}"
        edges.append((self.label, arguments))
        return f"label %{self.labels[target]}"


def intrinsic_suffix(ty: str) -> str:
    """A type of LLVM in the name of an intrinsic."""
    if ty.startswith("<"):
        count, _, element = ty[1:-1].partition(" x ")
        return name_of(element, int(count))
    return name_of(ty)


def _leaves(
    ty: Attribute, path: tuple[int, ...] = (), start: int = 0
) -> Iterator[tuple[tuple[int, ...], int, Attribute]]:
    """The members of an aggregate that are none: path, first register, type."""
    from xdsl.dialects.llvm import LLVMArrayType, LLVMStructType

    match ty:
        case LLVMStructType():
            members = ty.types.data
        case LLVMArrayType():
            members = (ty.type,) * ty.size.data
        case _:
            yield path, start, ty
            return
    for index, each in enumerate(members):
        yield from _leaves(each, (*path, index), start)
        start += len(registers_of(each))


def _is_instruction(text: str) -> bool:
    """Whether text is an instruction, and not a name or a constant."""
    return " " in text and text[0] not in "<%"
