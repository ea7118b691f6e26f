"""
Tiles in tensor memory that share a place, and when the place is in use.

Values of a *web* are in the same columns: what a dot adds to and its result, what a store writes
and the place it writes to, what a loop carries. A value of a web may not be used once another one
of it was written; `check_webs` finds where that is not so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.slices import passed_values
from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05
from tileiras_xdsl.dialects.nv_tileas.decisions import get_slot
from tileiras_xdsl.dialects.nv_tileas.layout import TensorMemoryLayoutAttr
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp, CopyOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    ConsumerReadOp,
    CreatePipelineOp,
    ProducerWriteOp,
    StageBufferOp,
)
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import (
    TMEM,
    TensorMemoryScaleOp,
    TensorMemoryStoreOp,
    TensorMemoryWrite,
)
from tileiras_xdsl.dialects.nv_tileas.types import get_memory
from tileiras_xdsl.targets.tcgen05 import ALLOCATED_COLUMNS
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all, find_around, integer_of, last_of, walk

from .scaled_tcgen05 import columns_of_scales, scale_columns


def is_in_tensor_memory(value: SSAValue) -> bool:
    """Whether a value is a tile in tensor memory."""
    return get_memory(value.type) == TMEM


def columns_of(value: SSAValue) -> int:
    """The columns that a tile in tensor memory takes."""
    return columns_of_type(value.type)


def columns_of_type(ty: Attribute) -> int:
    """The columns that a tile of a type in tensor memory takes."""
    encoding = getattr(ty, "encoding", None)
    assert isinstance(encoding, TensorMemoryLayoutAttr)
    return encoding.columns


@dataclass(eq=False)
class Web:
    """Values that share a place in tensor memory."""

    values: list[SSAValue] = field(default_factory=list[SSAValue])
    places: list[AllocTensorOp] = field(default_factory=list[AllocTensorOp])
    pipelines: list[CreatePipelineOp] = field(default_factory=list[CreatePipelineOp])
    """Pipelines through which agents hand them to each other."""
    columns: int = 0
    """Of all stages."""
    first: int = 0
    """The first op at which the place is in use, by its number in the kernel."""
    last: int = 0
    column: int = 0
    """The first of its columns."""

    def overlaps(self, other: Web) -> bool:
        """Whether both are in use at the same time."""
        return self.first <= other.last and other.first <= self.last

    @property
    def end(self) -> int:
        """The column after the last one."""
        return self.column + self.columns


class Webs:
    """The webs of a kernel."""

    def __init__(self, root: Operation):
        self.root = root
        self._of: dict[SSAValue, SSAValue] = {}
        for op in walk(root):
            for first, second in joined_values(op):
                if is_in_tensor_memory(first):
                    self.join(first, second)
            for value in op.results:
                if is_in_tensor_memory(value):
                    self._find(value)
        self.webs: dict[SSAValue, Web] = {}
        for value in self._of:
            web = self.webs.setdefault(self._find(value), Web())
            if isinstance(pipeline := value.owner, CreatePipelineOp):
                web.pipelines.append(pipeline)
                continue
            web.values.append(value)
            web.columns = max(web.columns, columns_of(value))
            if isinstance(place := value.owner, AllocTensorOp):
                web.places.append(place)
        for web in self.webs.values():
            web.columns *= max((each.get_num_stages() for each in web.pipelines), default=1)
        self._find_ranges()

    def of(self, value: SSAValue) -> Web:
        """The web of a value."""
        return self.webs[self._find(value)]

    def may_share(self, first: SSAValue, second: SSAValue) -> bool:
        """
        Whether two values may be in the same place: nothing that is still needed is written again
        if they are. This is for places that have no columns yet.
        """
        known = dict(self._of)
        self.join(first, second)
        conflict = _Liveness(self).find_conflict()
        self._of = known
        return conflict is None

    def root_of(self, value: SSAValue) -> SSAValue:
        """The value that stands for all that are in the same place."""
        return self._find(value)

    def _find(self, value: SSAValue) -> SSAValue:
        root = self._of.setdefault(value, value)
        while root is not self._of[root]:
            root = self._of[root]
        self._of[value] = root
        return root

    def join(self, first: SSAValue, second: SSAValue) -> None:
        """Puts two values into the same place."""
        self._of[self._find(first)] = self._find(second)

    def _find_ranges(self) -> None:
        """
        Where each web is in use: from the first op that defines or uses one of its values to the
        last. In a loop that is all of it, if a value comes from outside or from the iteration
        before; places alone say nothing.
        """
        numbers = {op: number for number, op in enumerate(walk(self.root))}
        ends = {op: max(numbers[each] for each in walk(op)) for op in numbers if op.regions}
        for web in self.webs.values():
            points: list[int] = []
            for value in web.values:
                if isinstance(value.owner, AllocTensorOp):
                    users = [each.operation for each in value.uses]
                    points += (numbers[op] for op in users)
                    continue
                users = [each.operation for each in value.uses]
                definition = value.owner
                if isinstance(definition, Block):
                    loop = definition.parent_op()
                    assert loop is not None
                    points += (numbers[loop], ends[loop])
                    block: Block | None = definition
                else:
                    points.append(numbers[definition])
                    if definition.regions:
                        points.append(ends[definition])
                    block = definition.parent_block()
                for op in users:
                    points.append(numbers[op])
                    for around in _around(op, block):
                        points += (numbers[around], ends[around])
            web.first, web.last = min(points, default=0), max(points, default=0)


def _around(op: Operation, block: Block | None) -> Iterator[Operation]:
    """The ops around another one, out to a block."""
    while op.parent_block() is not block:
        outer = op.parent_op()
        if outer is None:
            return
        op = outer
        yield op


def joined_values(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Pairs of values that are in the same place because of an op."""
    match op:
        case DotOp():
            yield op.accumulator, op.result
        case TensorMemoryStoreOp() | TensorMemoryScaleOp():
            yield op.destination, op.result
        case StageBufferOp():
            yield op.result, op.pipeline
        case ProducerWriteOp():
            yield from ((value, op.pipeline) for value in last_of(op.body.block).operands)
        case ConsumerReadOp():
            yield from ((value, op.pipeline) for value in (*op.body.block.args, *op.values))
        case _:
            for sources, targets in passed_values(op):
                yield from zip(sources, targets, strict=False)


