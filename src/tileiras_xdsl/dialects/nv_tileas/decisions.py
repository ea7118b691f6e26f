"""
Discardable attributes of `nv_tileas`, by which passes communicate.

    nv_tileas.schedule = #nv_tileas.schedule<stages = [4], producer_warps = 1>    of a kernel
    nv_tileas.pipe = #nv_tileas.pipe<0>                                           of a load
    nv_tileas.stage = #nv_tileas.stage<stage = 1, order = 3>                      of ops of a loop

An attribute is verified against its surroundings: a load fills a pipeline that the schedule has, an
op of pipeline stage 0 uses no value of stage 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final, Generic

from typing_extensions import TypeVar
from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    FloatTF32Type,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    i32,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import BlockArgument, Data, Operation, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.arith import SelectOp
from tileiras_xdsl.dialects.cuda_tile.types import is_power_of_two
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import OrderedAccess
from tileiras_xdsl.dialects.nvgpu.types import get_cluster_ctas
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.xdsl_extras.discardable_attributes import CarrierT, DiscardableAttribute
from tileiras_xdsl.xdsl_extras.walking import find_around

from .async_ops import AsyncDotOp, AsyncLoadOp
from .layout import LayoutAttr
from .matmul import DotOp, PlainDotOp, ScaledDotOp
from .memory import (
    AllocTensorOp,
    GatherLoadOp,
    LoadOp,
    TiledAtomicRMWOp,
    TiledLoadOp,
    TiledStoreOp,
)
from .ping_pong import MIN_WARPGROUPS
from .pipeline import AgentSwitchOp, ConsumerReadOp, CreatePipelineOp
from .shape import ConvertLayoutOp
from .shared_memory import BarrierOp
from .types import AtomAttr, get_memory

FieldsT = TypeVar("FieldsT")
RegistersOfRoles = tuple[int, int]

SETMAXNREG: Final = range(24, 257, 8)
"""The register counts that `setmaxnreg` takes."""


class FieldsAttr(Data[FieldsT], ABC, Generic[FieldsT]):
    """Fields that are numbers or lists of numbers: `<stages = [4, 2], producer_warps = 1>`."""

    FIELDS: ClassVar[type[Any]]
    """The dataclass that has them; those with a default may be left out."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> FieldsT:
        names = [field.name for field in fields(cls.FIELDS)]
        found: dict[str, int | tuple[int, ...]] = {}

        def parse_number() -> int:
            return parser.parse_integer(allow_boolean=False)

        def parse_field() -> None:
            position = parser.pos
            name = parser.parse_identifier()
            if name not in names or name in found:
                problem = "is given twice" if name in found else f"is none of {', '.join(names)}"
                parser.raise_error(f"'{name}' {problem}", position)
            parser.parse_punctuation("=")
            listed = parser.parse_optional_comma_separated_list(
                parser.Delimiter.SQUARE, parse_number
            )
            found[name] = parse_number() if listed is None else tuple(listed)

        start = parser.pos
        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
        try:
            return cls.FIELDS(**found)
        except TypeError:
            parser.raise_error(f"'{cls.name}' needs {', '.join(names)}", start)

    def print_parameter(self, printer: Printer) -> None:
        values: dict[str, int | tuple[int, ...] | None] = {
            field.name: getattr(self.data, field.name) for field in fields(self.FIELDS)
        }
        parts = (
            f"{name} = {list(value) if isinstance(value, tuple) else value}"
            for name, value in values.items()
            if value is not None
        )
        printer.print_string(f"<{', '.join(parts)}>")

    def verify(self) -> None:
        if (problem := self.problem()) is not None:
            raise VerifyException(f"'{self.name}' {problem}")

    @abstractmethod
    def problem(self) -> str | None:
        """What is wrong with the fields, if anything."""


class NumberAttr(Data[int], ABC):
    """A number: `<0>`."""

    LEAST: ClassVar[int]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> int:
        with parser.in_angle_brackets():
            return parser.parse_integer(allow_boolean=False)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")

    def verify(self) -> None:
        if self.data < self.LEAST:
            raise VerifyException(f"'{self.name}' is at least {self.LEAST}, not {self.data}")


def _is_list(value: object, least: int) -> bool:
    """Whether something is a list of numbers that are large enough."""
    return isinstance(value, tuple) and all(
        isinstance(each, int) and each >= least
        for each in value  # pyright: ignore[reportUnknownVariableType]
    )


# The schedule of a kernel


