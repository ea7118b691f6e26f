"""Ops of `nvvm`: `mma.sync` and WGMMA, and MMAs of whole fragments, instruction by instruction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.backend.guard import BLOCK_SCALES, SM_89, SM_90, SM_90A
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.building import EnumAttr

from .types import Register, pointer, registers_of
from .writer import NVVM, LlvmFunctionWriter, calls, fail, translates

CONSTRAINTS: Final = {"float": "f", "double": "d", "i64": "l"}
"""Of registers in inline assembly; all others are words of 32 bits."""

PTX_TYPES: Final = {
    **{"f16": "f16", "bf16": "bf16", "f32": "tf32", "f64": "f64", "tf32": "tf32"},
    **{"i8": "s8", "f8E4M3FN": "e4m3", "f8E5M2": "e5m2"},
}
"""PTX's default name of the element type of an operand."""

ACCUMULATORS: Final = {"float": "f32", "half": "f16", "double": "f64", "i32": "s32"}
SMALL_FLOATS: Final = ("e4m3", "e5m2")
TINY_FLOATS: Final = ("e3m2", "e2m3", "e2m1")
"""Floats of 6 and 4 bits."""
INTEGERS: Final = ("s8", "u8", "s4", "u4")
TRANSPOSABLE: Final = ("f16", "bf16")

HOPPER_SHAPES: Final = ((16, 8, 4), (16, 8, 8), (16, 8, 16))
"""MMAs of f64 that earlier architectures lack."""

REGISTER_WORDS: Final = {nvvm.RegisterAction.INCREASE: "inc", nvvm.RegisterAction.DECREASE: "dec"}

SHARED: Final = pointer(3)
GLOBAL: Final = pointer(1)

Operand = tuple[str, str, str]


def _operand(writer: LlvmFunctionWriter, register: Register, text: str) -> Operand:
    """A register as an operand of inline assembly: constraint, type, value."""
    if register.type in CONSTRAINTS:
        return CONSTRAINTS[register.type], register.type, text
    return "r", "i32", writer.cast(register, text, "i32")


def as_operands(
    writer: LlvmFunctionWriter, op: Operation, values: Sequence[SSAValue]
) -> list[Operand]:
    operands: list[Operand] = []
    for value in values:
        for register, text in writer.typed_registers(value):
            if register.bits not in (32, 64):
                fail(op, f"'{value.type}' does not fill registers of 32 bits")
            operands.append(_operand(writer, register, text))
    return operands


def as_outputs(registers: Sequence[Register]) -> list[tuple[str, str]]:
    return [
        (CONSTRAINTS[each.type], each.type) if each.type in CONSTRAINTS else ("r", "i32")
        for each in registers
    ]


def restore(
    writer: LlvmFunctionWriter, registers: Sequence[Register], texts: Sequence[str]
) -> list[str]:
    """What inline assembly yields, as registers of a value."""
    return [
        text if register.type in CONSTRAINTS else writer.cast_back(text, register)
        for register, text in zip(registers, texts, strict=True)
    ]


def list_of(start: int, count: int) -> str:
    return f"{{{', '.join(map('${}'.format, range(start, start + count)))}}}"


# One warp


def _operand_type(
    op: nvvm.MmaSyncOp, value: SSAValue, given: EnumAttr[nvvm.MatrixType] | None
) -> str:
    if given is not None:
        return given.data.value
    ty = value.type
    element = str(ty.get_element_type() if isinstance(ty, VectorType) else ty)
    if element not in PTX_TYPES:
        fail(op, f"'{op.name}' with registers of '{ty}' must say the PTX type of its operands")
    return PTX_TYPES[element]


def _kind_of(
    writer: LlvmFunctionWriter, op: Operation, types: Sequence[str], accumulators: Sequence[str]
) -> str:
    """
    The kind that an MMA of small floats has to name: one with types of less than 8 bits, or with
    accumulators of f16. Fails if the target has no such MMA.
    """
    if set(types) & set(TINY_FLOATS) or (set(types) & set(SMALL_FLOATS) and "f16" in accumulators):
        writer.require(op, BLOCK_SCALES)
        return ".kind::f8f6f4"
    if set(types) & set(SMALL_FLOATS):
        writer.require(op, SM_89)
    return ""


