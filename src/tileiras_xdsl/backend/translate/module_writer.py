"""Walks a module and writes it as LLVM IR, with line tables: where an instruction came from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Final, cast

from xdsl.dialects import builtin, llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.gpu import ModuleOp as GpuModuleOp
from xdsl.dialects.llvm import FuncOp, LLVMVoidType
from xdsl.ir import Attribute, Block, Operation, Region, TypeAttribute

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.guard import SM_90
from tileiras_xdsl.backend.llvmlite_binding import ANY_TARGET
from tileiras_xdsl.backend.target import TRIPLE, NvptxTarget
from tileiras_xdsl.dialects.nvvm.tcgen05 import MmaOperation
from tileiras_xdsl.xdsl_extras.diagnostics import first_file_location
from tileiras_xdsl.xdsl_extras.walking import walk

from . import llvm_ops as _llvm_ops
from . import memory as _memory
from . import nvvm_fragments as _nvvm_fragments
from . import nvvm_math as _nvvm_math
from . import nvvm_matrix as _nvvm_matrix
from . import nvvm_ops as _nvvm_ops
from . import nvvm_tcgen05 as _nvvm_tcgen05
from .constants import constant_registers, escape, initializer, symbol
from .types import native_type, registers_of, whole_vectors
from .writer import OPS, LlvmFunctionWriter, OpT, TranslationError, fail

# Line tables

UNKNOWN_FILE = "<unknown>"

_EARLIER: Final = ("cuda_tile", "nv_tileaa", "nv_tileas", "nvgpu", "gpu", "scf")
"""Dialects that passes lower."""


class DebugInfo:
    """
    The debug information of a module. Functions are scopes; an op is where its location says, or
    where its function is.
    """

    def __init__(self, node: Callable[..., str]):
        self._node = node
        self._unit: str | None = None
        self._scope = ""
        self._place = (0, 0)
        self._file = ""
        self._lines: dict[int, tuple[Attribute, str]] = {}
        """
        Of the function: what instructions end with, by the identity of their location, which is
        there so that it keeps it. Most ops share it with others.
        """

    def enter(self, function: FuncOp) -> str:
        """Makes a function the scope; returns what its first line ends with."""
        place = first_file_location(function.location)
        path = UNKNOWN_FILE if place is None else place.filename.data
        line = 1 if place is None else place.line.data
        self._file = self._file_node(path)
        if self._unit is None:
            self._unit = self._node(
                f"!DICompileUnit(language: DW_LANG_C, file: {self._file}, "
                'producer: "tileiras-xdsl", isOptimized: true, runtimeVersion: 0, '
                "emissionKind: DebugDirectivesOnly)",
                distinct=True,
            )
        types = self._node("!{null}")
        ty = self._node(f"!DISubroutineType(types: {types})")
        name = escape(function.sym_name.data)
        self._scope = self._node(
            f'!DISubprogram(name: "{name}", linkageName: "{name}", scope: {self._file}, '
            f"file: {self._file}, line: {line}, type: {ty}, scopeLine: {line}, "
            f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: {self._unit})",
            distinct=True,
        )
        self._place = (line, 0)
        self._lines.clear()
        return f" !dbg {self._scope}"

    def line(self, op: Operation) -> str:
        """What the instructions of an op end with."""
        location = op.location
        known = self._lines.get(id(location))
        if known is None:
            known = self._lines[id(location)] = (location, self._make_line(location))
        return known[1]

    def _make_line(self, location: Attribute) -> str:
        place = first_file_location(location)
        scope = self._scope
        line, column = self._place
        if place is not None:
            line, column = place.line.data, place.column.data
            file = self._file_node(place.filename.data)
            if file != self._file:
                scope = self._node(
                    f"!DILexicalBlockFile(scope: {scope}, file: {file}, discriminator: 0)"
                )
        return (
            f", !dbg {self._node(f'!DILocation(line: {line}, column: {column}, scope: {scope})')}"
        )

    def named_metadata(self) -> str:
        """What tells LLVM that there is debug information."""
        if self._unit is None:
            return ""
        version = self._node('!{i32 2, !"Debug Info Version", i32 3}')
        dwarf = self._node('!{i32 2, !"Dwarf Version", i32 2}')
        return f"!llvm.dbg.cu = !{{{self._unit}}}\n!llvm.module.flags = !{{{version}, {dwarf}}}\n"

    def _file_node(self, path: str) -> str:
        folder, name = os.path.split(path)
        return self._node(f'!DIFile(filename: "{escape(name)}", directory: "{escape(folder)}")')


# The modules register what ops become.
REGISTERED: Final = (
    *(_llvm_ops, _memory),
    *(_nvvm_fragments, _nvvm_math, _nvvm_matrix, _nvvm_ops, _nvvm_tcgen05),
)

KERNEL_CONVENTIONS: Final = ("ptx_kernel", "ptx_kernelcc")
DEVICE_CONVENTIONS: Final = ("ptx_device", "ptx_devicecc")
KERNEL_ATTRIBUTES: Final = ("nvvm.kernel", "gpu.kernel")

FUNCTION_ATTRIBUTES: Final = {
    "nvvm.reqntid": "nvvm.reqntid",
    "nvvm.maxntid": "nvvm.maxntid",
    "nvvm.minctasm": "nvvm.minctasm",
    "nvvm.maxnreg": "nvvm.maxnreg",
    "nvvm.cluster_dim": "nvvm.cluster_dim",
    "nvvm.cluster_max_blocks": "nvvm.maxclusterrank",
    "nvvm.maxclusterrank": "nvvm.maxclusterrank",
    "nvvm.blocksareclusters": "nvvm.blocksareclusters",
}
"""What the dialect calls a property of a kernel, and what LLVM calls it."""

NAMED_MEMBERS: Final = 8
"""A struct with as many members has a name."""

BLOCKS_ARE_CLUSTERS: Final = "nvvm.blocksareclusters"
BLOCKS_ARE_CLUSTERS_VERSION: Final = 90

CLUSTER_ATTRIBUTES: Final = (
    *("nvvm.cluster_dim", "nvvm.cluster_max_blocks", "nvvm.maxclusterrank"),
    BLOCKS_ARE_CLUSTERS,
)

ARGUMENT_FLAGS: Final = {
    **{
        f"llvm.{name}": name
        for name in (
            *("noalias", "nonnull", "noundef", "readonly", "writeonly", "readnone"),
            *("nofree", "inreg", "signext", "zeroext"),
        )
    },
    "llvm.nocapture": "captures(none)",
    **{name: f'"{name}"' for name in ("nvvm.grid_constant", "nvvm.hidden")},
}
ARGUMENT_NUMBERS: Final = {
    "llvm.align": "align {}",
    "llvm.dereferenceable": "dereferenceable({})",
    "llvm.dereferenceable_or_null": "dereferenceable_or_null({})",
}
SHARED_SPACE: Final = 3

DATA_LAYOUT: Final = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
"""
LLVM's for this triple. It has to be in the text: alignments that are not written are those of the
layout at hand, and 64-bit integers have an alignment of 4 in the one that LLVM begins with.
"""


class LlvmModuleWriter:
    """A module that is being written."""

    def __init__(
        self,
        target: NvptxTarget,
        *,
        debug: bool = False,
        triple: str = TRIPLE,
        data_layout: str = DATA_LAYOUT,
    ):
        self.target = target
        self.triple = triple
        self.data_layout = data_layout
        self.debug_info = DebugInfo(self.node) if debug else None
        self.declarations: dict[str, str] = {}
        """Of intrinsics, by name, in the order of their first use."""
        self.symbols: dict[str, Operation] = {}
        self.functions: dict[str, llvm.FuncOp] = {}
        """What calls can name."""
        self.structs: dict[str, str] = {}
        """Types of long structs by text, with their names."""
        self.metadata: dict[str, str] = {}
        """Nodes of metadata by text, with their names."""
        self.trampolines: list[tuple[str, str]] = []
        """Blocks of the function at hand that only jump: label and destination."""
        self.hoists = False
        """Whether functions begin with what they compute of numbers and symbols alone."""

    def node(self, text: str, *, distinct: bool = False) -> str:
        """The name of a node of metadata, `!3`."""
        text = f"distinct {text}" if distinct else text
        return self.metadata.setdefault(text, f"!{len(self.metadata)}")

    def declare(self, name: str, text: str) -> None:
        """Declares a function of LLVM or libdevice, unless the module does."""
        self.declarations.setdefault(name, text)

    def struct(self, members: Sequence[str]) -> str:
        """A struct, by a name if it is long: an accumulator is taken apart in as many lines."""
        text = f"{{ {', '.join(members)} }}"
        if len(members) < NAMED_MEMBERS:
            return text
        return self.structs.setdefault(text, f"%s{len(self.structs)}")

    # Module

    def write(self, module: ModuleOp) -> str:
        """The whole text."""
        ops = list(_top_level(module))
        for op in ops:
            if not isinstance(op, llvm.FuncOp | llvm.GlobalOp):
                fail(op, _untranslated(op.name))
            name = op.sym_name.data
            if name in self.symbols:
                fail(op, f"symbol @{name} is defined twice")
            self.symbols[name] = op
            if isinstance(op, llvm.FuncOp):
                self.functions[name] = op
        variables = [
            self._placed(self.global_variable, op) for op in ops if isinstance(op, llvm.GlobalOp)
        ]
        # Nothing else moves it out of loops, see `nvptx.optimize`.
        self.hoists = self.target.machine.has("tcgen05") and any(
            isinstance(op, MmaOperation) for op in walk(module)
        )
        functions = [self._placed(self.function, op) for op in ops if isinstance(op, llvm.FuncOp)]
        parts = [
            f'target datalayout = "{self.data_layout}"\n',
            f'target triple = "{self.triple}"\n',
            *(f"{name} = type {text}\n" for text, name in self.structs.items()),
            *variables,
        ]
        parts.extend(functions)
        parts.extend(
            f"{text}\n" for name, text in self.declarations.items() if name not in self.symbols
        )
        if self.debug_info is not None:
            parts.append(self.debug_info.named_metadata())
        parts.extend(f"{name} = {text}\n" for text, name in self.metadata.items())
        return "".join(parts)

    @staticmethod
    def _placed(write: Callable[[OpT], str], op: OpT) -> str:
        """What is written of an op. Types and constants do not know what op is wrong, it does."""
        try:
            return write(op)
        except TranslationError:
            raise
        except BackendError as error:
            fail(op, str(error))

    # Globals

    def global_variable(self, op: llvm.GlobalOp) -> str:
        """The line of a global variable."""
        ty, space = op.global_type, op.addr_space.value.data
        linkage = op.linkage.linkage.data
        words = [symbol(op.sym_name.data), "="]
        value = self._initial_value(op)
        if value is None and space == SHARED_SPACE and linkage != "external":
            value = "poison"
        if value is None and linkage == "external":
            words.append("external")
        else:
            value = "poison" if value is None else value
            if linkage != "external":
                words.append(linkage)
        if op.thread_local_ is not None:
            fail(op, "the GPU has no thread-local variables, use llvm.alloca")
        if op.unnamed_addr is not None and op.unnamed_addr.value.data:
            words.append(("", "local_unnamed_addr", "unnamed_addr")[op.unnamed_addr.value.data])
        if space:
            words.append(f"addrspace({space})")
        words.append("global" if op.constant is None else "constant")
        words.append(native_type(ty))
        if value is not None:
            words.append(value)
        text = " ".join(words)
        if op.section is not None:
            text += f', section "{escape(op.section.data)}"'
        if op.alignment is not None:
            text += f", align {op.alignment.value.data}"
        return f"{text}\n"

    def _initial_value(self, op: llvm.GlobalOp) -> str | None:
        ty = op.global_type
        match op.value:
            case None:
                pass
            case StringAttr(data=text):
                data = text.encode()
                size = len(registers_of(ty))
                if size != len(data):
                    fail(op, f"a string of {len(data)} bytes is no value of '{ty}'")
                return f'c"{escape(data)}"'
            case value:
                return initializer(ty, constant_registers(value, ty))
        if (block := op.body.blocks.first) is None:
            return None
        writer = LlvmFunctionWriter(self)
        for each in block.ops:
            if isinstance(each, llvm.ReturnOp) and each.arg is not None:
                return initializer(ty, writer.values[each.arg])
            self.op(writer, each)
            if writer.lines:
                fail(each, f"'{each.name}' is no constant, which an initial value has to be")
        fail(op, "the initial value is missing")

    # Functions

    def function(self, op: llvm.FuncOp) -> str:
        """The text of a function."""
        is_kernel = op.CConv.convention.data in KERNEL_CONVENTIONS or any(
            map(op.attributes.__contains__, KERNEL_ATTRIBUTES)
        )
        ty = op.function_type
        result = native_type(ty.output)
        if is_kernel and not isinstance(ty.output, LLVMVoidType):
            fail(op, f"kernel @{op.sym_name.data} must not return a value")
        writer = LlvmFunctionWriter(self)
        blocks = _reverse_postorder(op.body)
        names = [writer.name() for _ in ty.inputs]
        parameters = [
            f"{native_type(argument)}{self._argument_attributes(op, index)}"
            f"{f' {names[index]}' if blocks else ''}"
            for index, argument in enumerate(ty.inputs)
        ]
        if ty.is_variadic:
            parameters.append("...")
        convention = "ptx_kernel " if is_kernel else self.convention(op, op.CConv)
        header = (
            f"{convention}{result} {symbol(op.sym_name.data)}({', '.join(parameters)})"
            f"{self._function_attributes(op)}"
        )
        if not blocks:
            return f"declare {header}\n"
        linkage = op.linkage.linkage.data
        linkage = "" if is_kernel or linkage == "external" else f"{linkage} "
        scope = "" if self.debug_info is None else self.debug_info.enter(op)
        header = f"define {linkage}{header}{scope} {{"
        self._body(writer, op, blocks, names)
        return "\n".join((header, *writer.lines, "}\n"))

    def _body(
        self,
        writer: LlvmFunctionWriter,
        op: llvm.FuncOp,
        blocks: Sequence[Block],
        names: Sequence[str],
    ) -> None:
        self.trampolines = []
        writer.labels = {block: f"b{index}" for index, block in enumerate(blocks)}
        starts: list[tuple[int, Block]] = []
        for block in blocks:
            writer.label = writer.labels[block]
            writer.lines.append(f"{writer.label}:")
            if self.debug_info is not None:
                writer.debug = self.debug_info.line(op)
            if block is blocks[0]:
                for argument, name in zip(block.args, names, strict=True):
                    writer.set_packed(argument, name)
            else:
                starts.append((len(writer.lines), block))
                for argument in block.args:
                    count = len(registers_of(argument.type))
                    writer.set(argument, *(writer.name() for _ in range(count)))
            for each in block.ops:
                if self.debug_info is not None:
                    writer.debug = self.debug_info.line(each)
                self.op(writer, each)
        if self.debug_info is not None:
            writer.debug = self.debug_info.line(op)
        for between, destination in self.trampolines:
            writer.lines.append(f"{between}:")
            writer.emit(f"br label %{destination}")
        if blocks[0] in writer.edges:
            fail(op, f"@{op.sym_name.data} jumps to its first block")
        for position, block in reversed(starts):
            writer.lines[position:position] = _phis(writer, block)
        # Behind the label of the first block.
        writer.lines[1:1] = [
            f"  {name} = {text}{writer.debug}" for text, name in writer.hoisted.items()
        ]

    def op(self, writer: LlvmFunctionWriter, op: Operation) -> None:
        """Translates one op."""
        handler = OPS.get(op.name)
        if handler is None:
            name = op.op_name.data if isinstance(op, builtin.UnregisteredOp) else op.name
            fail(op, _untranslated(name))
        try:
            handler(writer, op)
        except TranslationError:
            raise
        except BackendError as error:
            fail(op, str(error))

    @staticmethod
    def convention(op: Operation, attribute: llvm.CallingConventionAttr) -> str:
        """The word for a calling convention, and a space."""
        name = attribute.convention.data
        if name == "ccc":
            return ""
        if name in DEVICE_CONVENTIONS:
            return "ptx_device "
        if name == "fastcc":
            return "fastcc "
        fail(op, f"calling convention '{name}' is not available on the GPU")

    def _argument_attributes(self, op: llvm.FuncOp, index: int) -> str:
        if op.arg_attrs is None or index >= len(op.arg_attrs.data):
            return ""
        words: list[str] = []
        for name, value in _sorted(op.arg_attrs.data[index]):
            if name in ARGUMENT_FLAGS:
                words.append(ARGUMENT_FLAGS[name])
            elif name in ARGUMENT_NUMBERS and isinstance(value, IntegerAttr):
                words.append(ARGUMENT_NUMBERS[name].format(value.value.data))
            elif name == "llvm.byval" and isinstance(value, TypeAttribute):
                words.append(f"byval({native_type(value)})")
            elif name.startswith(("llvm.", "nvvm.")):
                fail(op, f"attribute '{name}' of argument {index} has no translation to LLVM IR")
        return " ".join(("", *words))

    def _function_attributes(self, op: llvm.FuncOp) -> str:
        is_libdevice = op.sym_name.data.startswith("__nv_")
        is_alone = is_libdevice or self.triple != TRIPLE
        words = ["nounwind"] if is_alone else ["convergent", "nounwind"]
        if op.no_inline is not None:
            words.append("noinline")
        if op.optimize_none is not None:
            words.append("optnone")
        for name, value in sorted(op.attributes.items()):
            if name not in FUNCTION_ATTRIBUTES:
                continue
            numbers = _numbers(op, name, value)
            if name in CLUSTER_ATTRIBUTES and not self.target.machine.meets(SM_90):
                if set(numbers.split(",")) == {"1"} and name == "nvvm.cluster_dim":
                    # A cluster of one CTA is none.
                    continue
                fail(op, f"attribute '{name}' needs {SM_90}, the target is {self.target}")
            if name == BLOCKS_ARE_CLUSTERS:
                self._check_blocks_are_clusters(op)
            words.append(f'"{FUNCTION_ATTRIBUTES[name]}"="{numbers}"')
        for entry in () if op.passthrough is None else op.passthrough:
            match entry:
                case StringAttr(data=word):
                    words.append(word if word.isalpha() else f'"{escape(word)}"')
                case ArrayAttr(data=(StringAttr(data=key), StringAttr(data=text))):
                    words.append(f'"{escape(key)}"="{escape(text)}"')
                case _:
                    fail(op, f"passthrough {entry} has no translation to LLVM IR")
        return " ".join(("", *words))

    def _check_blocks_are_clusters(self, op: llvm.FuncOp) -> None:
        """What LLVM would end the process for, or complain about without saying where."""
        for name in ("nvvm.reqntid", "nvvm.cluster_dim"):
            if name not in op.attributes:
                fail(op, f"attribute '{BLOCKS_ARE_CLUSTERS}' needs attribute '{name}'")
        version = self.target.ptx_version
        if self.target.is_version_given and version < BLOCKS_ARE_CLUSTERS_VERSION:
            fail(
                op,
                f"attribute '{BLOCKS_ARE_CLUSTERS}' needs PTX version "
                f"{BLOCKS_ARE_CLUSTERS_VERSION} or later, but {version} was asked for",
            )


def translate_module(module: ModuleOp, target: NvptxTarget, *, debug: bool = False) -> str:
    """
    The LLVM IR of a module, and of the modules for the GPU in it. What has no translation, or what
    the architecture does not have, is a `DiagnosticException` that names the op.
    """
    return LlvmModuleWriter(target, debug=debug).write(module)


def translate_module_for_host(
    module: ModuleOp, triple: str, data_layout: str, *, debug: bool = False
) -> str:
    """The LLVM IR of a module of `llvm` for a CPU, where a vector is one value."""
    with whole_vectors():
        writer = LlvmModuleWriter(ANY_TARGET, debug=debug, triple=triple, data_layout=data_layout)
        return writer.write(module)


def _top_level(module: ModuleOp) -> Iterator[Operation]:
    """What is in a module, and in the modules for the GPU in it."""
    for op in module.body.ops:
        if isinstance(op, GpuModuleOp):
            yield from op.body.ops
        elif isinstance(op, ModuleOp):
            yield from _top_level(op)
        else:
            yield op


def _untranslated(name: str) -> str:
    """What is said of an op that LLVM IR has no words for, such as one of an earlier level."""
    hint = ""
    if name.partition(".")[0] in _EARLIER:
        hint = ": passes lower it first, as 'tileiras-xdsl --emit=ptx' does"
    return f"'{name}' has no translation to LLVM IR{hint}"


def _sorted(attributes: DictionaryAttr) -> list[tuple[str, Attribute]]:
    return sorted(attributes.data.items())


def _numbers(op: Operation, name: str, value: Attribute) -> str:
    match value:
        case DenseArrayBase():
            numbers = cast("DenseArrayBase[IntegerType]", value)
            return ",".join(map(str, numbers.get_values()))
        case IntegerAttr():
            return str(value.value.data)
        case StringAttr():
            return value.data
        case UnitAttr():
            return "1"
        case ArrayAttr():
            return ",".join(_numbers(op, name, each) for each in value)
        case _:
            fail(op, f"attribute '{name}' must be numbers, but got {value}")


def _reverse_postorder(region: Region) -> list[Block]:
    """The blocks that can be reached, each after those that dominate it."""
    first = region.blocks.first
    if first is None:
        return []
    seen = {first}
    order: list[Block] = []
    pending: list[tuple[Block, Iterator[Block]]] = [(first, _successors(first))]
    while pending:
        block, successors = pending[-1]
        for successor in successors:
            if successor not in seen:
                seen.add(successor)
                pending.append((successor, _successors(successor)))
                break
        else:
            order.append(block)
            pending.pop()
    order.reverse()
    return order


def _successors(block: Block) -> Iterator[Block]:
    last = block.last_op
    # The first successor comes first in the result, so it is visited last.
    return iter(() if last is None else tuple(reversed(last.successors)))


def _phis(writer: LlvmFunctionWriter, block: Block) -> list[str]:
    edges = writer.edges.get(block, [])
    lines: list[str] = []
    for index, argument in enumerate(block.args):
        incoming = [(writer.values[values[index]], label) for label, values in edges]
        for number, register in enumerate(registers_of(argument.type)):
            sources = ", ".join(f"[ {texts[number]}, %{label} ]" for texts, label in incoming)
            name = writer.values[argument][number]
            lines.append(f"  {name} = phi {register.type} {sources}")
    return lines