@dataclass(frozen=True)
class KernelSchedule:
    """The warp-specialized schedule of a kernel."""

    stages: tuple[int, ...]
    """Buffer stages of each pipeline."""
    producer_warps: int
    registers: RegistersOfRoles | None = None
    """Registers of a producer and of a consumer thread, if these are reallocated."""
    mma_warps: int | None = None
    """Warps of the agent that issues MMAs, if it is one of its own."""
    ping_pong: int | None = None
    """Consumer warpgroups that issue WGMMAs alternately, if they do."""
    exclusive: int | None = None
    """1 if a warpgroup keeps its turn until its WGMMAs are done."""


@irdl_attr_definition
class ScheduleAttr(FieldsAttr[KernelSchedule]):
    """
    The warp-specialized schedule of a kernel:
    `#nv_tileas.schedule<stages = [4, 1], producer_warps = 4, registers = [24, 240]>` has two
    pipelines, with buffers of 4 stages and of 1, which 4 producer warps fill. Producer threads keep
    24 registers, consumer threads get 240. With `mma_warps = 1` a warp of its own issues MMAs. With
    `ping_pong = 2` both warpgroups of the consumer issue WGMMAs alternately: one multiplies while
    the other one computes. With `exclusive = 1` beside it a turn lasts until its WGMMAs are done,
    not just issued.
    """

    name = "nv_tileas.schedule"
    FIELDS = KernelSchedule

    def problem(self) -> str | None:
        stages, registers = self.data.stages, self.data.registers
        if not _is_list(stages, 1):
            return "needs a list of positive numbers of stages"
        if not _is_list((self.data.producer_warps,), 1):
            return "needs producer_warps, a positive number"
        if self.data.mma_warps is not None and not _is_list((self.data.mma_warps,), 1):
            return "needs mma_warps, a positive number"
        if self.data.ping_pong is not None and not _is_list((self.data.ping_pong,), MIN_WARPGROUPS):
            return f"has ping_pong of at least {MIN_WARPGROUPS} warpgroups"
        if self.data.exclusive is not None and (
            self.data.exclusive != 1 or self.data.ping_pong is None
        ):
            return "has exclusive = 1 with ping_pong only"
        if registers is not None and not (
            _is_list(registers, 0)
            and len(registers) == 2
            and all(number in SETMAXNREG for number in registers)
        ):
            return "has registers of a producer and of a consumer, multiples of 8 from 24 to 256"
        return None


def kernel_of(op: Operation) -> Operation | None:
    """The kernel that an op is, or is in."""
    return op if isinstance(op, FuncOp) else find_around(op, FuncOp)


def _why_no_schedule(op: Operation, attribute: ScheduleAttr) -> str | None:
    """All consumer warpgroups issue WGMMAs alternately, or none."""
    ping_pong, warps = attribute.data.ping_pong, NUM_WARPS.get(op)
    if ping_pong is None or (warps is not None and warps.value.data == ping_pong * WARPGROUP_WARPS):
        return None
    found = "none" if warps is None else warps.value.data
    return f"has ping_pong = {ping_pong}, but '{NUM_WARPS.name}' of the kernel is {found}"


SCHEDULE: Final = DiscardableAttribute(
    "nv_tileas.schedule",
    ScheduleAttr,
    "The pipelines between the agents of a warp-specialized kernel, and the producer warps.",
    carriers=(FuncOp,),
    written_by=("tileas-generate-schedule",),
    read_by=("tileas-materialize-schedule",),
    why_not=_why_no_schedule,
)


AGENTS: Final = DiscardableAttribute(
    "nv_tileas.agents",
    ArrayAttr,
    "What the agents of a kernel with an MMA agent are: producer, mma and consumer.",
    carriers=(AgentSwitchOp,),
    written_by=("tileas-materialize-schedule",),
    read_by=(
        "tileas-allocate-tensor-memory",
        "tileas-allocate-shared-memory",
        "tileas-insert-barriers",
        "convert-tileas-to-nvgpu",
    ),
)


def names_of_agents(switch: AgentSwitchOp) -> list[str]:
    """What the agents of a kernel are, in the order of their regions."""
    listed = AGENTS.get(switch)
    if listed is None:
        return ["producer", "consumer"][-len(switch.agents) :]
    return [each.data for each in listed if isinstance(each, StringAttr)]


def find_agent(op: Operation) -> str | None:
    """What the agent is that an op is in, if it is in one."""
    inner, outer = op, op.parent_op()
    while outer is not None and not isinstance(outer, AgentSwitchOp):
        inner, outer = outer, outer.parent_op()
    if outer is None:
        return None
    region = inner.parent_region()
    index = next(n for n, each in enumerate(outer.agents) if each is region)
    return names_of_agents(outer)[index]


def get_schedule(kernel: Operation) -> KernelSchedule | None:
    """The schedule of a kernel, if it has one."""
    schedule = SCHEDULE.get(kernel)
    return None if schedule is None else schedule.data