def _place(webs: Sequence[Web], *, shares: bool) -> int:
    """
    Assigns columns to webs, the largest first, each at the first multiple of its size that no other
    one has, or that none has at the same time if they may share columns; returns how many there
    are.
    """
    placed: list[Web] = []
    for web in sorted(webs, key=lambda web: (-web.columns, web.first)):
        taken = [other for other in placed if not shares or other.overlaps(web)]
        column = 0
        while any(column < each.end and each.column < column + web.columns for each in taken):
            column += web.columns
        web.column = column
        placed.append(web)
    return max((web.end for web in placed), default=0)


def place_apart(webs: Sequence[Web]) -> int:
    """Assigns columns to webs, of which none share any, and returns how many there are."""
    return _place(webs, shares=False)


def choose_columns(webs: Sequence[Web], most: int) -> int:
    """
    Assigns columns to webs, and returns how many there are. Webs share columns only if there are
    not enough: what shares them with an operand of an MMA has to wait for it.
    """
    total = place_apart(webs)
    if any(web.pipelines for web in webs):
        # Agents use webs at the same time.
        return total
    return total if total <= most else _place(webs, shares=True)


def needed_columns(function: Operation) -> int:
    """The columns of tensor memory that a kernel allocates; 0 if it has no tiles there."""
    if not any(map(is_tcgen05, find_all(function, DotOp))):
        return 0
    webs, scales = Webs(function), needed_scale_columns(function)
    total = choose_columns(list(webs.webs.values()), ALLOCATED_COLUMNS[-1] - scales) + scales
    return next((each for each in ALLOCATED_COLUMNS if each >= total), total)


def needed_scale_columns(function: Operation) -> int:
    """The columns for the scales of the block-scaled dots of a kernel."""
    groups = find_scale_groups(function)
    total = sum(max(sum(scale_columns(op)) for op in group) for group in groups)
    return total + sum(map(pipeline_scale_columns, find_scale_pipelines(function)))


def find_scale_pipelines(function: Operation) -> list[CreatePipelineOp]:
    """The pipelines through which an MMA agent gets scales."""
    found: dict[CreatePipelineOp, None] = {}
    for op in find_all(function, ScaledDotOp):
        if is_tcgen05(op):
            found |= dict.fromkeys(filter(None, map(scale_pipeline, op.scales)))
    return list(found)


def scale_pipeline(value: SSAValue) -> CreatePipelineOp | None:
    """The pipeline through which an MMA agent gets scales; None if threads issue the MMA."""
    if not isinstance(read := value.owner, ConsumerReadOp):
        return None
    pipeline = read.pipeline.owner
    assert isinstance(pipeline, CreatePipelineOp)
    return pipeline


def pipeline_scale_columns(pipeline: CreatePipelineOp) -> int:
    """The columns for the scales of all stages of a pipeline."""
    (ty,) = pipeline.result.type.element_types
    return pipeline.get_num_stages() * columns_of_scales(ty)


def find_scale_groups(function: Operation) -> list[list[ScaledDotOp]]:
    """
    The block-scaled dots by `tcgen05` of a kernel, in groups that share columns for their scales:
    those whose scales threads write to the same buffers, for which they wait for the dot before.
    Those of an MMA agent are not among them: each stage of their pipelines has its columns.
    """
    groups: dict[object, list[ScaledDotOp]] = {}
    for op in find_all(function, ScaledDotOp):
        if is_tcgen05(op) and not any(map(scale_pipeline, op.scales)):
            buffers = [buffer_of(value) for value in op.scales]
            groups.setdefault(op if None in buffers else tuple(buffers), []).append(op)
    return list(groups.values())


