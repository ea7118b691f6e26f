"""The layouts of dots: by `mma.sync` and FMAs, by WGMMA, and by `tcgen05`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import FloatTF32Type, TensorType, UnitAttr, f16, f32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import region_dce

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.matrix_layouts import (
    ROW_PERMUTATIONS,
    RowPermutation,
    SharedRead,
    wgmma_a,
    wgmma_accumulator,
)
from tileiras_xdsl.analysis.mma_instructions import (
    choose_grid,
    get_mma_instruction,
    mma_layouts,
    scale_layouts,
    vector_layout,
)
from tileiras_xdsl.analysis.tensor_memory_layouts import choose_row_grid, row_layout
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width, memory_bits
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.shape import PermuteOp, SplatOp
from tileiras_xdsl.dialects.nv_tileas.atoms import TCGEN05_ATOM, WGMMA_ATOM
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    K_PERMUTATION,
    LAYOUT,
    LAYOUT_A,
    LAYOUT_B,
    LAYOUT_SCALE_A,
    LAYOUT_SCALE_B,
    STAGED,
    KPermutationAttr,
)
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, PlainDotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import GatherLoadOp, LoadOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.plan import get_plan
from tileiras_xdsl.dialects.nv_tileas.shape import ViewOp
from tileiras_xdsl.dialects.nv_tileas.types import AtomAttr, get_kernel_hint
from tileiras_xdsl.dialects.tileiras import explain, remark
from tileiras_xdsl.targets.machine import BYTE_BITS, WARPGROUP_THREADS, WARPGROUP_WARPS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05 import TensorMemoryWarpgroups, accumulator_columns
from tileiras_xdsl.targets.warpgroups import MIN_COLUMNS, WGMMA_M, Warpgroups, live_registers
from tileiras_xdsl.transforms.common.accumulator_liveness import find_live_together, live_shapes
from tileiras_xdsl.transforms.common.kernel_spec import set_warps
from tileiras_xdsl.transforms.common.scaled_dots import (
    emulate_scaled_dot,
    explain_emulation,
    types_of,
    why_not_scaled_tcgen05,
)
from tileiras_xdsl.transforms.tileas.kernel_model.iteration_work import are_interleaved
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import set_anchor_layout
from tileiras_xdsl.transforms.tileas.kernel_model.registers import is_made, peak_words
from tileiras_xdsl.transforms.tileas.kernel_model.staged_loads import (
    has_dots,
    is_mma_sync,
    why_not_staged,
)
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_memory_assignment import (
    TensorMemoryAssignment,
)
from tileiras_xdsl.transforms.tileas.kernel_model.wgmma import (
    MMA_SYNC_ATOM,
    choose_warpgroup_grid,
    get_scaled_instruction,
    k_permutation_or_reason,
    takes_accumulators,
)
from tileiras_xdsl.transforms.tileas.kernel_model.written_operands import feeds_dot
from tileiras_xdsl.xdsl_extras.walking import find_all, last_of, walk

from ..kernel_model.copied_loads import mark_copied, unmark_copied
from ..kernel_model.requirements import computed_words
from ..kernel_model.scaled_tcgen05 import (
    is_unpacked,
    is_written,
    pack_operands,
    prepare_scaled_dot,
    scale_columns,
)
from ..kernel_model.tcgen05_selection import (
    can_use_tcgen05,
    fitting_dots,
    has_row_layout,
    keeps_a_in_tensor_memory,
    operand_columns,
    why_not_tcgen05,
)
from ..kernel_model.tensor_memory_webs import needed_columns
from ..kernel_model.tma_loads import find_load, operand_or_reason, tile_or_reason, whole_tiling
from ..kernel_model.wgmma_selection import (
    NOT_MIXED,
    drop_mixed,
    drop_unfitting,
    explain_pointers,
    find_copied_loads,
    find_possible,
    find_shared_tiles,
    find_wasted_copies,
    group_by_loop,
    makes_only_b,
    operand_bytes,
    refuse,
    why_not_wgmma,
)
from ..kernel_model.written_operands import find_written_layouts, keeps_a_in_registers
from .memory_layouts import find_loads

# The layouts of dots by `mma.sync` and by FMAs.
#
#     nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm80>, nv_tileas.layout = …,
#         nv_tileas.layout_a = …, nv_tileas.layout_b = …} : …
#
# A dot by FMAs (atom `fma`) is an anchor for its result only, and takes operands in any layout.


@dataclass(frozen=True)
class DotAnchors:
    """Selects the instructions and layouts of the dots of a kernel."""

    target: Target
    warps: int

    def assign(self, op: Operation) -> None:
        """
        Puts instruction and layouts of a dot without an instruction into its attributes, and
        converts its operands.
        """
        if isinstance(op, ScaledDotOp) and op.atom is None:
            self._assign_scaled(op)
        if not isinstance(op, DotOp) or op.atom is not None:
            return
        shape, k = get_shape(op.result.type), get_shape(op.a.type)[-1]
        mma = get_mma_instruction(op, self.target)
        layouts = None
        if mma is not None:
            grid = choose_grid(shape, self.warps, mma.instruction, rows_only=feeds_dot(op))
            layouts = mma_layouts(shape, k, grid, mma.instruction)
        if mma is None or layouts is None:
            self._assign_fma(op)
            return
        if mma.operand_type is not None:
            for number in (0, 1):
                convert_operand(op, number, mma.operand_type)
        op.properties["atom"] = AtomAttr(MMA_SYNC_ATOM)
        set_anchor_layout(op, LAYOUT, layouts.accumulator)
        set_anchor_layout(op, LAYOUT_A, layouts.a)
        set_anchor_layout(op, LAYOUT_B, layouts.b)

    def _assign_scaled(self, op: ScaledDotOp) -> None:
        """A block-scaled dot, which only an instruction can do."""
        instruction = get_scaled_instruction(op, self.target).instruction
        if instruction.element_bits < BYTE_BITS and is_unpacked(op):
            pack_operands(op)
            instruction = instruction.of_bytes()
        shape, k = get_shape(op.result.type), get_shape(op.a.type)[-1]
        grid = choose_grid(shape, self.warps, instruction)
        layouts = mma_layouts(shape, k, grid, instruction)
        assert layouts is not None
        groups = get_shape(op.scale_a.type)[-1]
        scale_a, scale_b = scale_layouts(shape, groups, grid, instruction)
        op.properties["atom"] = AtomAttr(MMA_SYNC_ATOM)
        set_anchor_layout(op, LAYOUT, layouts.accumulator)
        set_anchor_layout(op, LAYOUT_A, layouts.a)
        set_anchor_layout(op, LAYOUT_B, layouts.b)
        set_anchor_layout(op, LAYOUT_SCALE_A, scale_a)
        set_anchor_layout(op, LAYOUT_SCALE_B, scale_b)

    def _assign_fma(self, op: DotOp) -> None:
        rounds = op.input_precision is not None and op.input_precision.data == "tf32"
        wide = f16 if get_element(op.result.type) == f16 else f32
        for number in (0, 1):
            element = get_element(op.operands[number].type)
            if rounds and element == f32:
                convert_operand(op, number, FloatTF32Type())
            if is_float(element) and element_bit_width(element) <= 8:
                convert_operand(op, number, wide)
        op.properties["atom"] = AtomAttr("fma")
        set_anchor_layout(op, LAYOUT, vector_layout(get_shape(op.result.type), self.warps))


def convert_operand(op: DotOp, number: int, element: Attribute) -> None:
    """Converts an operand to another type, which has all its values unless it may be rounded."""
    value = op.operands[number]
    if get_element(value.type) == element:
        return
    conversion = FpToFpOp(value, TensorType(element, get_shape(value.type)))
    conversion.location = op.location
    Rewriter.insert_op(conversion, InsertPoint.before(op))
    op.operands[number] = conversion.result


# Accumulators that loops carry in the shape in which dots need them.
#
# Before:  %r = scf.for … iter_args(%t = %zero) -> (tensor<1x128x256xf32>) {
#            %c = nv_tileas.view %t : tensor<1x128x256xf32> -> tensor<128x256xf32>
#            %d = nv_tileas.dot %a, %b, %c : …
#            %next = nv_tileas.view %d : tensor<128x256xf32> -> tensor<1x128x256xf32>
#            scf.yield %next
#          }
# After:   %first = nv_tileas.view %zero : tensor<1x128x256xf32> -> tensor<128x256xf32>
#          %last = scf.for … iter_args(%c = %first) -> (tensor<128x256xf32>) {
#            %d = nv_tileas.dot %a, %b, %c : …
#            scf.yield %d
#          }
#          %r = nv_tileas.view %last : tensor<128x256xf32> -> tensor<1x128x256xf32>
#
# The dot then yields what the next one adds to, so it can stay in flight from one iteration to the
# next, and the loop has no tiles but the accumulator.


def _move_all_reshapes_out(function: FuncOp) -> None:
    # Inner loops first: the reshape behind one is then at the end of the loop around it.
    for op in find_all(function, scf.ForOp, inner_first=True):
        for number in range(len(op.results)):
            _move_reshapes_out(op, number)


def _move_reshapes_out(loop: scf.ForOp, number: int) -> None:
    """Carries a value in the shape of the dot that computes it, if the body uses no other."""
    argument, end = loop.body.block.args[1 + number], last_of(loop.body.block)
    back = end.operands[number].owner
    if not isinstance(back, ViewOp | PermuteOp) or back.parent_block() is not loop.body.block:
        return
    views = [use.operation for use in argument.uses]
    if not views or not isinstance(back.source.owner, DotOp | scf.ForOp):
        return
    if not all(_is_inverse(view, back) for view in views):
        return
    shape = back.source.type
    first = _reshape_carried(views[0], loop.iter_args[number], InsertPoint.before(loop))
    for view in views:
        view.results[0].replace_all_uses_with(argument)
        Rewriter.erase_op(view)
    end.operands[number] = back.source
    loop.operands[3 + number] = first
    Rewriter.replace_value_with_new_type(argument, shape)
    last = Rewriter.replace_value_with_new_type(loop.results[number], shape)
    behind = _reshape_carried(back, last, InsertPoint.after(loop))
    last.replace_uses_with_if(behind, lambda use: use.operation is not behind.owner)
    if back.result.first_use is None:
        Rewriter.erase_op(back)


def _is_inverse(view: Operation, back: ViewOp | PermuteOp) -> bool:
    """Whether an op takes what another one made of a tile back to that tile."""
    if isinstance(back, ViewOp):
        return isinstance(view, ViewOp) and view.result.type == back.source.type
    if not isinstance(view, PermuteOp):
        return False
    permuted = view.get_permutation()
    return all(permuted[dim] == place for place, dim in enumerate(back.get_permutation()))


def _reshape_carried(view: Operation, tile: SSAValue, point: InsertPoint) -> SSAValue:
    """Another tile in the shape that an op has; one of equal elements is made in that shape."""
    owner = tile.owner
    if isinstance(owner, SplatOp):
        new: Operation = SplatOp(owner.source, view.results[0].type)
    else:
        new = view.clone({view.operands[0]: tile})
    new.location = view.location
    Rewriter.insert_op(new, point)
    return new.results[0]


# Block-scaled dots, as `tcgen05` reads their operands and scales or, where it cannot do them, in
# f32.

NO_ROOM = "accumulators, scales and operands do not fit in tensor memory and shared memory together"


@dataclass
class PreparedDots:
    """The block-scaled dots of a kernel, with the operands that they had in the program."""

    function: FuncOp
    operands: dict[ScaledDotOp, Sequence[SSAValue]] = field(
        default_factory=dict[ScaledDotOp, "Sequence[SSAValue]"]
    )

    def prepare(self, op: DotOp) -> DotOp:
        """The dot to be assigned in place of another one."""
        if not isinstance(op, ScaledDotOp):
            return op
        operands = (op.a, op.b, op.accumulator, *op.scales)
        if _why_not(op) is None:
            op = prepare_scaled_dot(op)
        self.operands[op] = operands
        return op

    def emulate_others(self) -> None:
        """Computes those in f32 that have no instruction, and removes what nothing needs."""
        for op, operands in self.operands.items():
            if op.atom is None:
                emulate(op, operands)
        if self.operands:
            region_dce(self.function.body)


def _why_not(op: ScaledDotOp) -> str | None:
    return why_not_scaled_tcgen05(types_of(op), get_shape(op.result.type), op.k)


def emulate(op: ScaledDotOp, operands: Sequence[SSAValue]) -> None:
    """Replaces a dot by one of f32; its operands may have changed since."""

    def insert(new: Operation) -> None:
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))

    values = (*operands[:2], op.accumulator, *operands[3:])
    explain_emulation(op, op.k, _why_not(op) or NO_ROOM)
    result = emulate_scaled_dot(values, op.accumulate, op.attributes, insert)
    op.result.replace_all_uses_with(result)
    Rewriter.erase_op(op)


# Marks the dots by `mma.sync` whose operands TMA loads (see `kernel_model/staged_mma.py`).


def mark_staged_dots(function: FuncOp, target: Target) -> str | None:
    """
    Marks the dots of a kernel in loops whose tiles TMA loads. Returns why it does not load them, if
    there are such loops.
    """
    if target.mma_pipelining is None:
        return None
    dots = [op for op in find_all(function, DotOp) if is_mma_sync(op) and has_dots(op.parent_op())]
    reason = why_not_staged(function, target, analyze(function)) if dots else None
    if reason is None:
        for op in dots:
            STAGED.set(op, UnitAttr())
    return reason


# Transposed dots.
#
#     %d = nv_tileas.dot %q, %k, %c : tensor<16x64xf16>, tensor<64x128xf16>, tensor<16x128xf32>
#     →
#     %t = nv_tileas.dot %k', %q', %c' : tensor<128x64xf16>, tensor<64x16xf16>, tensor<128x16xf32>
#     %d = nv_tileaa.permute %t {permutation = array<i32: 1, 0>} : …
#
# A permutation only changes how a tile is read, so it costs nothing.
#
# Dots with few rows: WGMMA has 64 rows, but as few as 8 columns. Padding to 64 rows would take the
# tensor cores as long as 64 rows do, and registers for accumulators that nobody needs.
#
# Dots whose operand B threads make, such as weights of 4 or 8 bits that they convert, or one that
# WGMMA cannot read as it is loaded: as operand A it is in registers. No thread writes it to shared
# memory, and none waits for others.

ROLES = {"signedness_lhs": "signedness_rhs", "signedness_rhs": "signedness_lhs"}
"""Properties of one operand that become those of the other."""


def swap_sides(
    dots: Sequence[DotOp],
    axis_info: AxisInfoAnalysis,
    can_use: Callable[[DotOp], bool],
    can_make: Callable[[DotOp], bool] = lambda _: False,
) -> list[DotOp]:
    """
    Dots of which those with too few rows for an MMA from shared memory are transposed, and those
    whose operand B threads can make in registers, but have to, in loops all of whose dots it can do
    then. Outside of loops nothing is loaded ahead, so `mma.sync` is as good.
    """
    found: list[DotOp] = []
    for loop, inside in group_by_loop(dots).items():
        swapped = inside
        if loop is not None:
            swapped = [_swap(op, axis_info, can_make) for op in inside]
        if swapped == inside or all(map(can_use, swapped)):
            found += swapped
            continue
        for old, new in zip(inside, swapped, strict=True):
            found.append(old if new is old else _swap_back(new))
    return found


def _swap(op: DotOp, axis_info: AxisInfoAnalysis, can_make: Callable[[DotOp], bool]) -> DotOp:
    """The transposed dot if that is better, else the dot."""
    shape = get_shape(op.result.type)
    if isinstance(op, ScaledDotOp) or len(shape) != 2:
        return op
    rows, columns = shape
    if not MIN_COLUMNS <= rows or not WGMMA_M <= columns:
        return op
    if rows < WGMMA_M:
        is_better = not isinstance(tile_or_reason(op.b, axis_info), str)
    else:
        is_better = can_make(op)
    return _transpose(op) if is_better else op


def _transpose(op: DotOp) -> DotOp:
    """Replaces a dot by the transposed one."""
    made: list[Operation] = []

    def transpose(value: SSAValue) -> SSAValue:
        source = value.owner
        if isinstance(source, PermuteOp) and source.get_permutation() == (1, 0):
            return source.source
        change: PermuteOp | SplatOp = PermuteOp(value, (1, 0))
        if isinstance(source, SplatOp):
            shape = get_shape(value.type)[::-1]
            change = SplatOp(source.source, TensorType(get_element(value.type), shape))
        made.append(change)
        return change.result

    properties: dict[str, Attribute] = {
        ROLES.get(name, name): each
        for name, each in op.properties.items()
        if name != "operandSegmentSizes"
    }
    dot = PlainDotOp(
        transpose(op.b), transpose(op.a), transpose(op.accumulator), op.accumulate, properties
    )
    result = PermuteOp(dot.result, (1, 0))
    made += [dot, result]
    for each in made:
        each.location = op.location
    Rewriter.insert_op(made, InsertPoint.before(op))
    op.result.replace_all_uses_with(result.result)
    Rewriter.erase_op(op)
    return dot


def _swap_back(op: DotOp) -> DotOp:
    """Replaces a transposed dot by the one that it was."""
    (use,) = op.result.uses
    permuted = use.operation
    dot = _transpose(op)
    permuted.results[0].replace_all_uses_with(dot.result)
    Rewriter.erase_op(permuted)
    return dot


# Whether tiles of dots fit in tensor memory, found out by a trial.
#
# Accumulators that are live together may fit by their number, and yet take more columns when they
# are put into tensor memory: of two dots in a row that add to one accumulator, with work in
# between, each has a place of its own. If there are columns for all places of a kernel, nothing
# needs to be tried.

Assign = Callable[[DotOp], None]
"""Assigns `tcgen05` to a dot."""
Repair = Callable[[list[DotOp]], list[DotOp]]
"""Those of some dots that may stay when others do not."""


def drop_overflowing(
    function: FuncOp, dots: Sequence[DotOp], columns: int, assign: Assign, repair: Repair
) -> list[DotOp]:
    """Those of some dots of a kernel whose tiles fit in this many columns of tensor memory."""
    kept = list(dots)
    while kept and _most_columns(kept) > columns and _try(function, kept, assign) > columns:
        # The largest accumulator is given up first.
        kept.remove(max(kept, key=lambda op: accumulator_columns(get_shape(op.result.type))))
        kept = repair(kept)
    return kept


def _most_columns(dots: Sequence[DotOp]) -> int:
    """Columns if no two tiles share any."""
    total = sum(accumulator_columns(get_shape(op.result.type)) + operand_columns(op) for op in dots)
    return total + sum(sum(scale_columns(op)) for op in dots if isinstance(op, ScaledDotOp))


def _try(function: FuncOp, dots: Sequence[DotOp], assign: Assign) -> int:
    """The columns that a kernel would need, with `tcgen05` for some of its dots."""
    copy = function.clone()
    chosen = set(dots)
    copies = [
        new
        for old, new in zip(walk(function), walk(copy), strict=True)
        if old in chosen and isinstance(new, DotOp)
    ]
    for op in copies:
        assign(op)
    TensorMemoryAssignment(copy).run(copies)
    return needed_columns(copy)


# The layouts of dots by `tcgen05`, as long as their accumulators are still in registers.
#
#     nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm100>, nv_tileas.layout = …,
#         nv_tileas.layout_a = …} : …
#
# They are those in which threads read an accumulator from tensor memory, and write an operand A
# there: each has a row. `tileas-assign-tensor-memory` follows, when all layouts are known.

NO_COLUMNS: Final = (
    "accumulators that are live together do not fit in tensor memory or in registers"
)
NO_TENSOR_MEMORY: Final = "operands would not fit in shared memory, or tiles in tensor memory"


def assign_tcgen05(
    function: FuncOp, dots: list[DotOp], target: Target, warpgroups: TensorMemoryWarpgroups
) -> Mapping[DotOp, str]:
    """
    Assigns `tcgen05` to the dots of a kernel that it can do, and the number of warpgroups.
    Block-scaled dots that it cannot do are computed in f32. Returns why it does not do the others.
    """
    scaled = PreparedDots(function)
    refusals = assign_dots(function, [scaled.prepare(op) for op in dots], target, warpgroups)
    scaled.emulate_others()
    return refusals


def assign_dots(
    function: FuncOp, dots: list[DotOp], target: Target, warpgroups: TensorMemoryWarpgroups
) -> Mapping[DotOp, str]:
    """The same, for dots whose operands are as `tcgen05` reads them."""
    axis_info = analyze(function)
    dots = swap_sides(dots, axis_info, lambda op: can_use_tcgen05(op, target, axis_info))
    refusals: dict[DotOp, str] = {}
    found = find_possible(dots, lambda op: why_not_tcgen05(op, target, axis_info), refusals)
    found = refuse(refusals, found, drop_mixed(found, dots), NOT_MIXED.format("tcgen05"))
    found = refuse(refusals, found, fitting_dots(found, warpgroups), NO_COLUMNS)
    num_warpgroups = warpgroups.choose_num_warpgroups(live_shapes(found))
    if num_warpgroups is None:
        return refusals
    if any(isinstance(op, ScaledDotOp) and is_written(op, axis_info) for op in found):
        # Each thread loads and writes half as much.
        num_warpgroups = warpgroups.max_warpgroups

    def keep(num_warpgroups: int) -> list[DotOp]:
        """Those of the dots found that this many warpgroups can do."""
        kept = [op for op in found if has_row_layout(op, num_warpgroups)]
        count = None
        # Load groups that threads read as well share no buffers: fewer dots may need more memory.
        while len(kept) != count:
            count = len(kept)
            kept = drop_unfitting(kept, num_warpgroups, target, axis_info, keeps_a, transposed=True)
            kept = drop_overflowing(
                function,
                kept,
                warpgroups.columns,
                lambda op: _assign_tcgen05(op, num_warpgroups),
                lambda kept: drop_mixed(kept, dots),
            )
        return kept

    kept = keep(num_warpgroups)
    if len(kept) < len(dots):
        # Accumulators of the others are in registers.
        elsewhere = {*find_shared_tiles(kept, axis_info), *(op.result for op in kept)}
        if warpgroups.is_short_of_registers(peak_words(function, elsewhere), num_warpgroups):
            num_warpgroups = warpgroups.max_warpgroups
            kept = keep(num_warpgroups)
    found = refuse(refusals, found, kept, NO_TENSOR_MEMORY)
    if not found:
        return refusals
    set_warps(function, WARPGROUP_WARPS * num_warpgroups)
    for op in found:
        mma = None if isinstance(op, ScaledDotOp) else get_mma_instruction(op, target)
        if mma is not None and isinstance(mma.operand_type, FloatTF32Type):
            for number in (0, 1):
                convert_operand(op, number, mma.operand_type)
        _assign_tcgen05(op, num_warpgroups)
    return refusals


def keeps_a(op: DotOp, num_warpgroups: int) -> bool:
    """Whether operand A of a dot is loaded to shared memory, or written to tensor memory."""
    grid = choose_row_grid(get_shape(op.result.type), num_warpgroups)
    return find_load(op.a) is not None or keeps_a_in_tensor_memory(op, grid)


def _assign_tcgen05(op: DotOp, num_warpgroups: int) -> None:
    shape = get_shape(op.result.type)
    grid = choose_row_grid(shape, num_warpgroups)
    accumulator = row_layout(shape, grid)
    assert accumulator is not None
    op.properties["atom"] = AtomAttr(TCGEN05_ATOM)
    set_anchor_layout(op, LAYOUT, accumulator)
    if keeps_a_in_tensor_memory(op, grid):
        a = row_layout(get_shape(op.a.type), grid)
        assert a is not None
        set_anchor_layout(op, LAYOUT_A, a)


# The layouts of WGMMA.
#
#     nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>, nv_tileas.layout = …,
#         nv_tileas.layout_a = …} : …

SEGMENTS = "operandSegmentSizes"


def assign_wgmma(
    function: FuncOp, target: Target, *, k_permutation: bool = True
) -> Mapping[DotOp, str]:
    """
    Assigns WGMMA to the dots of a kernel that it can do, and the number of warpgroups; orders
    columns of operands B for an operand A of 8 bits, if `k_permutation` allows that. Returns why
    the other dots are none.
    """
    for load in find_all(function, TiledLoadOp, LoadOp, GatherLoadOp):
        K_PERMUTATION.drop(load)
        unmark_copied(load)
    warpgroups = target.warpgroups
    refusals: dict[DotOp, str] = {}
    if warpgroups is None:
        return refusals
    dots = [*map(_drop_batch, find_all(function, DotOp))]
    if not dots:
        return refusals
    _move_all_reshapes_out(function)
    if isinstance(warpgroups, TensorMemoryWarpgroups):
        return assign_tcgen05(function, dots, target, warpgroups)
    axis_info = analyze(function)
    dots = swap_sides(
        dots,
        axis_info,
        lambda op: why_not_wgmma(op, target, axis_info) is None,
        partial(makes_only_b, target=target, axis_info=axis_info),
    )
    _move_all_reshapes_out(function)
    copied = find_copied_loads(dots, axis_info)
    for load in copied:
        mark_copied(load)
    while True:
        refusals.clear()
        found, num_warpgroups = _choose_dots(
            function, dots, target, warpgroups, axis_info, refusals
        )
        wasted = find_wasted_copies(found, copied, num_warpgroups, target, axis_info)
        if not wasted:
            break
        for load in wasted:
            unmark_copied(load)
        copied = [load for load in copied if load not in wasted]
    if not found:
        return refusals
    set_warps(function, WARPGROUP_WARPS * num_warpgroups)
    for op in found:
        mma = get_mma_instruction(op, target)
        if mma is not None and isinstance(mma.operand_type, FloatTF32Type):
            for number in (0, 1):
                convert_operand(op, number, mma.operand_type)
    explain_pointers(found, axis_info)
    for op in found:
        _assign_wgmma(op, num_warpgroups)
    if all(map(is_made, found)):
        _order_rows(found, num_warpgroups)
    if k_permutation:
        for op in filter(LAYOUT_A.is_on, found):
            _order_columns(op, num_warpgroups, axis_info)
    return refusals


def _choose_dots(
    function: FuncOp,
    dots: Sequence[DotOp],
    target: Target,
    warpgroups: Warpgroups,
    axis_info: AxisInfoAnalysis,
    refusals: dict[DotOp, str],
) -> tuple[list[DotOp], int]:
    """
    The dots of a kernel that WGMMA does, and the number of warpgroups that it takes. Why it does
    not do the others goes to `refusals`.
    """
    why_not = partial(why_not_wgmma, target=target, axis_info=axis_info)
    found = find_possible(dots, why_not, refusals)
    found = refuse(refusals, found, drop_mixed(found, dots), NOT_MIXED.format("WGMMA"))
    live, operand_words = live_shapes(found), max(map(computed_words, found), default=0)
    num_warpgroups = warpgroups.choose_num_warpgroups(live, operand_words=operand_words)
    if num_warpgroups is None:
        refusals.update(why_not_together(found, warpgroups))
        return [], 0
    if num_warpgroups < warpgroups.max_warpgroups:
        # More may be better for all other tiles.
        tiles = peak_words(function, find_shared_tiles(found, axis_info))
        num_warpgroups = warpgroups.choose_num_warpgroups(live, tiles, operand_words)
        assert num_warpgroups is not None
    if (planned := get_plan(function).warps) is not None:
        reason = why_not_planned(planned, live, operand_words, warpgroups)
        if reason is None:
            num_warpgroups = planned // WARPGROUP_WARPS
        else:
            text = f"not the {planned} warps of the plan"
            remark(function, "Missed", "Pipeline", text, name="Warps", reason=reason)
    elif (
        num_warpgroups == warpgroups.max_warpgroups
        and get_kernel_hint(function, "occupancy") == 1
        and len(found) == len(dots)
        and are_interleaved(found)
        and warpgroups.can_interleave(live, operand_words)
    ):
        num_warpgroups = warpgroups.interleaved_warpgroups
    shared = [op for op in found if can_share(op, num_warpgroups, axis_info)]
    for op in found:
        if op not in shared:
            columns = get_shape(op.result.type)[1]
            refusals[op] = f"its N = {columns} cannot be divided among warpgroups"
    kept = drop_unfitting(shared, num_warpgroups, target, axis_info)
    if len(kept) < len(shared):
        total = operand_bytes(shared, num_warpgroups, axis_info)
        reason = f"operands of WGMMAs would take {total} bytes of shared memory"
        refuse(refusals, shared, kept, reason)
    return kept, num_warpgroups


def why_not_planned(
    warps: int,
    live: Sequence[Sequence[Sequence[int]]],
    operand_words: int,
    warpgroups: Warpgroups,
) -> str | None:
    """Why WGMMAs cannot have as many warps as a plan asks for."""
    count = warps // WARPGROUP_WARPS
    if warps % WARPGROUP_WARPS:
        return f"WGMMA takes {WARPGROUP_WARPS} each"
    most = max(warpgroups.max_warpgroups, warpgroups.interleaved_warpgroups)
    if count > most:
        return f"at most {most * WARPGROUP_WARPS} multiply"
    operand = -(-operand_words // (WARPGROUP_THREADS * count))
    needed = live_registers(live, count) + operand + warpgroups.overhead_registers
    available = warpgroups.registers_of_consumers(warps)
    if needed > available:
        return f"threads need about {needed} registers and would have {available}"
    return None


def why_not_together(dots: Sequence[DotOp], warpgroups: Warpgroups) -> dict[DotOp, str]:
    """Why dots that WGMMA could do are none: accumulators that are live together do not fit."""
    live = find_live_together(dots)
    # Accumulator registers per thread, with as many warpgroups as possible.
    shapes = [[get_shape(each.result.type) for each in some] for some in live]
    needed = [live_registers([each], warpgroups.max_warpgroups) for each in shapes]
    limit, reasons = warpgroups.max_accumulator_registers, dict[DotOp, str]()
    for op in dots:
        own = max(number for some, number in zip(live, needed, strict=True) if op in some)
        where, number = ("with its own", own) if own > limit else ("elsewhere", max(needed))
        reasons[op] = (
            f"accumulators that are live {where} take {number} registers per thread with "
            f"{warpgroups.max_warpgroups} warpgroups, more than {limit}"
        )
    return reasons


def can_share(op: DotOp, num_warpgroups: int, axis_info: AxisInfoAnalysis) -> bool:
    """Whether warpgroups can divide a dot: a matrix descriptor can address the part of each."""
    shape = get_shape(op.result.type)
    grid = choose_warpgroup_grid(shape, num_warpgroups)
    columns = shape[1] // grid.n
    if columns < MIN_COLUMNS:
        return False
    operand = operand_or_reason(op.b, 0, axis_info)
    if isinstance(operand, str):
        size = memory_bits(get_element(op.b.type)) // 8
        return bool(find_written_layouts(get_shape(op.b.type), 0, size, columns))
    return operand.offset(columns) is not None


def _drop_batch(op: DotOp) -> DotOp:
    """A batched dot of one batch without the batch dimension."""
    shape = get_shape(op.result.type)
    if len(shape) != 3 or shape[0] != 1 or isinstance(op, ScaledDotOp):
        return op
    values = [_reshape_dot(op, value, get_shape(value.type)[1:]) for value in op.operands[:3]]
    properties = {name: each for name, each in op.properties.items() if name != SEGMENTS}
    dot = PlainDotOp(values[0], values[1], values[2], op.accumulate, properties)
    dot.location = op.location
    Rewriter.insert_op(dot, InsertPoint.before(op))
    result = _reshape_dot(op, dot.result, shape)
    op.result.replace_all_uses_with(result)
    Rewriter.erase_op(op)
    return dot


def _reshape_dot(op: Operation, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    view = ViewOp(value, TensorType(get_element(value.type), shape))
    view.location = op.location
    Rewriter.insert_op(view, InsertPoint.before(op))
    return view.result


def _assign_wgmma(
    op: DotOp, num_warpgroups: int, *, row_permutation: RowPermutation | None = None
) -> None:
    shape = get_shape(op.result.type)
    grid = choose_warpgroup_grid(shape, num_warpgroups)
    accumulator = wgmma_accumulator(shape, grid.m, grid.n, row_permutation=row_permutation)
    bits = memory_bits(get_element(op.a.type))
    a = wgmma_a(get_shape(op.a.type), bits, grid.m, grid.n, row_permutation=row_permutation)
    assert accumulator is not None
    assert a is not None
    op.properties["atom"] = AtomAttr(WGMMA_ATOM)
    set_anchor_layout(op, LAYOUT, accumulator)
    if keeps_a_in_registers(op, grid):
        set_anchor_layout(op, LAYOUT_A, a)


def _order_rows(dots: Sequence[DotOp], num_warpgroups: int) -> None:
    """
    Gives threads neighbouring rows of operands A that they make, if they then read what these are
    made of by fewer instructions; in an order that has the fewest bank conflicts.
    """
    count = partial(_count_reads, dots, num_warpgroups)
    best = min(ROW_PERMUTATIONS, key=count)
    if count(best)[0] < count(None)[0]:
        for op in dots:
            _assign_wgmma(op, num_warpgroups, row_permutation=best)


def _count_reads(
    dots: Sequence[DotOp], num_warpgroups: int, row_permutation: RowPermutation | None
) -> tuple[int, int]:
    """
    How many instructions of a thread read what operands A are made of from buffer stages, and how
    often they read shared memory for a warp.
    """
    instructions = wavefronts = 0
    for op in dots:
        bits = memory_bits(get_element(op.a.type))
        grid = choose_warpgroup_grid(get_shape(op.result.type), num_warpgroups)
        layout = wgmma_a(
            get_shape(op.a.type), bits, grid.m, grid.n, row_permutation=row_permutation
        )
        assert layout is not None
        for load, own in (find_loads(op.a, layout) or {}).items():
            tiling, bits = whole_tiling(load), memory_bits(get_element(load.result.type))
            if tiling is not None and bits >= BYTE_BITS:
                registers = own.compressed()
                read = SharedRead.plan(tiling.layout, registers, bits, ldmatrix=True)
                instructions += read.instructions
                wavefronts += read.wavefronts(bits // BYTE_BITS)
    return instructions, wavefronts


def _order_columns(op: DotOp, num_warpgroups: int, axis_info: AxisInfoAnalysis) -> None:
    """Puts accumulators where operand A of a dot has them, if that takes TMA loads only."""
    if not takes_accumulators(op):
        return
    found = k_permutation_or_reason(op, num_warpgroups, axis_info)
    if isinstance(found, str):
        text = "threads exchange accumulators that become operand A"
        explain(op, "Missed", "TensorCore", text, name="KPermutation", reason=found)
        return
    for load, dim in found.loads.items():
        K_PERMUTATION.set(load, KPermutationAttr(dim))
    for dot in found.dots:
        shape = get_shape(dot.result.type)
        grid = choose_warpgroup_grid(shape, num_warpgroups)
        accumulator = wgmma_accumulator(shape, grid.m, grid.n, k_permutation=True)
        assert accumulator is not None
        set_anchor_layout(dot, LAYOUT, accumulator)