@irdl_attr_definition
class PipeAttr(NumberAttr):
    """The number of a pipeline: `#nv_tileas.pipe<0>`."""

    name = "nv_tileas.pipe"
    LEAST = 0


COPY_ATOM: Final = "ldgsts"
"""The atom of loads that threads of producer warps do by `cp.async`."""


def _why_no_pipeline(op: Operation, pipe: PipeAttr) -> str | None:
    kernel = kernel_of(op)
    schedule = None if kernel is None else get_schedule(kernel)
    if schedule is None:
        return f"needs '{SCHEDULE.name}' at the kernel"
    if pipe.data >= len(schedule.stages):
        return f"is {pipe.data}, but '{SCHEDULE.name}' has no pipeline {pipe.data}"
    if isinstance(op, LoadOp | GatherLoadOp) and (op.atom is None or op.atom.data != COPY_ATOM):
        return f"needs the atom '{COPY_ATOM}' of a load that TMA cannot do"
    return None


PIPE: Final = DiscardableAttribute(
    "nv_tileas.pipe",
    PipeAttr,
    "The pipeline whose multi-stage buffer a load fills.",
    carriers=(TiledLoadOp, LoadOp, GatherLoadOp),
    written_by=("tileas-generate-schedule",),
    read_by=("tileas-generate-schedule", "tileas-materialize-schedule"),
    why_not=_why_no_pipeline,
)


def get_pipeline_id(op: Operation) -> int | None:
    """The number of the pipeline that a load fills."""
    pipe = PIPE.get(op)
    return None if pipe is None else pipe.data


@irdl_attr_definition
class LoadGroupAttr(NumberAttr):
    """The number of a load group: `#nv_tileas.load_group<0>`."""

    name = "nv_tileas.load_group"
    LEAST = 0


def _why_no_load_group(op: Operation, _: LoadGroupAttr) -> str | None:
    return None if PIPE.is_on(op) else f"is for loads with '{PIPE.name}'"


LOAD_GROUP: Final = DiscardableAttribute(
    "nv_tileas.load_group",
    LoadGroupAttr,
    "The load group of a load, where several fill one pipeline that are read one after the other.",
    carriers=(TiledLoadOp, LoadOp, GatherLoadOp),
    written_by=("tileas-generate-schedule",),
    read_by=("tileas-generate-schedule", "tileas-materialize-schedule"),
    why_not=_why_no_load_group,
)


@irdl_attr_definition
class SlotAttr(NumberAttr):
    """The number of a slot of shared memory: `#nv_tileas.slot<0>`."""

    name = "nv_tileas.slot"
    LEAST = 0


SLOT: Final = DiscardableAttribute(
    "nv_tileas.slot",
    SlotAttr,
    "The slot that a buffer is in: buffers of a slot share memory, one is used after the other.",
    carriers=(AllocTensorOp, CreatePipelineOp),
    written_by=("tileas-materialize-schedule",),
    read_by=(
        "tileas-allocate-tensor-memory",
        "tileas-allocate-shared-memory",
        "tileas-insert-barriers",
        "convert-tileas-to-nvgpu",
    ),
)


def get_slot(op: Operation) -> int | None:
    """The slot that a buffer is in."""
    slot = SLOT.get(op)
    return None if slot is None else slot.data


STAGED: Final = DiscardableAttribute(
    "nv_tileas.staged",
    UnitAttr,
    "Operands of a dot by `mma.sync` that producer warps load by TMA are read from buffer stages.",
    carriers=(PlainDotOp,),
    written_by=("tileas-assign-dot-layouts",),
    read_by=(
        "tileas-assign-load-store-layouts",
        "tileas-pair-ctas",
        "tileas-generate-schedule",
        "tileas-materialize-schedule",
    ),
)

WARP_RELEASE: Final = DiscardableAttribute(
    "nv_tileas.warp_release",
    UnitAttr,
    "Each consumer warp releases the stages of a pipeline by itself, when its threads have read "
    "them.",
    carriers=(CreatePipelineOp,),
    written_by=("tileas-materialize-schedule",),
    read_by=(
        "tileas-allocate-shared-memory",
        "tileas-insert-barriers",
        "convert-tileas-to-nvgpu",
    ),
)


def is_released_by_warps(pipeline: SSAValue) -> bool:
    """Whether each consumer warp releases the stages of a pipeline by itself."""
    owner = pipeline.owner
    return isinstance(owner, CreatePipelineOp) and WARP_RELEASE.is_on(owner)