@translates(nvvm.MmaSyncOp)
def _mma_sync(writer: LlvmFunctionWriter, op: nvvm.MmaSyncOp) -> None:
    m, n, k = op.shape.extents
    types = [_operand_type(op, op.a[0], op.type_a), _operand_type(op, op.b[0], op.type_b)]
    result = registers_of(op.result.type)
    accumulators = [ACCUMULATORS.get(registers_of(op.c[0].type)[0].element, "")]
    accumulators.insert(0, ACCUMULATORS.get(result[0].element, ""))
    if "" in accumulators or "b1" in types:
        fail(op, f"'{op.name}' of {types[0]} and {types[1]} into '{op.result.type}' does not exist")
    kind = _kind_of(writer, op, types, accumulators)
    layouts = [
        default if layout is None else layout.data
        for layout, default in (
            (op.layout_a, nvvm.MatrixLayout.ROW),
            (op.layout_b, nvvm.MatrixLayout.COL),
        )
    ]
    groups = [as_operands(writer, op, values) for _, values in op.groups]
    lists = [list_of(0, len(result))]
    start = len(result)
    for group in groups:
        lists.append(list_of(start, len(group)))
        start += len(group)
    satfinite = "" if op.satfinite is None else ".satfinite"
    instruction = (
        f"mma.sync.aligned{kind}.m{m}n{n}k{k}.{layouts[0].value}.{layouts[1].value}{satfinite}"
        f".{accumulators[0]}.{types[0]}.{types[1]}.{accumulators[1]}"
    )
    texts = writer.assembly(
        f"{instruction} {', '.join(lists)};",
        as_outputs(result),
        [operand for group in groups for operand in group],
    )
    writer.set(op.result, *restore(writer, result, texts))


calls(nvvm.LdMatrixOp, lambda _, op: _matrices("ld", op.num.value.data, op.trans.value.data))
calls(
    nvvm.StMatrixOp,
    lambda _, op: _matrices("st", len(op.sources), op.layout.data is nvvm.MatrixLayout.COL),
    SM_90,
)
calls(
    nvvm.SetMaxRegisterOp,
    lambda _, op: f"setmaxnreg.{REGISTER_WORDS[op.action.data]}.sync.aligned.u32",
    SM_90,
    number=lambda op: op.count.value.data,
)


def _matrices(word: str, count: int, is_transposed: object) -> str:
    """The name of what loads or stores matrices of 8 x 8."""
    return f"{word}matrix.sync.aligned.m8n8.x{count}{'.trans' if is_transposed else ''}.b16.p3"


# Four warps


@translates(nvvm.WgmmaWaitGroupOp, needs=SM_90A)
def _wgmma_wait(writer: LlvmFunctionWriter, op: nvvm.WgmmaWaitGroupOp) -> None:
    groups = op.groups.value.data
    if not op.accumulators:
        arguments = [("i64", str(groups))]
        writer.call(f"{NVVM}wgmma.wait_group.sync.aligned", "void", arguments)
        return
    instruction = f"wgmma.wait_group.sync.aligned {groups};"
    _pass_through(writer, op, instruction, op.accumulators, copies=bool(op.copies))


@translates(nvvm.PMEventOp)
def _pmevent(writer: LlvmFunctionWriter, op: nvvm.PMEventOp) -> None:
    mask = op.mask.value.data
    if not op.values:
        writer.call(f"{NVVM}pm.event.mask", "void", [("i16", str(mask))])
        return
    _pass_through(writer, op, f"pmevent.mask {mask};", op.values)


ARTIFICIAL: Final = 0xF8
"""The truth table of `x | (y & zero)`."""


@translates(nvvm.ArtificialDependenceOp)
def _artificial_dependence(writer: LlvmFunctionWriter, op: nvvm.ArtificialDependenceOp) -> None:
    """
    A bit operation that needs both values and yields the first one: no grid has 2 to the power of
    31 CTAs along x, which ptxas does not know.
    """
    registers, is_word = registers_of(op.value.type), isinstance(op.on.type, LLVMPointerType)
    on = ("l", SHARED, writer.scalar(op.on)) if is_word else ("r", "i32", writer.scalar(op.on))
    operands = [*as_operands(writer, op, [op.value]), on]
    count, lines = len(registers), [".reg .b32 zero, other;"]
    if is_word:
        lines.append(f"ld.volatile.shared.b32 other, [${2 * count}];")
    else:
        lines.append(f"mov.b32 other, ${2 * count};")
    lines.append("mov.u32 zero, %nctaid.x;")
    lines.append("shr.u32 zero, zero, 31;")
    for number in range(count):
        lines.append(f"lop3.b32 ${number}, ${count + number}, other, zero, {ARTIFICIAL};")
    texts = writer.assembly(
        "\n".join(("{", *lines, "}")),
        as_outputs(registers),
        operands,
        clobbers_memory=is_word,
    )
    writer.set(op.result, *restore(writer, registers, texts))


