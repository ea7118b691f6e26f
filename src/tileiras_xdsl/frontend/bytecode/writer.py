"""
Writes modules of the `cuda_tile` dialect as Tile IR bytecode.

What a version cannot express is refused, never dropped: `read(write(m))` is `m`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue

import tileiras_xdsl.dialects.cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr, element_bit_width
from tileiras_xdsl.dialects.cuda_tile.enums import SymbolVisibility

from .attributes import TypeEncoder, component_types, write_attribute
from .debug import DebugWriter
from .encodings import OpEncoding, by_class
from .primitives import (
    LATEST,
    MAGIC,
    V13_1,
    V13_3,
    BytecodeError,
    ByteWriter,
    UnrepresentableError,
    Version,
    format_version,
    parse_version,
)
from .reader import (
    ALIGNMENTS,
    CONSTANT,
    DEBUG,
    ENTRY_FLAG,
    FUNC,
    GLOBAL,
    HINTS_FLAG,
    PRIVATE,
    PRIVATE_FLAG,
    PRODUCER,
    STRING,
    TYPE,
    VISIBILITY,
)


def write(module: ModuleOp | ct.ModuleOp, version: str = format_version(LATEST)) -> bytes:
    """
    The bytecode of a verified module in the given version; `BytecodeError` names the op and
    the version it needs if that version cannot express it.
    """
    return ModuleWriter(parse_version(version)).write(_cuda_tile_module(module))


def _cuda_tile_module(module: ModuleOp | ct.ModuleOp) -> ct.ModuleOp:
    if isinstance(module, ct.ModuleOp):
        return module
    ops = tuple(module.body.block.ops)
    for op in ops:
        if not isinstance(op, ct.ModuleOp):
            raise BytecodeError(f"expected one cuda_tile.module, got '{op.name}' op")
    if len(ops) != 1:
        raise BytecodeError(f"expected one cuda_tile.module, got {len(ops)}")
    (only,) = ops
    assert isinstance(only, ct.ModuleOp)
    return only


class Tables:
    """Strings, types and constants, numbered in the order of their first use."""

    def __init__(self, version: Version):
        self.strings: dict[bytes, int] = {}
        self._types: dict[Attribute, int] = {}
        self._constants: dict[bytes, int] = {}
        self.types: list[bytes] = []
        self._encoder = TypeEncoder(version, self.type)

    def string(self, text: str) -> int:
        return self.strings.setdefault(text.encode(), len(self.strings))

    def type(self, ty: Attribute) -> int:
        known = self._types.get(ty)
        if known is not None:
            return known
        for component in component_types(ty):
            self.type(component)
        writer = ByteWriter()
        self._encoder.write(writer, ty)
        self._types[ty] = number = len(self.types)
        self.types.append(bytes(writer.data))
        return number

    def constant(self, value: DenseElementsAttr) -> int:
        return self._constants.setdefault(_dense_bytes(value), len(self._constants))

    def constant_payload(self) -> bytes | None:
        items = [_varint(len(data)) + data for data in self._constants]
        return _offset_table(items, 8) if items else None


def _varint(value: int) -> bytes:
    writer = ByteWriter()
    writer.varint(value)
    return bytes(writer.data)


def _dense_bytes(value: DenseElementsAttr) -> bytes:
    if element_bit_width(value.element_type) != 1:
        return value.data.data
    bits = value.get_bits()
    if value.is_splat:
        return b"\xff" if bits[0] else b"\x00"
    packed = bytearray((len(bits) + 7) // 8)
    for index, bit in enumerate(bits):
        packed[index // 8] |= bit << index % 8
    return bytes(packed)


def _offset_table(items: list[bytes], offset_bytes: int) -> bytes:
    writer = ByteWriter()
    writer.varint(len(items))
    if items:
        writer.pad(offset_bytes)
    offset = 0
    for item in items:
        writer.little_endian(offset, offset_bytes)
        offset += len(item)
    return bytes(writer.data) + b"".join(items)


class ModuleWriter:
    """Writes the functions first, which fills the tables, and then those."""

    def __init__(self, version: Version):
        self.version = version
        self.tables = Tables(version)
        self.debug = DebugWriter(self.tables.string)
        self.encodings = by_class(version)

    def write(self, module: ct.ModuleOp) -> bytes:
        refuse_attributes(module)
        globals_: list[ct.GlobalOp] = []
        functions: list[ct.EntryOp] = []
        for op in module.body.block.ops:
            match op:
                case ct.GlobalOp():
                    globals_.append(op)
                case ct.EntryOp():
                    functions.append(op)
                case _:
                    raise BytecodeError(
                        f"only function and global ops are allowed in the body, got '{op.name}' op"
                    )
        global_payload = self._globals(globals_)
        function_payload = self._functions(functions)
        producer = self._producer(module)
        sections = (
            (GLOBAL, global_payload),
            (FUNC, function_payload),
            (CONSTANT, self.tables.constant_payload),
            (DEBUG, self.debug.write),
            (TYPE, lambda: _offset_table(self.tables.types, 4)),
            (PRODUCER, producer),
            (STRING, lambda: _offset_table(list(self.tables.strings), 4)),
        )
        return self._assemble(sections)

    def _assemble(
        self, sections: tuple[tuple[int, bytes | Callable[[], bytes | None] | None], ...]
    ) -> bytes:
        """Payloads that are functions refer to tables which earlier ones still fill."""
        file = ByteWriter()
        file.data += MAGIC + bytes(self.version)
        file.little_endian(0, 2)
        for section, source in sections:
            payload = source() if callable(source) else source
            if payload is None:
                continue
            alignment = ALIGNMENTS.get(section, 1)
            file.byte(section | (0x80 if alignment > 1 else 0))
            file.varint(len(payload))
            if alignment > 1:
                file.varint(alignment)
                file.pad(alignment)
            file.data += payload
        file.byte(0)
        return bytes(file.data)

    def _producer(self, module: ct.ModuleOp) -> bytes | None:
        if not isinstance(module.producer, StringAttr) or self.version < V13_3:
            return None
        return _varint(self.tables.string(module.producer.data))

    def _globals(self, globals_: list[ct.GlobalOp]) -> bytes | None:
        if not globals_:
            return None
        writer = ByteWriter()
        writer.varint(len(globals_))
        for op in globals_:
            refuse_attributes(op)
            try:
                self._write_global(writer, op)
            except UnrepresentableError as error:
                raise error.named(op.name) from error
        return bytes(writer.data)

    def _write_global(self, writer: ByteWriter, op: ct.GlobalOp) -> None:
        name = op.sym_name.data
        writer.varint(self.tables.string(name))
        writer.varint(self.tables.type(op.elements.type))
        writer.varint(self.tables.constant(op.elements))
        writer.varint(op.alignment.value.data & (1 << 64) - 1)
        visibility = op.symbol_visibility.data
        version = format_version(self.version)
        if self.version >= V13_3:
            writer.varint(visibility.code)
            writer.varint(int(op.constant is not None))
        elif visibility is not SymbolVisibility.PUBLIC:
            raise BytecodeError(
                f"global `{name}` uses non-public symbol visibility, which cannot be encoded in "
                f"bytecode version {version} (requires bytecode 13.3+)"
            )
        elif op.constant is not None:
            raise BytecodeError(
                f"constant global `{name}` cannot be encoded in bytecode version {version} (the "
                "`constant` attribute requires bytecode 13.3+)"
            )

    def _functions(self, functions: list[ct.EntryOp]) -> bytes:
        writer = ByteWriter()
        writer.varint(len(functions))
        for function in functions:
            self._function(writer, function)
        writer.pad(8)
        return bytes(writer.data)

    def _function(self, writer: ByteWriter, function: ct.EntryOp) -> None:
        is_private = function.attributes.get(VISIBILITY) == PRIVATE
        refuse_attributes(function, allowed=(VISIBILITY,) if is_private else ())
        for name in ("arg_attrs", "res_attrs"):
            if name in function.properties:
                raise BytecodeError(
                    f"'{function.name}' op {name} cannot be represented in bytecode"
                )
        hints = function.optimization_hints
        has_hints = isinstance(hints, OptimizationHintsAttr)
        try:
            writer.varint(self.tables.string(function.symbol))
            writer.varint(self.tables.type(function.function_type))
            writer.byte(ENTRY_FLAG | HINTS_FLAG * has_hints | PRIVATE_FLAG * is_private)
            writer.varint(self.debug.add_function(function))
            if isinstance(hints, OptimizationHintsAttr):
                write_attribute(writer, self.tables, hints)
        except UnrepresentableError as error:
            raise error.named(function.name) from error
        body = FunctionWriter(self).function_body(function.body)
        writer.varint(len(body))
        writer.data += body


def refuse_attributes(op: Operation, *, allowed: Sequence[str] = ()) -> None:
    """Bytecode has no place for discardable attributes, but for few."""
    names = ", ".join(f"'{name}'" for name in op.attributes if name not in allowed)
    if names:
        raise BytecodeError(f"'{op.name}' op attribute {names} cannot be represented in bytecode")


class FunctionWriter:
    """Writes the op records of one function."""

    def __init__(self, module: ModuleWriter):
        self.bytes = ByteWriter()
        self.tables = module.tables
        self.version = module.version
        self._encodings = module.encodings
        self._numbers: dict[SSAValue, int] = {}
        self._next = 0

    def value(self, value: SSAValue) -> None:
        """Writes the number of an operand."""
        number = self._numbers.get(value)
        if number is None:
            owner = value.owner
            what = f"'{owner.name}' op" if isinstance(owner, Operation) else "a block"
            raise UnrepresentableError(f"uses a value of {what} where bytecode cannot refer to it")
        self.bytes.varint(number)

    def _number(self, value: SSAValue) -> None:
        self._numbers[value] = self._next
        self._next += 1

    def function_body(self, body: Region) -> bytes:
        block = body.block
        for argument in block.args:
            self._number(argument)
        for op in block.ops:
            self.operation(op)
        return bytes(self.bytes.data)

    def region(self, region: Region) -> None:
        blocks = tuple(region.blocks)
        self.bytes.varint(len(blocks))
        for block in blocks:
            outer = self._next
            self.bytes.varint(len(block.args))
            for argument in block.args:
                self.bytes.varint(self.tables.type(argument.type))
                self._number(argument)
            ops = tuple(block.ops)
            self.bytes.varint(len(ops))
            for op in ops:
                self.operation(op)
            self._next = outer

    def operation(self, op: Operation) -> None:
        encoding = self._encoding(op)
        refuse_attributes(op)
        self._check_lost(op, encoding)
        for item in encoding.missing:
            item.check_absent(op, self.version)
        self.bytes.varint(encoding.opcode)
        try:
            if isinstance(op, ct.PrintTkoOp) and self.version == V13_1:
                self._print_13_1(op)
                return
            for item in encoding.fields:
                if item.flag is None or item.is_present(op):
                    item.write(self, op)
        except UnrepresentableError as error:
            raise error.named(op.name) from error
        for result in op.results:
            self._number(result)

    def _print_13_1(self, op: ct.PrintTkoOp) -> None:
        """The 13.1 `print`: neither the token operand nor the token result exist."""
        if op.results and op.results[0].first_use is not None:
            raise BytecodeError(
                f"'{op.name}' op result 'result_token' requires bytecode version 13.2 but is being "
                "used and targeting 13.1"
            )
        self.bytes.varint(0)
        self.bytes.varint(self.tables.string(op.str.data))
        self.bytes.varint(len(op.args))
        for argument in op.args:
            self.value(argument)

    def _encoding(self, op: Operation) -> OpEncoding:
        encoding = self._encodings.get(type(op))
        if encoding is not None:
            return encoding
        version = format_version(self.version)
        if not isinstance(op, ct.CudaTileOperation):
            raise BytecodeError(
                f"only ops from the 'cuda_tile' dialect are allowed, got '{op.name}' op"
            )
        if type(op) in by_class(LATEST):
            raise BytecodeError(
                f"'{op.name}' op requires bytecode version {op.SINCE}+, targeting {version}"
            )
        raise BytecodeError(f"'{op.name}' op cannot be represented in bytecode")

    def _check_lost(self, op: Operation, encoding: OpEncoding) -> None:
        """Properties and operands of the text form that no bytecode version has."""
        for name in ("addr_space", "align"):
            if name in op.properties:
                raise BytecodeError(f"'{op.name}' op {name} cannot be represented in bytecode")
        if isinstance(op, ct.PrintTkoOp) and not op.results and self.version > V13_1:
            raise BytecodeError(
                f"'{op.name}' op without a result token cannot be represented in bytecode"
            )
        if isinstance(op, ct.StoreViewOp) and op.mask is not None:
            raise BytecodeError(f"'{op.name}' op mask cannot be represented in bytecode")