def find_stage_read(tile: SSAValue) -> ConsumerReadOp | None:
    """What reads the buffer stage that a tile in shared memory is, maybe reshaped or rounded."""
    owner = tile.owner
    while isinstance(owner, Operation) and not isinstance(owner, ConsumerReadOp):
        if len(owner.operands) != 1 or get_memory(owner.operands[0].type) != "shared":
            return None
        owner = owner.operands[0].owner
    return owner if isinstance(owner, ConsumerReadOp) else None


@irdl_attr_definition
class ColumnAttr(NumberAttr):
    """The first column of a place in tensor memory: `#nv_tileas.column<128>`."""

    name = "nv_tileas.column"
    LEAST = 0


COLUMN: Final = DiscardableAttribute(
    "nv_tileas.column",
    ColumnAttr,
    "The first column of a place in tensor memory, of the stages of a pipeline, or of scales.",
    carriers=(AllocTensorOp, CreatePipelineOp, ScaledDotOp),
    written_by=("tileas-allocate-tensor-memory",),
    read_by=("tileas-allocate-shared-memory", "convert-tileas-to-nvgpu"),
)


@irdl_attr_definition
class TensorMemoryAttr(NumberAttr):
    """The columns of tensor memory of a kernel: `#nv_tileas.tensor_memory_columns<256>`."""

    name = "nv_tileas.tensor_memory_columns"
    LEAST = 32


TENSOR_MEMORY: Final = DiscardableAttribute(
    "nv_tileas.tensor_memory",
    TensorMemoryAttr,
    "The columns of tensor memory that a kernel allocates.",
    carriers=(FuncOp,),
    written_by=("tileas-allocate-tensor-memory",),
    read_by=("tileas-allocate-shared-memory", "convert-tileas-to-nvgpu"),
)


READS_SLICES: Final = DiscardableAttribute(
    "nv_tileas.reads_slices",
    UnitAttr,
    "Threads read slices of tiles in tensor memory: whoever writes one afterwards may overwrite "
    "what others have read before a barrier.",
    carriers=(FuncOp,),
    written_by=("tileas-assign-tensor-memory",),
    read_by=("convert-tileas-to-nvgpu",),
)


def _why_no_element(op: Operation, _: FloatTF32Type) -> str | None:
    return None if get_element(op.results[0].type) == f32 else "is for tiles of f32"


TMA_ELEMENT_TYPE: Final = DiscardableAttribute(
    "nv_tileas.element",
    FloatTF32Type,
    "The type that a load rounds elements to: TMA converts f32 to tf32 as it copies.",
    carriers=(TiledLoadOp,),
    written_by=("tileas-generate-schedule",),
    read_by=(
        "tileas-generate-schedule",
        "tileas-allocate-shared-memory",
        "convert-tileas-to-nvgpu",
    ),
    why_not=_why_no_element,
)


@dataclass(frozen=True)
class Stage:
    """The pipeline stage of an op in a software-pipelined loop."""

    stage: int
    """Ops of stage 0 run an iteration ahead of ops of stage 1."""
    order: int
    """The position of the op in the new loop body."""


@irdl_attr_definition
class StageAttr(FieldsAttr[Stage]):
    """
    The pipeline stage of an op in a software-pipelined loop:
    `#nv_tileas.stage<stage = 1, order = 3>`. Ops of stage 0 run an iteration ahead of those of
    stage 1; `order` is the position of an op in the new loop body.
    """

    name = "nv_tileas.stage"
    FIELDS = Stage

    def problem(self) -> str | None:
        if self.data.stage not in (0, 1):
            return f"is 0 or 1, not {self.data.stage}"
        return None if _is_list((self.data.order,), 0) else "needs order, a number"


AHEAD: Final = DiscardableAttribute(
    "nv_tileas.ahead",
    UnitAttr,
    "Threads load a tile into registers an iteration of a loop before it is used.",
    carriers=(LoadOp, TiledLoadOp, GatherLoadOp),
    written_by=("tileas-generate-schedule",),
    read_by=("tileas-materialize-schedule",),
)


def _why_no_stage(op: Operation, attribute: StageAttr) -> str | None:
    """An op cannot be scheduled before the definitions of its operands."""
    loop, own = op.parent_op(), attribute.data
    if not isinstance(loop, scf.ForOp):
        return "is for ops in the body of a loop"
    for operand in op.operands:
        source, is_carried = _source_in(loop, operand)
        used = None if source is None else STAGE.get(source)
        if source is None or used is None:
            continue
        if used.data.stage > own.stage:
            when = "in the iteration before, and that one" if is_carried else "which"
            return f"is 0, but the op uses '{source.name}' {when} is in stage {used.data.stage}"
        if not is_carried and used.data.stage == own.stage and used.data.order >= own.order:
            return f"has order {own.order}, but the op uses '{source.name}', which comes later"
    return None