def _pass_through(
    writer: LlvmFunctionWriter,
    op: nvvm.WgmmaWaitGroupOp | nvvm.PMEventOp,
    instructions: str,
    values: Sequence[SSAValue],
    *,
    copies: bool = False,
) -> None:
    """
    Instructions that values go into and come out of unchanged, so that LLVM keeps the order; in
    the same registers, unless these are copies.
    """
    registers = [each for value in values for each in registers_of(value.type)]
    operands = as_operands(writer, op, values)
    if copies:
        count = len(registers)
        moves = (f"mov.b{each.bits} ${n}, ${count + n};" for n, each in enumerate(registers))
        instructions = "\n".join((*moves, instructions))
    else:
        operands = [(str(index), ty, text) for index, (_, ty, text) in enumerate(operands)]
    texts = writer.assembly(
        instructions,
        as_outputs(registers),
        operands,
        clobbers_memory=True,
    )
    texts = restore(writer, registers, texts)
    for value in op.results_:
        count = len(registers_of(value.type))
        writer.set(value, *texts[:count])
        texts = texts[count:]


@translates(nvvm.WgmmaMmaAsyncOp, needs=SM_90A)
def _wgmma(writer: LlvmFunctionWriter, op: nvvm.WgmmaMmaAsyncOp) -> None:
    if op.shape is None or op.types is None:
        fail(
            op,
            f"'{op.name}' without shape and types has no translation to LLVM IR: give the WGMMA "
            "a shape, such as #nvvm.shape<m = 64, n = 128, k = 16>, and types",
        )
    m, n, k = op.shape.extents
    d_type, a_type, b_type = (ty.data for ty in op.types)
    steps = 1 if op.k_steps is None else op.k_steps.value.data
    accumulator = registers_of(op.accumulator.type)
    expected = m * n // 128 // (2 if d_type == "f16" else 1)
    if len(accumulator) != expected or accumulator[0].bits != 32:
        fail(
            op,
            f"WGMMA with m = {m}, n = {n} has {expected} accumulator registers of {d_type}, "
            f"but the accumulator is '{op.accumulator.type}'",
        )
    keeps = op.scale_d is None or bool(op.scale_d.value.data)
    inputs: list[Operand] = []
    if keeps:
        held = as_operands(writer, op, [op.accumulator])
        inputs.extend((str(i), ty, text) for i, (_, ty, text) in enumerate(held))
    first = len(accumulator) + len(inputs)
    is_descriptor = isinstance(op.a.type, IntegerType)
    a_operands: list[Operand]
    if is_descriptor:
        a_operands = [("l", "i64", writer.scalar(op.a))]
    else:
        a_operands = as_operands(writer, op, [op.a])
        if len(a_operands) != 4 * steps:
            fail(op, f"{steps} steps need {4 * steps} registers of A, but A is '{op.a.type}'")
    b_number = first + len(a_operands)
    inputs.extend((*a_operands, ("l", "i64", writer.scalar(op.b))))
    instruction = f"wgmma.mma_async.sync.aligned.m{m}n{n}k{k}.{d_type}.{a_type}.{b_type}"
    tail = _wgmma_tail(op, a_type, is_descriptor)
    lines: list[str] = []
    for step in range(steps):
        b = _advance(op, lines, "b", b_number, step, op.b_step)
        if is_descriptor:
            a = _advance(op, lines, "a", first, step, op.a_step)
        else:
            a = list_of(first + 4 * step, 4)
        scale = "1" if keeps or step else "0"
        lines.append(f"{instruction} {list_of(0, len(accumulator))}, {a}, {b}, {scale}{tail};")
    if steps > 1:
        narrow = any(each is not None and each.type == i32 for each in (op.a_step, op.b_step))
        words = [".reg .b32 low, high;"] if narrow else []
        lines = ["{", ".reg .b64 ad, bd;", *words, *lines, "}"]
    texts = writer.assembly(
        "\n".join(lines), as_outputs(accumulator), inputs, clobbers_memory=True, is_async=True
    )
    writer.set(op.result, *restore(writer, accumulator, texts))


def _advance(
    op: nvvm.WgmmaMmaAsyncOp,
    lines: list[str],
    name: str,
    number: int,
    step: int,
    growth: IntegerAttr[IntegerType] | None,
) -> str:
    """The descriptor of a step."""
    if step == 0:
        return f"${number}"
    if growth is None:
        fail(op, f"'{op.name}' with several steps must say {name}_step")
    amount = growth.value.data * step
    if growth.type == i32:
        lines.append(f"mov.b64 {{low, high}}, ${number};")
        lines.append(f"add.s32 low, low, {amount};")
        lines.append(f"mov.b64 {name}d, {{low, high}};")
    else:
        lines.append(f"add.s64 {name}d, ${number}, {amount};")
    return f"{name}d"


