"""
Ops do to memory what they declare, no more: seen by running random programs at every level.

Whatever an op changes in global or shared memory while it runs, it declares to write; what it reads
there, it declares to read. An op that declares nothing may be moved, merged and removed by every
pass, so one that did more would be lost silently.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.irdl import traits_def
from xdsl.traits import MemoryEffectKind, NoMemoryEffect, get_effects

from tileiras_xdsl import load
from tileiras_xdsl.dialects.cuda_tile import CudaTile
from tileiras_xdsl.dialects.memory_order import AccessOrder, Effect, own_effects
from tileiras_xdsl.dialects.nv_tileaa import NvTileaa
from tileiras_xdsl.dialects.nv_tileaa.memory import StoreOp
from tileiras_xdsl.dialects.nv_tileas import NvTileas
from tileiras_xdsl.inspection.profiling.measure import get_layout
from tileiras_xdsl.interpreter import memory_ops
from tileiras_xdsl.interpreter.machine import BoundProgram, CallFrame, Signal, Step
from tileiras_xdsl.interpreter.memory import Memory
from tileiras_xdsl.interpreter.threads import accesses as thread_accesses
from tileiras_xdsl.pipeline import MODULE_STAGES
from tileiras_xdsl.transforms.common.abi import ABIS
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.transforms.tileas.tileas_insert_profiling import TileasInsertProfilingPass

from ..harness.passes import applied, lower, lower_through
from ..harness.running import run_printing
from ..strategies.hopper_kernels import gemm
from ..strategies.matmul_programs import SMALL, random_matmul
from ..strategies.programs import random_program

READ, WRITE = MemoryEffectKind.READ, MemoryEffectKind.WRITE


@dataclass
class Observer:
    """What ops have been seen to do, by name."""

    ran: dict[str, Operation] = field(default_factory=dict[str, Operation])
    did: dict[str, set[MemoryEffectKind]] = field(
        default_factory=lambda: defaultdict(set[MemoryEffectKind])
    )
    undeclared: dict[str, MemoryEffectKind] = field(default_factory=dict[str, MemoryEffectKind])
    current: list[Operation] = field(default_factory=list[Operation])
    """The ops that run, the innermost last."""

    def note(self, op: Operation, kind: MemoryEffectKind) -> None:
        """An op reads or writes memory."""
        self.did[op.name].add(kind)
        effects = get_effects(op)
        if effects is not None and all(effect.kind is not kind for effect in effects):
            self.undeclared[op.name] = kind

    def wrap(self, op: Operation, step: Step) -> Step:
        """The step of an op, watched."""
        if op.regions:
            return step

        def watched(frame: CallFrame) -> Signal | None:
            self.ran[op.name] = op
            before = [data.copy() for data in _contents(frame.cta)]
            self.current.append(op)
            try:
                return step(frame)
            finally:
                self.current.pop()
                after = _contents(frame.cta)
                if any(not np.array_equal(a, b) for a, b in zip(before, after, strict=False)):
                    self.note(op, WRITE)

        return watched


def _contents(cta: Any) -> list[Any]:
    """The bytes that ops of a CTA may change: of its shared memory, and of global memory."""
    memory = getattr(cta.memory, "memory", cta.memory)
    assert isinstance(memory, Memory)
    shared = [cta.shared.data] if hasattr(cta, "shared") else []
    return [*shared, *(each.data for each in memory if each.is_global)]


@contextmanager
def observed(patch: pytest.MonkeyPatch) -> Generator[Observer]:
    """Watches all programs that run meanwhile."""
    observer = Observer()
    bind = BoundProgram._bind  # pyright: ignore[reportPrivateUsage]

    def watched_bind(program: BoundProgram, op: Operation) -> Step:
        return observer.wrap(op, bind(program, op))

    patch.setattr(BoundProgram, "_bind", watched_bind)

    def reading(function: Callable[..., Any]) -> Callable[..., Any]:
        def read(*args: Any, **named: Any) -> Any:
            # What is executed late, such as a copy that somebody waits for, is of another op.
            if observer.current:
                observer.note(observer.current[-1], READ)
            return function(*args, **named)

        return read

    for module, name in (
        *((memory_ops, name) for name in ("load", "load_elements", "load_part", "update")),
        (thread_accesses, "load"),
    ):
        patch.setattr(module, name, reading(getattr(module, name)))
    yield observer
    patch.undo()


KERNEL_SEEDS = (4,)
PROGRAM_SEEDS = range(300, 312)


GATHER = "gather_scatter_view<tile=(4x4), tensor_view<8x4xi32, strides=[4,1]>, sparse_dim=0>"
PARTITION = "partition_view<tile=(4x4), tensor_view<8x4xi32, strides=[4,1]>>"
SELDOM = f"""
entry @k(%a: tile<ptr<i32>>) {{
  %zero = constant <i32: 0> : tile<i32>
  %rows = iota : tile<4xi32>
  %tensor = make_tensor_view %a, shape = [8, 4], strides = [4, 1]
    : tensor_view<8x4xi32, strides=[4,1]>
  %gather = make_gather_scatter_view %tensor : {GATHER}
  %tiles = make_partition_view %tensor : {PARTITION}
  %x, %t1 = load_view_tko weak %gather[%rows, %zero]
    : {GATHER}, tile<4xi32>, tile<i32> -> tile<4x4xi32>, token
  %one = constant <i32: 1> : tile<4x4xi32>
  %y = addi %x, %one : tile<4x4xi32>
  %t2 = atomic_red_view_tko relaxed device %tiles[%zero, %zero], add, %y token = %t1
    : tile<4x4xi32>, {PARTITION} -> token
  return
}}
"""
"""Accesses that random programs have too seldom."""


def programs() -> Iterator[tuple[ModuleOp, Any, list[Any]]]:
    """Programs at every level, with grids and arguments."""
    for seed in PROGRAM_SEEDS:
        program = random_program(seed)
        yield program.module, program.grid, program.arguments()
        for module in lower_through(program.module, "tileaa", "tileas").values():
            yield module, program.grid, program.arguments()
    for module in lower_through(load(SELDOM), "tileaa", "tileas").values():
        yield module, 1, [np.zeros((8, 4), np.int32)]
    text = gemm((64, 64, 64), bound="%two")
    text = text.replace("%start =", "%two = constant <i32: 2> : tile<i32>\n    %start =")
    arrays = [np.ones((128, 128), ty) for ty in (np.float16, np.float16, np.float32)]
    for abi in ABIS:
        stages = lower_through(load(text), "tileas", "nvgpu", "nvvm", arch="sm_90a", abi=abi)
        for module in stages.values():
            yield module, 1, [*arrays, 128]
    profiled = applied(
        lower(load(text), "tileas", arch="sm_90a"), TileasInsertProfilingPass(ctas=1, records=64)
    )
    (kernel,) = kernels(profiled)
    yield profiled, 1, [*arrays, 128, np.zeros(get_layout(kernel).words, np.int64)]
    for seed in KERNEL_SEEDS:
        kernel = random_matmul(seed, SMALL)
        for module in lower_through(kernel.module, *MODULE_STAGES[1:]).values():
            yield module, kernel.grid, kernel.arguments()


@pytest.fixture(scope="module")
def observer() -> Observer:
    patch = pytest.MonkeyPatch()
    with observed(patch) as found:
        for module, grid, arguments in programs():
            run_printing(module, grid=grid, args=arguments)
    return found


@pytest.mark.part("kernels")
def test_ops_declare_what_they_do(observer: Observer) -> None:
    assert not observer.undeclared
    assert len(observer.ran) > 100
    seen = {name for name, kinds in observer.did.items() if WRITE in kinds}
    assert {"cuda_tile.store_ptr_tko", "nv_tileaa.store", "nv_tileas.tiled_store"} <= seen
    read = {name for name, kinds in observer.did.items() if READ in kinds}
    assert {
        "cuda_tile.load_view_tko",
        "nv_tileaa.load",
        "nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile",
    } <= read


ORDER_ONLY = {
    "cuda_tile.assume",  # What follows from it may not move above it.
    *("cuda_tile.gdc_wait_tko", "cuda_tile.gdc_launch_dependents_tko"),
    "cuda_tile.memory_fence_alias_tko",
}
"""Ops that declare accesses to stay where they are, and access nothing here."""


@pytest.mark.part("kernels")
def test_what_ops_declare_they_can_be_seen_to_do(observer: Observer) -> None:
    """Of an access that is not seen to access anything, nothing would be known here."""
    unseen = {
        name
        for name, op in observer.ran.items()
        if name.partition(".")[0] in ("cuda_tile", "nv_tileaa", "nv_tileas")
        and own_effects(op) & (Effect.READ | Effect.WRITE)
        and not own_effects(op) & Effect.UNKNOWN
        and not observer.did[name]
    }
    assert unseen <= ORDER_ONLY


@pytest.mark.part("kernels")
def test_all_accesses_of_tiles_are_among_the_programs(observer: Observer) -> None:
    """A new access has to be seen, too."""
    declared = {
        op.name
        for dialect in (CudaTile, NvTileaa, NvTileas)
        for op in dialect.operations
        if any(issubclass(type(trait), AccessOrder) for trait in op.traits.traits)
    }
    assert not declared - observer.ran.keys()
    assert len(declared) > 15


def test_a_planted_op_is_found() -> None:
    """A store that declares nothing."""
    program = random_program(PROGRAM_SEEDS[0])
    module = lower(program.module, "tileaa")
    patch = pytest.MonkeyPatch()
    patch.setattr(StoreOp, "traits", traits_def(NoMemoryEffect()))
    with observed(patch) as found:
        run_printing(module, grid=program.grid, args=program.arguments())
    assert found.undeclared == {"nv_tileaa.store": WRITE}