def buffer_of(value: SSAValue | None) -> SSAValue | int | None:
    """The buffer in shared memory, or the slot, that an operand is written to."""
    if value is not None and isinstance(copy := value.owner, CopyOp):
        value = copy.destination
    if value is None or not isinstance(value.owner, AllocTensorOp) or is_in_tensor_memory(value):
        return None
    slot = get_slot(value.owner)
    return value if slot is None else slot


def shared_columns(function: Operation) -> int:
    """
    The columns of tensor memory that a kernel needs, if all tiles that are not in use at the same
    time share them.
    """
    total = _place(list(Webs(function).webs.values()), shares=True)
    return total + needed_scale_columns(function)


def reads_of(op: Operation) -> Iterable[SSAValue]:
    """The tiles in tensor memory whose contents an op needs."""
    match op:
        case DotOp() if op.accumulate is not None and integer_of(op.accumulate) == 0:
            used: Sequence[SSAValue] = op.operands[:2]
        case TensorMemoryStoreOp():
            used = ()
        case _:
            used = op.operands
    return (
        value
        for value in used
        if is_in_tensor_memory(value) and not isinstance(value.owner, AllocTensorOp)
    )


def merge_places(function: FuncOp, most: int) -> bool:
    """
    Whether each web of a kernel has columns of its own. If there are too few for all, places of one
    type that are in use in loops one after the other, as those of S in causal attention, become
    one, and agents hand such tiles to each other by one pipeline. Nothing is merged if that does
    not suffice.
    """
    most -= needed_scale_columns(function)
    webs = Webs(function)
    if place_apart(list(webs.webs.values())) <= most:
        return True
    groups: list[list[Web]] = []
    merged: list[tuple[AllocTensorOp, AllocTensorOp]] = []
    for web in webs.webs.values():
        if len(web.places) != 1:
            groups.append([web])
            continue
        (place,) = web.places
        for group in groups:
            (first, *rest) = group[0].places or (None,)
            if first is None or rest or first.result.type != place.result.type:
                continue
            if not all(follow_each_other(web, other) for other in group):
                continue
            if webs.may_share(place.result, first.result):
                webs.join(place.result, first.result)
                merged.append((place, first))
                group.append(web)
                break
        else:
            groups.append([web])
    if place_apart([group[0] for group in groups]) > most:
        return False
    for place, first in merged:
        first.detach()
        Rewriter.insert_op(first, InsertPoint.at_start(function.body.block))
        place.result.replace_all_uses_with(first.result)
        Rewriter.erase_op(place)
    return True


def follow_each_other(first: Web, second: Web) -> bool:
    """
    Whether two webs are used in one loop each, of which none is in the other: software pipelining,
    which changes when tiles of a loop are in use, does not make them overlap.
    """
    loops = [
        {
            find_around(use.operation, scf.ForOp, scf.WhileOp)
            for value in web.values
            for use in value.uses
        }
        for web in (first, second)
    ]
    if any(len(found) != 1 for found in loops):
        return False
    one, other = (found.pop() for found in loops)
    if one is None or other is None:
        return False
    return not one.is_ancestor(other) and not other.is_ancestor(one)


def check_webs(webs: Webs) -> None:
    """Fails where a tile in tensor memory is used after its place was written again."""
    conflict = _Liveness(webs).find_conflict()
    if conflict is not None:
        fail(conflict, "a tile in tensor memory is used after its place is written again")


class _Liveness:
    """Which tiles in tensor memory are live, from the end to the start."""

    def __init__(self, webs: Webs):
        self.webs = webs
        self._conflict: Operation | None = None

    def find_conflict(self) -> Operation | None:
        """The op that writes a place while another tile there is still needed, if any does."""
        self.visit_op(self.webs.root, set())
        return self._conflict

    def visit_op(self, op: Operation, live: set[SSAValue]) -> set[SSAValue]:
        """What is live before an op, given what is after it."""
        if isinstance(op, DotOp | TensorMemoryWrite):
            result = op.results[0]
            if is_in_tensor_memory(result):
                root = self.webs.root_of(result)
                for value in live:
                    if value is not result and self.webs.root_of(value) is root:
                        self._conflict = op
        live = live.difference(op.results)
        if op.regions:
            is_loop = isinstance(op, scf.ForOp | scf.WhileOp)
            before = set(live)
            for _ in range(2 if is_loop else 1):
                for region in reversed(op.regions):
                    for block in reversed(region.blocks):
                        before |= self._visit_block(block, before if is_loop else live)
            live = before
        return live.union(reads_of(op))

    def _visit_block(self, block: Block, live: set[SSAValue]) -> set[SSAValue]:
        live = set(live)
        for op in reversed(list(block.ops)):
            live = self.visit_op(op, live)
        return live.difference(block.args)
