"""
Loads a tile that is read twice only once.

Before:  scf.for … {
           %k, %t1 = nv_tileaa.tiled_load %a[%i, %j] token(%t) : !nv_tileaa.tiled_view<128x512, …> …
           %v, %t2 = nv_tileaa.tiled_load %b[%i, %j] token(%t) : !nv_tileaa.tiled_view<128x512, …> …
         }
After:   %same = … the tensors of %a and %b have the same address, sizes and strides
         scf.if %same {
           scf.for … { %k, %t1 = nv_tileaa.tiled_load %a[%i, %j] token(%t) … }
         } else {
           scf.for … { … }
         }

Two loads of one tensor that tokens do not order read the same: the second takes the tile of the
first, permuted where its dimensions are in another order. That is for operands of dots, which are
in shared memory: others would be in registers for longer. Two tensors that are arguments of a
kernel may be the same as well, as keys and values of latent attention are. If the operands of dots
of a loop do not fit in shared memory one by one, but do if equal ones are loaded once, there are
two versions of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import memref_of
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AndIOp, CmpIOp, PtrToIntOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    ExpandDimsOperation,
    PermuteOp,
    ViewOperation,
)
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp, TiledLoadOp
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.targets.choices import BESIDE_OPERANDS_BYTES
from tileiras_xdsl.transforms.common.kernel_spec import get_target
from tileiras_xdsl.xdsl_extras.walking import find_all, find_around, parents, walk


@dataclass(frozen=True)
class MergeLoadsPass(ModulePass):
    """
    Replaces a load of an operand of dots by another one of the same block that reads the same tile
    of the same tensor.
    A loop whose operands of dots do not fit in shared memory gets a second version, without loads
    that read the same if two tensors are the same, which is asked at run time. Does nothing for
    architectures without WGMMA.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    - shared-bytes: the shared memory for operands of dots; what the architecture has without it.
    """

    name = "merge-loads"

    compute_capability: str | int | float | None = None
    shared_bytes: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        if target.warpgroups is None and self.shared_bytes is None:
            return
        for function in find_all(op, FuncOp):
            pairs = list(find_pairs(function))
            if not pairs:
                continue
            for first, second in pairs:
                if first.tensor is second.tensor:
                    replace(second.op, first)
            limit = self.shared_bytes or target.shared.limit(asks=True) - BESIDE_OPERANDS_BYTES
            for loop in find_all(function, scf.ForOp):
                add_version(function, loop, limit)


@dataclass(frozen=True)
class TileRead:
    """What a load reads: a tile of a tensor, by dimension of the tensor."""

    op: TiledLoadOp
    tensor: SSAValue
    indices: tuple[SSAValue, ...]

    @staticmethod
    def of(op: TiledLoadOp) -> TileRead | None:
        """What a load reads; None if the rule does not apply to it."""
        make, ty = memref_of(op.view), op.view_type
        if make is None or not is_plain_load(op):
            return None
        dims = ty.get_dim_map()
        indices = [op.indices[dims.index(dim)] for dim in range(ty.rank)]
        return TileRead(op, make.result, tuple(indices))

    @cached_property
    def rest(self) -> tuple[object, ...]:
        """All but the tensor and the indices that decides what is read, and how."""
        op, ty = self.op, self.op.view_type
        dims = [ty.get_dim_map().index(dim) for dim in range(ty.rank)]
        shape, steps = ty.get_tile_shape(), ty.get_steps()
        return (
            self.tensor.type,
            tuple(shape[dim] for dim in dims),
            tuple(steps[dim] for dim in dims),
            ty.get_padding(),
            op.token,
            *(sorted((name, str(value)) for name, value in op.attributes.items())),
            *(
                (name, str(value))
                for name, value in sorted(op.properties.items())
                if name != "operandSegmentSizes"
            ),
        )


def find_pairs(root: Operation) -> Iterator[tuple[TileRead, TileRead]]:
    """Loads of a block that read the same if their tensors are the same; each is second once."""
    earlier_reads: dict[tuple[Block | None, tuple[SSAValue, ...]], list[TileRead]] = {}
    for op in walk(root):
        if not isinstance(op, TiledLoadOp) or not find_reading_dots(op):
            continue
        if (read := TileRead.of(op)) is None:
            continue
        earlier = earlier_reads.setdefault((op.parent_block(), read.indices), [])
        alike = [each for each in earlier if each.rest == read.rest]
        if alike:
            yield next((each for each in alike if each.tensor is read.tensor), alike[0]), read
        earlier.append(read)


def replace(op: TiledLoadOp, read: TileRead) -> None:
    """Replaces a load by the tile that another one has read."""
    source, target = read.op.view_type.get_dim_map(), op.view_type.get_dim_map()
    order = [source.index(dim) for dim in target]
    tile = read.op.result
    if order != sorted(order):
        permute = PermuteOp(tile, order)
        permute.location = op.location
        Rewriter.insert_op(permute, InsertPoint.before(op))
        tile = permute.result
    op.result.replace_all_uses_with(tile)
    if op.result_token is not None and read.op.result_token is not None:
        op.result_token.replace_all_uses_with(read.op.result_token)
    Rewriter.erase_op(op)


# Versions of a loop


def add_version(function: FuncOp, loop: scf.ForOp, limit: int) -> None:
    """
    Adds a version of a loop for tensors that are the same, if operands fit in this many bytes of
    shared memory only then.
    """
    pairs = [
        pair for pair in find_pairs(loop) if all(_is_argument(each, function) for each in pair)
    ]
    if not pairs:
        return
    total = sum(tile_bytes(op) for op in find_live_loads(function, loop) if find_reading_dots(op))
    saved = sum(tile_bytes(second.op) for _, second in pairs)
    if not total - saved <= limit < total:
        return
    condition = emit_is_same(pairs, loop)
    numbers = [(_number(first.op, loop), _number(second.op, loop)) for first, second in pairs]
    version = loop.clone()
    for old, new in zip(walk(loop), walk(version), strict=True):
        new.location = old.location
    loads = [op for op in walk(version) if isinstance(op, TiledLoadOp)]
    for first, second in numbers:
        read = TileRead.of(loads[first])
        assert read is not None
        replace(loads[second], read)
    branch = scf.IfOp(condition, [result.type for result in loop.results], Region(), Region())
    branch.location = loop.location
    Rewriter.insert_op(branch, InsertPoint.before(loop))
    for old, new in zip(loop.results, branch.results, strict=True):
        old.replace_all_uses_with(new)
    loop.detach()
    for region, body in zip(branch.regions, (version, loop), strict=True):
        block = Block([body])
        block.add_op(scf.YieldOp(*body.results))
        region.add_block(block)
    tile = "x".join(map(str, get_shape(pairs[0][0].op.result.type)))
    remark(
        branch,
        "Passed",
        "Memory",
        f"operands of the loop take {total} bytes of shared memory: tiles of {tile} are loaded "
        "once in a version of it, for tensors that are the same",
    )


def find_live_loads(function: FuncOp, loop: scf.ForOp) -> list[TiledLoadOp]:
    """The loads of a kernel that are in a loop, or in no other one: loops share their buffers."""
    around = [None, loop, *parents(loop)]
    inside = set(walk(loop))
    return [
        op
        for op in find_all(function, TiledLoadOp)
        if op in inside or find_around(op, scf.ForOp, scf.WhileOp) in around
    ]


def _number(op: Operation, loop: scf.ForOp) -> int:
    """The number of a load in a loop."""
    loads = [each for each in walk(loop) if isinstance(each, TiledLoadOp)]
    return next(number for number, each in enumerate(loads) if each is op)


def emit_is_same(pairs: Sequence[tuple[TileRead, TileRead]], before: Operation) -> SSAValue:
    """Whether the tensors of all pairs have the same address, sizes and strides, as an i1."""
    ops: list[Operation] = []
    conditions: list[SSAValue] = []
    for first, second in pairs:
        a, b = first.tensor.owner, second.tensor.owner
        assert isinstance(a, MakeMemrefOp)
        assert isinstance(b, MakeMemrefOp)
        addresses = [PtrToIntOp(make.base, i64) for make in (a, b)]
        ops += addresses
        left: list[SSAValue] = [addresses[0].result, *a.sizes, *a.strides]
        right: list[SSAValue] = [addresses[1].result, *b.sizes, *b.strides]
        for x, y in zip(left, right, strict=True):
            if x is not y:
                ops.append(compare := CmpIOp(x, y))
                conditions.append(compare.result)
    result = conditions[0]
    for condition in conditions[1:]:
        ops.append(both := AndIOp(result, condition))
        result = both.result
    for op in ops:
        op.location = before.location
    Rewriter.insert_op(ops, InsertPoint.before(before))
    return result


def _is_argument(read: TileRead, function: FuncOp) -> bool:
    """Whether a tensor is made at the start of a kernel, where all of it can be compared."""
    make = read.tensor.owner
    return (
        isinstance(make, MakeMemrefOp)
        and make.offset is None
        and make.parent_block() is function.body.block
    )


def find_reading_dots(op: TiledLoadOp) -> list[DotOp]:
    """The dots that read the tile of a load as an operand, through reshapes only."""
    found: dict[DotOp, None] = {}
    values: list[SSAValue] = [op.result]
    while values:
        for use in values.pop().uses:
            user = use.operation
            if isinstance(user, DotOp) and use.index < 2:
                found[user] = None
            if isinstance(user, ViewOperation | ExpandDimsOperation | PermuteOp):
                values.append(user.results[0])
    return [*found]


def tile_bytes(op: TiledLoadOp) -> int:
    """The size of a tile."""
    ty = op.result.type
    return prod(get_shape(ty)) * element_bit_width(get_element(ty)) // 8
