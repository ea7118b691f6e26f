"""
Warp specialization: agents, and pipelines (multi-stage buffers with barriers) between them.

The producer acquires an empty buffer stage, writes it and commits it; each consumer waits for it,
reads it and releases it. A pipeline iterator has the stage index and phase of an agent; it is a
value, so loops carry it. `produce_one` and `consume_one` hold these steps for one stage:

    nv_tileas.async.pipeline.produce_one %pipe[%it] : !nv_tileas.pipeline<f32>, … {
      %empty = nv_tileas.async.pipeline.producer_acquire %pipe[%it] : …
      %full = nv_tileas.async.pipeline.producer_write %pipe, %empty : … {
        nv_tileas.async.pipeline.yield %x : f32
      }
      nv_tileas.async.pipeline.producer_commit %pipe, %full : …
      nv_tileas.async.pipeline.yield
    }
    %next = nv_tileas.async.pipeline.inc_iter %it : !nv_tileas.iterator<producer, f32>

The CTAs of a launch:

    %count = nv_tileas.resident_ctas {ctas_per_sm = 1 : i32}
    %size = nv_tileas.cluster_ctas
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    VarConstraint,
    base,
    eq,
    lazy_traits_def,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.traits import HasParent, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value, diagnosed_op
from tileiras_xdsl.dialects.memory_order import ReservesMemory, UnknownEffects
from tileiras_xdsl.dialects.nv_tileaa.attributes import TileaaOperation
from tileiras_xdsl.xdsl_extras.walking import find_all

from .types import (
    ASYNC_TOKEN,
    CONSUMER_TOKEN,
    PRODUCER_TOKEN,
    ConsumerTokenType,
    IteratorType,
    PipelineType,
    ProducerTokenType,
)

INTEGER = IntegerAttr.constr(type=eq(i32))
INTEGERS = DenseArrayBase.constr(i32)
REGISTER_UNIT = 8
"""The granularity of register reallocation."""


def _join(types: Sequence[Attribute]) -> str:
    return ", ".join(str(ty) for ty in types)


def _types(values: Sequence[SSAValue]) -> list[Attribute]:
    return [value.type for value in values]


def verify_entry(op: Operation, region: Region, expected: Sequence[Attribute]) -> None:
    """Block arguments of a region have the types that the producer of a pipeline writes."""
    found = _types(region.block.args)
    if found != list(expected):
        raise VerifyException(
            "expects region arguement types to match with producer types "
            f"[{_join(expected)}], but got [{_join(found)}]"
        )


def verify_exit(op: Operation, region: Region, expected: Sequence[Attribute]) -> None:
    """A region yields the results of its op."""
    last = region.block.last_op
    if not isinstance(last, PipelineYieldOp):
        raise VerifyException(f"expects regions to end with '{PipelineYieldOp.name}'")
    found = _types(last.operands)
    if found != list(expected):
        raise VerifyException(
            "expects region result types to be match with operation result types "
            f"[{_join(expected)}], but got [{_join(found)}]"
        )


def _elements(pipeline: SSAValue) -> tuple[Attribute, ...]:
    ty = pipeline.type
    assert isinstance(ty, PipelineType)
    return ty.element_types.data


def verify_iterator(pipeline: SSAValue, iterator: SSAValue, role: str) -> None:
    """A pipeline iterator matches the pipeline and the role."""
    expected = IteratorType(role, _elements(pipeline))
    if iterator.type != expected:
        raise VerifyException(f"expects '{expected}', but got '{iterator.type}'")


def verify_consumer(pipeline: SSAValue, index: IntegerAttr | None) -> None:
    """A consumer index is less than the number of consumers of its pipeline."""
    if index is None:
        return
    number, owner = index.value.data, pipeline.owner
    count = owner.get_num_consumers() if isinstance(owner, CreatePipelineOp) else None
    if number < 0 or (count is not None and number >= count):
        of = "" if count is None else f" of {count} consumers"
        raise VerifyException(f"consumer_idx {number} is out of range{of}")


@diagnosed_op
class CreatePipelineOp(TileaaOperation):
    """
    A multi-stage buffer of `numStages` stages with its full and empty barriers, filled by one agent
    and read by `numConsumers` (1 if absent).

        %p = nv_tileas.async.pipeline.create_pipeline {numStages = 2 : i32}
            : !nv_tileas.pipeline<tensor<64x64xf16>>
    """

    name = "nv_tileas.async.pipeline.create_pipeline"

    result = result_def(PipelineType)
    num_stages = prop_def(INTEGER, prop_name="numStages")
    num_consumers = opt_prop_def(INTEGER, prop_name="numConsumers")
    producer_group_id = opt_prop_def(INTEGER, prop_name="producerGroupId")
    consumer_group_id = opt_prop_def(INTEGER, prop_name="consumerGroupId")
    shared_mem = opt_prop_def(BoolAttr, prop_name="sharedMem")
    dynamic = opt_prop_def(BoolAttr)
    mark_for_reuse = opt_prop_def(UnitAttr)

    traits = traits_def(ReservesMemory())
    assembly_format = "attr-dict `:` type($result)"

    def get_num_stages(self) -> int:
        return self.num_stages.value.data

    def get_num_consumers(self) -> int:
        return 1 if self.num_consumers is None else self.num_consumers.value.data

    def verify_(self) -> None:
        if self.get_num_stages() < 1:
            raise VerifyException(f"expects at least one stage, but got {self.get_num_stages()}")
        if self.get_num_consumers() < 1:
            raise VerifyException(
                f"expects at least one consumer, but got {self.get_num_consumers()}"
            )


@diagnosed_op
class CreateIteratorOp(TileaaOperation):
    """A pipeline iterator at the first stage; each agent has its own."""

    name = "nv_tileas.async.pipeline.create_iterator"

    pipeline = operand_def(PipelineType)
    result = result_def(IteratorType)

    traits = traits_def(Pure())
    assembly_format = "$pipeline attr-dict `:` type($pipeline) `->` type($result)"

    def __init__(self, pipeline: Value, role: str):
        ty = IteratorType(role, _elements(SSAValue.get(pipeline)))
        super().__init__(operands=[pipeline], result_types=[ty])

    def verify_(self) -> None:
        ty = self.result.type
        verify_iterator(self.pipeline, self.result, ty.role.data)


@diagnosed_op
class IncIterOp(TileaaOperation):
    """Advances a pipeline iterator to the next stage, cyclically."""

    name = "nv_tileas.async.pipeline.inc_iter"

    T: ClassVar = VarConstraint("T", base(IteratorType))
    iterator = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$iterator attr-dict `:` type($iterator)"


@diagnosed_op
class CreateNullTokenOp(TileaaOperation):
    """A null token: that of a stage without any access."""

    name = "nv_tileas.async.pipeline.create_null_token"

    result = result_def(base(ProducerTokenType) | base(ConsumerTokenType))

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"


def _parents() -> tuple[type[Operation], ...]:
    return (
        *(ProducerWriteOp, ConsumerReadOp, ProduceOneOp, ProduceOneAsyncOp),
        *(ConsumeOneOp, ConsumeOneAsyncOp, AgentSwitchOp),
    )


@diagnosed_op
class PipelineYieldOp(TileaaOperation):
    """Terminates the regions of pipelines and agents with their results."""

    name = "nv_tileas.async.pipeline.yield"

    arguments = var_operand_def()

    traits = lazy_traits_def(lambda: (IsTerminator(), Pure(), HasParent(*_parents())))
    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"

    def __init__(self, *arguments: Value):
        super().__init__(operands=[arguments])


# One step each


@diagnosed_op
class ProducerAcquireOp(TileaaOperation):
    """Waits until a buffer stage is empty: `producer_acquire %pipe[%it] : …, …`."""

    name = "nv_tileas.async.pipeline.producer_acquire"

    pipeline = operand_def(PipelineType)
    iterator = operand_def(IteratorType)
    result = result_def(eq(PRODUCER_TOKEN))

    traits = traits_def(UnknownEffects())
    assembly_format = (
        "$pipeline `[` $iterator `]` attr-dict `:` type($pipeline) `,` type($iterator)"
    )

    def verify_(self) -> None:
        verify_iterator(self.pipeline, self.iterator, "producer")


@diagnosed_op
class StageBufferOp(TileaaOperation):
    """
    The buffer of a stage that an agent has acquired, without contents. What is written there is
    committed as the value that `producer_write` yields.

        %t = nv_tileas.async.pipeline.stage_buffer %pipe, %token
            : !nv_tileas.pipeline<tensor<128x128xf32, #tmem>> -> tensor<128x128xf32, #tmem>
    """

    name = "nv_tileas.async.pipeline.stage_buffer"

    pipeline = operand_def(PipelineType)
    token = operand_def(eq(PRODUCER_TOKEN))
    result = result_def()

    traits = traits_def(ReservesMemory())
    assembly_format = "$pipeline `,` $token attr-dict `:` type($pipeline) `->` type($result)"

    def __init__(self, pipeline: Value, token: Value):
        (element,) = _elements(SSAValue.get(pipeline))
        super().__init__(operands=[pipeline, token], result_types=[element])

    def verify_(self) -> None:
        if _elements(self.pipeline) != (self.result.type,):
            raise VerifyException(
                f"expects the only element of '{self.pipeline.type}', but got '{self.result.type}'"
            )


@diagnosed_op
class ProducerWriteOp(TileaaOperation):
    """Writes the values that its region yields into a buffer stage."""

    name = "nv_tileas.async.pipeline.producer_write"

    pipeline = operand_def(PipelineType)
    token = operand_def(eq(PRODUCER_TOKEN))
    result = result_def(eq(PRODUCER_TOKEN))
    body = region_def("single_block")

    traits = traits_def(UnknownEffects())
    assembly_format = "$pipeline `,` $token attr-dict `:` type($pipeline) $body"

    def verify_(self) -> None:
        verify_entry(self, self.body, ())
        verify_exit(self, self.body, _elements(self.pipeline))


@diagnosed_op
class ProducerCommitOp(TileaaOperation):
    """Commits a full buffer stage to its consumers: `producer_commit %pipe, %token : …`."""

    name = "nv_tileas.async.pipeline.producer_commit"

    pipeline = operand_def(PipelineType)
    token = operand_def(eq(PRODUCER_TOKEN))

    traits = traits_def(UnknownEffects())
    assembly_format = "$pipeline `,` $token attr-dict `:` type($pipeline)"


@diagnosed_op
class ConsumerWaitOp(TileaaOperation):
    """Waits until a buffer stage is full: `consumer_wait %pipe[%it] : …, …`."""

    name = "nv_tileas.async.pipeline.consumer_wait"

    pipeline = operand_def(PipelineType)
    iterator = operand_def(IteratorType)
    result = result_def(eq(CONSUMER_TOKEN))
    consumer_idx = opt_prop_def(INTEGER)

    traits = traits_def(UnknownEffects())
    assembly_format = (
        "$pipeline `[` $iterator `]` attr-dict `:` type($pipeline) `,` type($iterator)"
    )

    def verify_(self) -> None:
        verify_iterator(self.pipeline, self.iterator, "consumer")
        verify_consumer(self.pipeline, self.consumer_idx)


@diagnosed_op
class ConsumerReadOp(TileaaOperation):
    """
    Reads a buffer stage: the region takes its contents as arguments, and yields the results.

        %done, %x = nv_tileas.async.pipeline.consumer_read %pipe, %full
            : !nv_tileas.pipeline<f32> -> !nv_tileas.consumer_token, f32 {
        ^bb0(%entry: f32):
          nv_tileas.async.pipeline.yield %entry : f32
        }
    """

    name = "nv_tileas.async.pipeline.consumer_read"

    pipeline = operand_def(PipelineType)
    token = operand_def(eq(CONSUMER_TOKEN))
    result_token = result_def(eq(CONSUMER_TOKEN))
    values = var_result_def()
    consumer_idx = opt_prop_def(INTEGER)
    body = region_def("single_block")

    traits = traits_def(UnknownEffects())
    assembly_format = (
        "$pipeline `,` $token attr-dict `:` type($pipeline) `->` type($result_token) "
        "(`,` type($values)^)? $body"
    )

    def verify_(self) -> None:
        verify_entry(self, self.body, _elements(self.pipeline))
        verify_exit(self, self.body, _types(self.values))
        verify_consumer(self.pipeline, self.consumer_idx)


@diagnosed_op
class ConsumerReleaseOp(TileaaOperation):
    """Releases a buffer stage to its producer: `consumer_release %pipe, %token : …`."""

    name = "nv_tileas.async.pipeline.consumer_release"

    pipeline = operand_def(PipelineType)
    token = operand_def(eq(CONSUMER_TOKEN))

    traits = traits_def(UnknownEffects())
    assembly_format = "$pipeline `,` $token attr-dict `:` type($pipeline)"


# One entry each


class EntryOperation(TileaaOperation, ABC):
    """All that an agent does with one buffer stage."""

    ROLE: ClassVar[str]

    pipeline = operand_def(PipelineType)
    iterator = operand_def(IteratorType)
    values = var_result_def()
    body = region_def("single_block")

    traits = traits_def(UnknownEffects())
    assembly_format = (
        "$pipeline `[` $iterator `]` attr-dict `:` type($pipeline) `,` type($iterator) "
        "(`->` type($values)^)? $body"
    )

    def verify_(self) -> None:
        verify_iterator(self.pipeline, self.iterator, self.ROLE)
        verify_entry(self, self.body, ())
        verify_exit(self, self.body, _types(self.values))


class Asynchronous(EntryOperation, ABC):
    """One whose first result is the token of an asynchronous operation."""

    def verify_(self) -> None:
        super().verify_()
        if not self.values or self.values[0].type != ASYNC_TOKEN:
            raise VerifyException(f"expects the first result to be '{ASYNC_TOKEN}'")


class Consumption(EntryOperation, ABC):
    """One of a consumer."""

    ROLE: ClassVar[str] = "consumer"

    consumer_idx = opt_prop_def(INTEGER)

    def verify_(self) -> None:
        super().verify_()
        verify_consumer(self.pipeline, self.consumer_idx)


@diagnosed_op
class ProduceOneOp(EntryOperation):
    """Acquires, writes and commits a buffer stage."""

    name = "nv_tileas.async.pipeline.produce_one"
    ROLE: ClassVar[str] = "producer"


@diagnosed_op
class ProduceOneAsyncOp(Asynchronous):
    """Acquires, writes and commits a buffer stage, which is full once its token is complete."""

    name = "nv_tileas.async.pipeline.produce_one_async"
    ROLE: ClassVar[str] = "producer"


@diagnosed_op
class ConsumeOneOp(Consumption):
    """Waits for a buffer stage, reads and releases it."""

    name = "nv_tileas.async.pipeline.consume_one"


@diagnosed_op
class ConsumeOneAsyncOp(Consumption, Asynchronous):
    """Waits for a buffer stage, reads and releases it; released once its token is complete."""

    name = "nv_tileas.async.pipeline.consume_one_async"


# Agents


@diagnosed_op
class AgentSwitchOp(TileaaOperation):
    """
    Warp specialization: agents that run concurrently, one for each region. A region takes all
    operands; at most one yields, and its values are the results.

    - `max_regs`: registers per thread of each agent, in multiples of 8; 0 leaves them unchanged.
    - `num_warps`, `warp_id`, `agent_strides`: the warps of each agent, once they are chosen.
    - `input_layouts`, `output_layouts`, and scratch memory and barriers: resources of a plugin.
    """

    name = "nv_tileas.async.pipeline.agent_switch"

    arguments = var_operand_def()
    values = var_result_def()
    agents = var_region_def("single_block")
    num_agents_per_group = opt_prop_def(INTEGER)
    isolated = opt_prop_def(UnitAttr)
    max_regs = opt_prop_def(INTEGERS)
    num_warps = opt_prop_def(INTEGERS)
    warp_id = opt_prop_def(INTEGERS)
    agent_strides = opt_prop_def(INTEGERS)
    named_barriers = opt_prop_def(INTEGER)
    shared_memory_bytes = opt_prop_def(IntegerAttr.constr(type=eq(i64)))
    tensor_memory_bytes = opt_prop_def(IntegerAttr.constr(type=eq(i64)))
    input_layouts = opt_prop_def(ArrayAttr)
    output_layouts = opt_prop_def(ArrayAttr)

    traits = traits_def(UnknownEffects())

    assembly_format = (
        "(`(` $arguments^ `:` type($arguments) `)`)? (`->` type($values)^)? "
        "attr-dict-with-keyword $agents"
    )

    def verify_(self) -> None:
        if not self.agents:
            raise VerifyException("expects at least one agent")
        for name in ("max_regs", "num_warps", "warp_id", "agent_strides"):
            listed = self.properties.get(name)
            if isinstance(listed, DenseArrayBase) and len(listed) != len(self.agents):
                raise VerifyException(
                    f"expects {name} of {len(self.agents)} agents, but got {len(listed)}"
                )
        self._verify_registers()
        yielding = 0
        for region in self.agents:
            verify_entry(self, region, _types(self.arguments))
            last = region.block.last_op
            if isinstance(last, PipelineYieldOp) and not last.operands:
                continue
            verify_exit(self, region, _types(self.values))
            yielding += 1
        if yielding > 1 or (self.values and not yielding):
            raise VerifyException(f"expects one agent to yield the results, but {yielding} do")

    def _verify_registers(self) -> None:
        for count in () if self.max_regs is None else self.max_regs.get_values():
            if int(count) < 0 or int(count) % REGISTER_UNIT:
                raise VerifyException(
                    f"expects registers in multiples of {REGISTER_UNIT}, but got {count}"
                )


@diagnosed_op
class ResidentCtasOp(TileaaOperation):
    """
    How many CTAs the GPU holds at once, if each SM holds `ctas_per_sm`: the same number, at least
    1, in all CTAs of a launch. It is an estimate, as others may use the GPU, too: that many CTAs
    need not run at the same time.
    """

    name = "nv_tileas.resident_ctas"

    ctas_per_sm = prop_def(IntegerAttr.constr(type=eq(i32)))
    result = result_def(i32)

    traits = traits_def(Pure())
    assembly_format = "attr-dict"

    def verify_(self) -> None:
        if (number := self.ctas_per_sm.value.data) < 1:
            raise VerifyException(f"expects at least one CTA per SM, but got {number}")


def find_resident_ctas(function: FuncOp) -> ResidentCtasOp | None:
    """What tells the CTAs of a persistent kernel, launched by anybody, which of them have work."""
    return next(iter(find_all(function, ResidentCtasOp)), None)
