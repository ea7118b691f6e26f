"""Running a kernel over a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects import gpu, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, TypedAttribute

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.nv_tileaa.memory import GlobalOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_shared_memory
from tileiras_xdsl.dialects.nvgpu.types import (
    BLOCKS_ARE_CLUSTERS,
    get_cluster_ctas,
    get_persistent_ctas,
)

from . import arithmetic as _arithmetic
from . import control_flow as _control_flow
from . import memory_ops as _memory_ops
from . import nv_tileas as _nv_tileas
from .arguments import (
    MOST_SMS,
    SM_COUNT,
    BoundArguments,
    ChosenBlocks,
    CtaIndices,
    Grid,
    check_types,
    choose_kernel,
    launch_of,
)
from .barriers import KernelMemory, ThreadsUse, guard_threads
from .checks import (
    OUTSIDE,
    RACES,
    UNINITIALIZED,
    Checker,
    CountedTiles,
    RaceObserver,
    checks_of,
    guards_of,
)
from .cta_state import AfterAccess, CtaState
from .elements import to_bytes
from .environment import Environment, Observer, Other
from .errors import ExecutionError
from .machine import Body, BoundProgram, CallFrame, Step
from .memory import Memory
from .output import ProgressBar, get_writer
from .processes import run_in_processes
from .schedule import Turn, Turns
from .tiles import elements_of
from .tokens import AccessOrdering
from .unwritten import track_unwritten
from .values import Value, element_of, literal_of, word_of

if TYPE_CHECKING:
    from tileiras_xdsl.frontend.load import Source

# The modules register what ops do.
REGISTERED = (*(_arithmetic, _control_flow, _memory_ops, _nv_tileas),)

LOOPS = (ct.LoopOp, ct.ForOp, scf.WhileOp, scf.ForOp)


def entries_of(module: ModuleOp) -> dict[str, Operation]:
    """The kernels of a module by name."""
    found: dict[str, Operation] = {}
    for op in module.walk():
        if isinstance(op, ct.EntryOp) or (isinstance(op, gpu.FuncOp) and op.kernel is not None):
            found[word_of(op, "sym_name")] = op
    return found


def choose_entry(module: ModuleOp, name: str | None) -> Operation:
    """The kernel of a name, or the only one."""
    return choose_kernel(entries_of(module), name)


def add_globals(module: ModuleOp, memory: Memory) -> dict[str, int]:
    """Gives global variables memory; returns their addresses by name."""
    addresses: dict[str, int] = {}
    for op in module.walk():
        if isinstance(op, ct.GlobalOp):
            value, element = elements_of(op.elements), op.elements.element_type
        elif isinstance(op, GlobalOp):
            assert isinstance(op.value, TypedAttribute)
            ty = op.value.get_type()
            value, element = literal_of(op.value, ty), element_of(ty)
        else:
            continue
        name = word_of(op, "sym_name")
        data = to_bytes(np.ascontiguousarray(value), element)
        allocation = memory.allocate(np.array(data), f"@{name}")
        allocation.writable = "constant" not in op.properties
        addresses[name] = allocation.base
    return addresses


def load_program(program: Source, args: Sequence[Any]) -> tuple[ModuleOp, Sequence[Any]]:
    """The module of a program, and the arguments that it takes."""
    if isinstance(program, ModuleOp):
        return program, args
    from tileiras_xdsl.frontend.load import Program

    source = Program.of(program, args)
    return source.load_verified(), source.flatten(args)


def is_of_threads(module: ModuleOp, entry: str | None) -> bool:
    """Whether the kernel to run is the code of one thread."""
    if any(op.name.startswith("cuda_tile.") for op in module.ops):
        return False
    from .threads.run import thread_kernels

    found = thread_kernels(module)
    return entry in found if entry is not None else len(found) == 1


def run(
    program: Source,
    grid: Grid,
    args: Sequence[Any],
    *,
    entry: str | None = None,
    check: Sequence[str] | bool = (),
    seed: int | None = None,
    processes: int = 1,
    progress: bool | None = None,
    sm_count: int = SM_COUNT,
    others: Sequence[Other] = (),
    side_by_side: bool = False,
    deadline: float | None = None,
    after_access: AfterAccess | None = None,
    blocks: Sequence[tuple[int, int, int]] | None = None,
) -> None:
    """Runs a kernel over a grid on the CPU; see `tileiras_xdsl.run` for the options."""
    original: ModuleOp | None = getattr(program, "original", None)
    module, args = load_program(program, args)
    if original is not None:
        # Pointers of later stages do not say what they point to.
        first = choose_entry(original, entry)
        if isinstance(first, ct.EntryOp):
            check_types(first, args)
    checks = checks_of(check)
    if is_of_threads(module, entry):
        from .threads import run_threads

        is_checked = RACES in checks or (not checks and check is not False)
        run_threads(
            module,
            grid,
            args,
            entry=entry,
            check_races=is_checked,
            sm_count=sm_count,
            others=others,
            seed=seed,
            side_by_side=side_by_side,
            deadline=deadline,
            timing="late" if seed is None else "random",
            progress=progress,
            blocks=blocks,
        )
        return
    kernel = choose_entry(module, entry)
    chosen = None if blocks is None else ChosenBlocks(kernel, grid, blocks)
    if chosen is not None:
        sm_count = min(chosen.total * get_cluster_ctas(kernel), MOST_SMS)
    sizes, asked = launch_of(kernel, grid, sm_count)
    if BLOCKS_ARE_CLUSTERS.is_on(kernel):
        sizes = (sizes[0] * get_cluster_ctas(kernel), *sizes[1:])
    if processes < 1:
        raise ExecutionError(f"expected at least one process, but got {processes}")
    if processes > 1 and RACES in checks:
        raise ExecutionError("races are found only with processes=1, which sees all accesses")
    if processes > 1 and others:
        raise ExecutionError("others take part only with processes=1")
    memory = Memory()
    arguments = BoundArguments(kernel, args, memory, asked)
    if processes > 1 and memory.is_paged:
        raise ExecutionError("arrays that are made page by page are for processes=1")
    addresses = add_globals(module, memory)
    if UNINITIALIZED in checks:
        memory.track_writes()
    checker = Checker(checks, memory, seed) if checks or seed is not None else None
    if checker is not None and OUTSIDE in checks:
        checker.tiles = CountedTiles(kernel, memory)
    bound = BoundProgram(
        guard_of=None if checker is None else _guards_of(kernel, checks),
        deadline=deadline,
        track=track_unwritten if UNINITIALIZED in checks else None,
    )
    body = bound.bind_block(kernel.regions[0].block)
    environment = _make_environment(others, memory, seed, checker) if others else None
    memory_of_kernel = KernelMemory.of(kernel)

    def run_one(
        index: tuple[int, int, int], write: Callable[[str], object], turn: Turn | None = None
    ) -> None:
        state = (sizes, memory, addresses, write, checker, environment, turn, strong)
        cta = CtaState(index, *state, sm_count=sm_count, after_access=after_access)
        if checker is not None and memory_of_kernel is not None:
            cta.threads_use = ThreadsUse(memory_of_kernel, reports=RACES in checks)
        with np.errstate(all="ignore"):
            run_cta(body, bound, cta, arguments.values)

    strong = strong_accesses(kernel)
    ctas = CtaIndices(sizes, seed) if chosen is None else _chosen_ctas(kernel, chosen, sizes, seed)
    write = get_writer()
    bar = ProgressBar(len(ctas), progress)

    def run_in_turn(index: tuple[int, int, int], turn: Turn) -> None:
        run_one(index, write, turn)
        bar.advance()

    try:
        if processes > 1:
            run_in_processes(processes, ctas, run_one, kernel, memory, write, bar.advance)
        elif strong:
            Turns().run(partial(run_in_turn, index) for index in ctas)
        else:
            for index in ctas:
                run_one(index, write)
                bar.advance()
        if environment is not None:
            environment.finish()
    finally:
        bar.finish()
        if environment is not None:
            environment.restore()
    if checker is not None and checker.tiles is not None:
        checker.tiles.warn()


def _chosen_ctas(
    kernel: Operation, chosen: ChosenBlocks, sizes: tuple[int, int, int], seed: int | None
) -> Sequence[tuple[int, int, int]]:
    """The CTAs of a launch that do tile blocks, in the order in which they run."""
    found = chosen.find_ctas(
        sizes,
        (get_cluster_ctas(kernel), 1, 1),
        is_persistent=get_persistent_ctas(kernel) > 0,
        are_clusters=BLOCKS_ARE_CLUSTERS.is_on(kernel),
    )
    if seed is not None:
        Random(seed).shuffle(found)
    return found


def _guards_of(
    kernel: Operation, checks: frozenset[str]
) -> Callable[[BoundProgram, Operation], Step | None]:
    """Those of values, and those of threads if shared memory is allocated."""
    of_values, memory = guards_of(checks), get_shared_memory(kernel)
    if memory is None:
        return of_values

    def find(program: BoundProgram, op: Operation) -> Step | None:
        found = [of_values(program, op), guard_threads(program, memory, op)]
        guards = [guard for guard in found if guard is not None]

        def step(frame: CallFrame) -> None:
            for guard in guards:
                guard(frame)

        return step if guards else None

    return find


def strong_accesses(kernel: Operation) -> frozenset[Operation]:
    """The accesses by which a CTA of a kernel may wait for others: strong ones in loops."""
    return frozenset(
        op
        for loop in kernel.walk()
        if isinstance(loop, LOOPS)
        for op in loop.walk()
        if AccessOrdering.of(op).strong
    )


def _make_environment(
    others: Sequence[Other], memory: Memory, seed: int | None, checker: Checker | None
) -> Environment:
    """Who else touches memory, watched if races are looked for."""
    observer = Observer()
    if checker is not None and checker.races is not None:
        observer = RaceObserver(checker.races, checker)
    environment = Environment(others, memory, seed, observer)
    environment.begin()
    return environment


def run_cta(body: Body, program: BoundProgram, cta: CtaState, arguments: Sequence[Value]) -> None:
    """Runs one CTA."""
    cta.begin()
    frame = CallFrame(len(program.registers), cta)
    try:
        body.run(frame, arguments)
        cta.finish()
    except MemoryError as error:
        raise ExecutionError(f"ran out of memory: {error}", cta=cta.index) from None