def _wgmma_tail(op: nvvm.WgmmaMmaAsyncOp, a_type: str, is_descriptor: bool) -> str:
    """What follows whether to accumulate: signs, then transpositions, where there are any."""
    trans_a, trans_b = op.trans_a is not None, op.trans_b is not None
    if a_type in TRANSPOSABLE:
        if not is_descriptor and trans_a:
            fail(op, "A in registers cannot be transposed")
        flags = [trans_a, trans_b] if is_descriptor else [trans_b]
        return ", 1, 1" + "".join(f", {int(flag)}" for flag in flags)
    if trans_a or trans_b:
        fail(op, f"matrices of {a_type} cannot be transposed, only those of f16 and bf16")
    return "" if a_type in INTEGERS else ", 1, 1"


# Fragments


def _words(writer: LlvmFunctionWriter, value: SSAValue) -> list[Operand]:
    """The registers of an operand: doubles, or words of 32 bits."""
    return [
        ("d", register.type, text)
        if register.bits == 64
        else ("r", "i32", writer.cast(register, text, "i32"))
        for register, text in writer.typed_registers(value)
    ]


@translates(nvvm.FragmentMmaOp)
def _fragment_mma(writer: LlvmFunctionWriter, op: nvvm.FragmentMmaOp) -> None:
    m, n, k = op.shape.extents
    types = (op.type_a.data.value, op.type_b.data.value)
    held = registers_of(op.result.type)
    total = ACCUMULATORS.get(held[0].element)
    if total is None:
        fail(op, f"'{op.name}' has no accumulators in '{op.result.type}'")
    kind = _kind_of(writer, op, types, [total])
    if types[0] == "f64" and op.shape.extents in HOPPER_SHAPES:
        writer.require(op, SM_90)
    mma = f"mma.sync.aligned{kind}.m{m}n{n}k{k}.row.col.{total}.{types[0]}.{types[1]}.{total}"
    a, b = _words(writer, op.a), _words(writer, op.b)
    _multiply_tiles(writer, op, mma, a, b, as_operands(writer, op, [op.c]))