def _source_in(loop: scf.ForOp, value: SSAValue) -> tuple[Operation | None, bool]:
    """The op of a loop body that defines a value, and whether the value is loop-carried."""
    body, seen = loop.body.block, set[SSAValue]()
    while isinstance(value, BlockArgument) and value.owner is body and value.index:
        if value in seen or body.last_op is None:
            return None, True
        seen.add(value)
        value = body.last_op.operands[value.index - 1]
    owner = value.owner
    if not isinstance(owner, Operation) or owner.parent_block() is not body:
        return None, bool(seen)
    return owner, bool(seen)


STAGE: Final = DiscardableAttribute(
    "nv_tileas.stage",
    StageAttr,
    "The software pipeline stage of an op in a loop, and its position in the new loop body.",
    written_by=("tileas-generate-schedule",),
    read_by=("tileas-materialize-schedule",),
    why_not=_why_no_stage,
)


def get_stage(op: Operation) -> Stage | None:
    """The pipeline stage of an op in a loop, if it has one."""
    stage = STAGE.get(op)
    return None if stage is None else stage.data


# The order of tile blocks

LONGEST_FIRST: Final = DiscardableAttribute(
    "nv_tileas.longest_first",
    UnitAttr,
    "Tile blocks are permuted so that those with most iterations start first.",
    written_by=("tileas-order-tile-blocks",),
    read_by=("tileas-order-tile-blocks",),
)


# The loop of a persistent kernel

EARLY_RETURN: Final = DiscardableAttribute(
    "nv_tileas.early_return",
    UnitAttr,
    "The kernel does nothing but this loop: a CTA for which the loop has no iterations returns "
    "before it sets anything up.",
    carriers=(scf.ForOp,),
    written_by=("tileas-dynamic-persistent",),
    read_by=(
        "convert-tileas-to-nvgpu",
        "tileas-coarsen-thread-blocks",
    ),
)
COARSENED: Final = DiscardableAttribute(
    "nv_tileas.coarsened",
    UnitAttr,
    "CTAs compute two tile blocks at once.",
    written_by=("tileas-coarsen-thread-blocks",),
)
UNCOARSENED: Final = DiscardableAttribute(
    "nv_tileas.uncoarsened",
    UnitAttr,
    "The loop computes tile blocks one after the other, in a loop that also computes pairs.",
    written_by=("tileas-coarsen-thread-blocks",),
)


# Clusters


@irdl_attr_definition
class ClusterAttr(NumberAttr):
    """A number of CTAs: `#nv_tileas.cluster<2>`."""

    name = "nv_tileas.cluster"
    LEAST = 2


def _why_no_cluster(op: Operation, cluster: ClusterAttr) -> str | None:
    kernel = kernel_of(op)
    ctas = 1 if kernel is None else get_cluster_ctas(kernel)
    if ctas == cluster.data:
        return None
    return f"is {cluster.data}, but clusters of the kernel have {ctas} CTAs"


CLUSTER: Final = DiscardableAttribute(
    "nv_tileas.cluster",
    ClusterAttr,
    "How many CTAs of a cluster iterate over a persistent kernel's tiles in lockstep.",
    carriers=(scf.ForOp,),
    written_by=("tileas-dynamic-persistent",),
    read_by=(
        "tileas-materialize-schedule",
        "tileas-coarsen-thread-blocks",
    ),
    why_not=_why_no_cluster,
)


def _why_no_multicast(op: Operation, _: UnitAttr) -> str | None:
    assert isinstance(op, TiledLoadOp)
    kernel = kernel_of(op)
    if op.atom != AtomAttr("tma_load"):
        return "is for loads by 'tma_load'"
    if kernel is None or get_cluster_ctas(kernel) == 1:
        return "needs a kernel with clusters of CTAs"
    return None


MULTICAST: Final = DiscardableAttribute(
    "nv_tileas.multicast",
    UnitAttr,
    "A TMA multicast: each CTA of the cluster loads a part of the tile into all of them.",
    carriers=(TiledLoadOp,),
    written_by=("tileas-materialize-schedule",),
    read_by=("tileas-allocate-shared-memory", "convert-tileas-to-nvgpu"),
    why_not=_why_no_multicast,
)


DRAINED: Final = DiscardableAttribute(
    "nv_tileas.drained",
    UnitAttr,
    "The producer ends when the consumers of all CTAs of the cluster have released every stage of "
    "its pipelines: none of them reaches the shared memory of a CTA that has ended.",
    carriers=(AgentSwitchOp,),
    written_by=("tileas-materialize-schedule",),
    read_by=("convert-tileas-to-nvgpu",),
)