@translates(nvvm.FragmentScaledMmaOp, needs=BLOCK_SCALES)
def _fragment_scaled_mma(writer: LlvmFunctionWriter, op: nvvm.FragmentScaledMmaOp) -> None:
    m, n, k = op.shape.extents
    types = f"{op.type_a.data.value}.{op.type_b.data.value}.f32.{op.scale_type.data.value}"
    first, steps, scales = op.get_scales()
    a, b = _words(writer, op.a), _words(writer, op.b)
    c = as_operands(writer, op, [op.c])
    scale_a, scale_b = _packed_bytes(writer, op.scale_a), _packed_bytes(writer, op.scale_b)

    def scale(after: int, tile_a: int, tile_b: int, step: int) -> tuple[str, list[Operand]]:
        """Which byte of which word, and of which lanes of four: the first ones."""
        at_a, at_b = ((tile * steps + first + step) * scales for tile in (tile_a, tile_b))
        selected = f", ${after}, {{{at_a % 4}, 0}}, ${after + 1}, {{{at_b % 4}, 0}}"
        return selected, [("r", "i32", scale_a[at_a // 4]), ("r", "i32", scale_b[at_b // 4])]

    mma = (
        f"mma.sync.aligned.kind::{op.kind.data}.block_scale.scale_vec::{scales}X.m{m}n{n}k{k}"
        f".row.col.f32.{types}"
    )
    _multiply_tiles(writer, op, mma, a, b, c, scale)


def _multiply_tiles(
    writer: LlvmFunctionWriter,
    op: nvvm.FragmentMmaOp | nvvm.FragmentScaledMmaOp,
    mma: str,
    a: Sequence[Operand],
    b: Sequence[Operand],
    c: list[Operand],
    scale: Callable[[int, int, int, int], tuple[str, list[Operand]]] | None = None,
) -> None:
    """
    An MMA for each tile of the result and step along K. `scale` gives what follows its operands,
    as text and operands: by the number of the next operand, those of the tiles of A and B, and the
    step.
    """
    batches, rows, columns, steps = op.get_tiles()
    held = registers_of(op.result.type)
    size_a, size_b = len(a) // (batches * rows * steps), len(b) // (batches * columns * steps)
    size_c = len(c) // (batches * rows * columns)
    starts = [0, size_c, size_c + size_a, size_c + size_a + size_b]
    sizes = (size_c, size_a, size_b, size_c)
    lists = ", ".join(list_of(start, size) for start, size in zip(starts, sizes, strict=True))
    outputs = as_outputs(held[:size_c])
    text, scaled = "", list[Operand]()
    for batch in range(batches):
        for step in range(steps):
            for row in range(rows):
                tile_a = batch * rows + row
                at_a = (tile_a * steps + step) * size_a
                for column in _snake(columns, row):
                    tile_b = batch * columns + column
                    at_b = (tile_b * steps + step) * size_b
                    at_c = (tile_a * columns + column) * size_c
                    if scale is not None:
                        text, scaled = scale(starts[-1] + size_c, tile_a, tile_b, step)
                    inputs = [
                        *a[at_a : at_a + size_a],
                        *b[at_b : at_b + size_b],
                        *c[at_c : at_c + size_c],
                        *scaled,
                    ]
                    results = writer.assembly(
                        f"{mma} {lists}{text};", outputs, inputs, effects=False, converges=True
                    )
                    for index, result in enumerate(results):
                        constraint, ty, _ = c[at_c + index]
                        c[at_c + index] = constraint, ty, result
    writer.set(op.result, *restore(writer, held, [value for _, _, value in c]))


def _packed_bytes(writer: LlvmFunctionWriter, value: SSAValue) -> list[str]:
    """Bytes of a vector as words of 32 bits; the last one may have fewer."""
    words: list[str] = []
    lanes = writer.lanes(value)
    for start in range(0, len(lanes), 4):
        word = ""
        for index, lane in enumerate(lanes[start : start + 4]):
            wide = writer.define(f"zext i8 {lane} to i32")
            if index:
                wide = writer.define(f"shl i32 {wide}, {8 * index}")
                wide = writer.define(f"or i32 {word}, {wide}")
            word = wide
        words.append(word)
    return words


def _snake(columns: int, row: int) -> Sequence[int]:
    """
    Alternately forwards and backwards (serpentine), so that consecutive instructions share an
    operand, whose registers ptxas can reuse.
    """
    return range(columns - 1, -1, -1) if row % 2 else range(columns)


@translates(nvvm.FragmentLdMatrixOp)
def _fragment_ldmatrix(writer: LlvmFunctionWriter, op: nvvm.FragmentLdMatrixOp) -> None:
    num = op.num.value.data
    name = f"{NVVM}{_matrices('ld', num, op.trans)}"
    result = "i32" if num == 1 else f"{{ {', '.join(['i32'] * num)} }}"
    words: list[str] = []
    for address in writer.lanes(op.addresses):
        text = writer.call(name, result, [(SHARED, address)])
        if num == 1:
            words.append(text)
        else:
            words.extend(writer.define(f"extractvalue {result} {text}, {i}") for i in range(num))
    held: Sequence[Register] = registers_of(op.result.type)
    writer.set(
        op.result,
        *(writer.cast_back(word, each) for word, each in zip(words, held, strict=True)),
    )


@translates(nvvm.FragmentStMatrixOp, needs=SM_90)
def _fragment_stmatrix(writer: LlvmFunctionWriter, op: nvvm.FragmentStMatrixOp) -> None:
    num = op.num.value.data
    name = f"{NVVM}{_matrices('st', num, op.trans)}"
    words = [(ty, text) for _, ty, text in _words(writer, op.value)]
    for index, address in enumerate(writer.lanes(op.addresses)):
        part = words[index * num : (index + 1) * num]
        writer.call(name, "void", [(SHARED, address), *part])


@translates(nvvm.FragmentCpAsyncOp)
def _cp_async(writer: LlvmFunctionWriter, op: nvvm.FragmentCpAsyncOp) -> None:
    size = op.bytes.value.data
    modifier = "cg" if size == 16 else "ca"
    name = f"{NVVM}cp.async.{modifier}.shared.global.{size}"
    targets, sources = writer.lanes(op.dst), writer.lanes(op.src)
    masks = [None] * len(targets) if op.mask is None else writer.lanes(op.mask)
    is_size = op.mask is not None and op.mask.type == VectorType(i32, [len(targets)])
    sizes: dict[str, str] = {}
    for target, source, mask in zip(targets, sources, masks, strict=True):
        arguments = [(SHARED, target), (GLOBAL, source)]
        if mask is None:
            writer.call(name, "void", arguments)
            continue
        if is_size:
            sizes[mask] = mask
        elif mask not in sizes:
            sizes[mask] = writer.define(f"select i1 {mask}, i32 {size}, i32 0")
        writer.call(f"{name}.s", "void", [*arguments, ("i32", sizes[mask])])