# Pairs of CTAs


def _why_no_pair(op: Operation, _: UnitAttr) -> str | None:
    ctas = get_cluster_ctas(op)
    return None if ctas == 2 else f"needs clusters of 2 CTAs, but they have {ctas}"


PAIR: Final = DiscardableAttribute(
    "nv_tileas.pair",
    UnitAttr,
    "The CTAs of each cluster are a pair: one issues the MMAs of both, which have half of operand "
    "B each.",
    carriers=(FuncOp,),
    written_by=("tileas-pair-ctas",),
    read_by=(
        "tileas-generate-schedule",
        "tileas-dynamic-persistent",
        "tileas-materialize-schedule",
        "tileas-allocate-tensor-memory",
        "tileas-allocate-shared-memory",
        "convert-tileas-to-nvgpu",
        "tileas-coarsen-thread-blocks",
    ),
    why_not=_why_no_pair,
)


@irdl_attr_definition
class HalvedAttr(NumberAttr):
    """The dimension along which CTAs of a pair load half of a tile each: `#nv_tileas.halved<1>`."""

    name = "nv_tileas.halved"
    LEAST = 0


def _why_no_halves(op: Operation, dim: NumberAttr) -> str | None:
    shape = get_shape(op.results[0].type)
    if dim.data >= len(shape) or shape[dim.data] < 2:
        return f"is along dimension {dim.data}, of which a tile of {shape} has no halves"
    return None


def _why_not_halved(op: Operation, dim: HalvedAttr) -> str | None:
    if (reason := _why_no_halves(op, dim)) is not None:
        return reason
    kernel = kernel_of(op)
    return None if kernel is None or PAIR.is_on(kernel) else "needs a kernel of pairs of CTAs"


HALVED: Final = DiscardableAttribute(
    "nv_tileas.halved",
    HalvedAttr,
    "The dimension of a tile along which each CTA of a pair loads its half, by its rank.",
    carriers=(TiledLoadOp,),
    written_by=("tileas-pair-ctas",),
    read_by=(
        "tileas-assign-dot-layouts",
        "tileas-generate-schedule",
        "tileas-materialize-schedule",
        "tileas-allocate-shared-memory",
        "convert-tileas-to-nvgpu",
        "tileas-coarsen-thread-blocks",
    ),
    why_not=_why_not_halved,
)


@irdl_attr_definition
class KPermutationAttr(NumberAttr):
    """
    The dimension of a tile whose even elements come before odd ones in shared memory:
    `#nv_tileas.k_permutation<1>`.
    """

    name = "nv_tileas.k_permutation"
    LEAST = 0


def _why_no_k_permutation(op: Operation, dim: KPermutationAttr) -> str | None:
    if (reason := _why_no_halves(op, dim)) is not None:
        return reason
    return "needs a tile that is not halved" if HALVED.is_on(op) else None


K_PERMUTATION: Final = DiscardableAttribute(
    "nv_tileas.k_permutation",
    KPermutationAttr,
    "The dimension of a tile whose even elements TMA loads before odd ones, so that accumulators "
    "of the WGMMA that reads it are where an operand A of 8 bits has them.",
    carriers=(TiledLoadOp,),
    written_by=("tileas-assign-dot-layouts",),
    read_by=(
        "tileas-assign-dot-layouts",
        "tileas-pair-ctas",
        "tileas-generate-schedule",
        "tileas-materialize-schedule",
        "tileas-allocate-shared-memory",
        "convert-tileas-to-nvgpu",
        "tileas-coarsen-thread-blocks",
        "tileas-remove-layout-conversions",
    ),
    why_not=_why_no_k_permutation,
)


@dataclass(frozen=True)
class HalvedTiles:
    """Tiles of a buffer stage."""

    tiles: tuple[int, ...]
    """Which of them, by their index."""


@irdl_attr_definition
class HalvedTilesAttr(FieldsAttr[HalvedTiles]):
    """
    The tiles of a buffer stage of which a CTA of a pair has half:
    `#nv_tileas.halved_tiles<tiles = [1]>`.
    """

    name = "nv_tileas.halved_tiles"
    FIELDS = HalvedTiles

    def problem(self) -> str | None:
        return None if _is_list(self.data.tiles, 0) else "needs tiles, a list of numbers"


def _why_no_halved_tiles(op: Operation, halved: HalvedTilesAttr) -> str | None:
    assert isinstance(op, CreatePipelineOp)
    count = len(op.result.type.element_types)
    if all(index < count for index in halved.data.tiles):
        return None
    return f"is {list(halved.data.tiles)}, but a stage has {count} tiles"


HALVED_TILES: Final = DiscardableAttribute(
    "nv_tileas.halved_tiles",
    HalvedTilesAttr,
    "The tiles of a buffer stage of which a CTA of a pair has half.",
    carriers=(CreatePipelineOp,),
    written_by=("tileas-materialize-schedule",),
    read_by=("tileas-allocate-shared-memory", "tileas-insert-barriers", "convert-tileas-to-nvgpu"),
    why_not=_why_no_halved_tiles,
)
PAIR_BARRIER: Final = DiscardableAttribute(
    "nv_tileas.pair_barrier",
    UnitAttr,
    "A barrier of the consumer warps of both CTAs of a pair.",
    carriers=(BarrierOp,),
    written_by=("tileas-allocate-tensor-memory",),
    read_by=(
        "tileas-unspecialized-pipeline",
        "tileas-allocate-shared-memory",
        "convert-tileas-to-nvgpu",
    ),
)


# Stores


def _why_no_warpgroup_store(op: Operation, _: UnitAttr) -> str | None:
    if not isinstance(op, TiledStoreOp | TiledAtomicRMWOp):
        return None
    if op.atom is None or op.atom.data not in ("tma_store", "tma_redg"):
        return "is for stores by 'tma_store' and 'tma_redg'"
    kernel = kernel_of(op)
    return None if kernel is None or WARPGROUP_STORE.is_on(kernel) else "needs it at the kernel"


WARPGROUP_STORE: Final = DiscardableAttribute(
    "nv_tileas.group_store",
    UnitAttr,
    "Each warpgroup stores its part of the tile independently, from a staging buffer of its own; "
    "a kernel has it if one of its stores does: a thread of each warpgroup waits for copies.",
    carriers=(TiledStoreOp, TiledAtomicRMWOp, FuncOp),
    written_by=("tileas-generate-schedule",),
    read_by=(
        "tileas-generate-schedule",
        "tileas-materialize-schedule",
        "tileas-unspecialized-pipeline",
        "tileas-allocate-shared-memory",
        "tileas-insert-barriers",
        "convert-tileas-to-nvgpu",
        "tileas-coarsen-thread-blocks",
    ),
    why_not=_why_no_warpgroup_store,
)


REMATERIALIZED: Final = DiscardableAttribute(
    "nv_tileas.rematerialized",
    UnitAttr,
    "Accumulators of a loop leave no registers for addresses that are live across it: threads "
    "compute addresses of tiles that they stage for stores again each time.",
    carriers=(FuncOp,),
    written_by=("tileas-materialize-schedule",),
    read_by=("convert-tileas-to-nvgpu",),
)


# Layouts


@dataclass(frozen=True)
class Vector:
    """The widest vectorized access that axis info allows."""

    width: int
    """Elements that are contiguous, aligned, and in bounds or out of bounds as a whole."""
    dim: int
    """The dimension of the tile along which they are contiguous."""


@irdl_attr_definition
class VectorAttr(FieldsAttr[Vector]):
    """
    The widest vectorized access that axis info allows: `#nv_tileas.vector<width = 4, dim = 1>` are
    4 elements along dimension 1 of the tile, which are contiguous and aligned in memory, and in
    bounds or out of bounds as a whole.
    """

    name = "nv_tileas.vector"
    FIELDS = Vector

    def problem(self) -> str | None:
        if not (_is_list((self.data.width,), 1) and is_power_of_two(self.data.width)):
            return "needs a width that is a power of 2"
        return None if _is_list((self.data.dim,), 0) else "needs dim, a number"


def _why_no_vector(op: Operation, vector: VectorAttr) -> str | None:
    values = (*op.results, *op.operands)
    ranks = [len(get_shape(each.type)) for each in values if isinstance(each.type, TensorType)]
    if vector.data.dim < max(ranks, default=0):
        return None
    return f"is along dimension {vector.data.dim}, which the tile does not have"


VECTOR: Final = DiscardableAttribute(
    "nv_tileas.vector",
    VectorAttr,
    "How many contiguous elements one access may take, and along which dimension of the tile; of a "
    "select, how many have the same condition.",
    carriers=(OrderedAccess, AsyncLoadOp, SelectOp),
    written_by=("tileas-assign-load-store-layouts", "tileas-unspecialized-pipeline"),
    read_by=(
        "tileas-assign-load-store-layouts",
        "tileas-remove-layout-conversions",
        "tileas-prepare-for-scheduling",
        "tileas-generate-schedule",
        "tileas-materialize-schedule",
        "tileas-unspecialized-pipeline",
        "tileas-choose-occupancy",
        "convert-tileas-to-nvgpu",
    ),
    why_not=_why_no_vector,
)


def get_vector(op: Operation) -> Vector | None:
    """The vector width of an access, if it was decided."""
    vector = VECTOR.get(op)
    return None if vector is None else vector.data


def _layout(
    name: str,
    summary: str,
    *carriers: type[CarrierT],
    written_by: Sequence[str],
    read_by: Sequence[str] = (),
) -> DiscardableAttribute[LayoutAttr, CarrierT]:
    return DiscardableAttribute(
        name,
        LayoutAttr,
        summary,
        carriers=carriers,
        written_by=tuple(written_by),
        read_by=(
            "tileas-assign-load-store-layouts",
            "tileas-remove-layout-conversions",
            *read_by,
            "convert-tileas-to-nvgpu",
        ),
    )


LAYOUT: Final = _layout(
    "nv_tileas.layout",
    "The layout of an anchor: that of its result, or of the value it stores.",
    written_by=(
        "tileas-assign-dot-layouts",
        "tileas-slice-epilogues",
        "tileas-assign-load-store-layouts",
        "tileas-remove-layout-conversions",
        "tileas-prepare-for-scheduling",
        "tileas-materialize-schedule",
    ),
    read_by=("tileas-unspecialized-pipeline",),
)
LAYOUT_A: Final = _layout(
    "nv_tileas.layout_a",
    "The layout of operand A that a dot asks for; a WGMMA without reads it from shared memory.",
    *(DotOp, AsyncDotOp),
    written_by=("tileas-assign-dot-layouts",),
    read_by=(
        "tileas-assign-dot-layouts",
        "tileas-assign-tensor-memory",
        "tileas-coarsen-thread-blocks",
        "tileas-generate-schedule",
        "tileas-materialize-schedule",
    ),
)
LAYOUT_B: Final = _layout(
    "nv_tileas.layout_b",
    "The layout of operand B that a dot asks for.",
    *(DotOp, AsyncDotOp),
    written_by=("tileas-assign-dot-layouts",),
)
LAYOUT_SCALE_A: Final = DiscardableAttribute(
    "nv_tileas.layout_scale_a",
    LayoutAttr,
    "The layout of the scales of operand A that a dot asks for.",
    carriers=(ScaledDotOp,),
    written_by=("tileas-assign-dot-layouts",),
    read_by=("tileas-assign-load-store-layouts", "tileas-remove-layout-conversions"),
)
LAYOUT_SCALE_B: Final = DiscardableAttribute(
    "nv_tileas.layout_scale_b",
    LayoutAttr,
    "The layout of the scales of operand B that a dot asks for.",
    carriers=(ScaledDotOp,),
    written_by=("tileas-assign-dot-layouts",),
    read_by=("tileas-assign-load-store-layouts", "tileas-remove-layout-conversions"),
)
PLAN: Final = DiscardableAttribute(
    "nv_tileas.plan",
    StringAttr,
    "How a layout conversion moves elements, for readers: the name of its plan in "
    "`analysis/layout_conversion.py`.",
    carriers=(ConvertLayoutOp,),
    written_by=("tileas-materialize-convert-layout",),
)


# Kernels


def _why_not_warps(_: Operation, number: IntegerAttr) -> str | None:
    is_count = number.type == i32 and number.value.data > 0
    return None if is_count else f"has to be a positive i32, but is {number}"


NUM_WARPS: Final = DiscardableAttribute(
    "nv_tileas.num_warps",
    IntegerAttr,
    "How many warps of a kernel compute on tiles.",
    carriers=(FuncOp,),
    written_by=("privatize-atomics", "convert-tileaa-to-tileas", "tileas-assign-dot-layouts"),
    read_by=(
        "tileas-prepare-for-scheduling",
        "tileas-dynamic-persistent",
        "privatize-atomics",
        "convert-tileaa-to-tileas",
        "tileas-assign-dot-layouts",
        "tileas-slice-epilogues",
        "tileas-assign-load-store-layouts",
        "tileas-remove-layout-conversions",
        "tileas-assign-tensor-memory",
        "tileas-generate-schedule",
        "tileas-materialize-schedule",
        "tileas-allocate-tensor-memory",
        "tileas-unspecialized-pipeline",
        "tileas-allocate-shared-memory",
        "tileas-choose-occupancy",
        "tileas-insert-barriers",
        "convert-tileas-to-nvgpu",
        "tileas-coarsen-thread-blocks",
    ),
    why_not=_why_not_warps,
)
SLICED: Final = DiscardableAttribute(
    "nv_tileas.sliced",
    UnitAttr,
    "What is stored is computed by columns of an accumulator.",
    carriers=(OrderedAccess,),
    written_by=("tileas-slice-epilogues",),
    read_by=("tileas-slice-epilogues",),
)
