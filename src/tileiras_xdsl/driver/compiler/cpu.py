"""
`tileiras_xdsl.compile(kernel, "cpu")`: programs compiled by LLVM for the CPU of this machine.

    kernel = tx.compile(program, "cpu")
    kernel.launch(grid, [array, …])

The pipeline is `CPU_PIPELINE` of `pipeline`, then LLVM. Threads take ranges of CTAs; each has
scratch memory of its own.
"""

from __future__ import annotations

import ctypes
import json
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import cache, cached_property
from math import inf, prod
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from warnings import warn

import numpy as np
from xdsl.dialects import gpu
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.dialects.llvm import FuncOp, LLVMPointerType
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser

from tileiras_xdsl.analysis.alias import MemoryLocation, RootKind
from tileiras_xdsl.backend import host
from tileiras_xdsl.backend.host_rates import measure as host_rates_of
from tileiras_xdsl.backend.translate import translate_module_for_host
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.frontend.load import Program, make_context
from tileiras_xdsl.interpreter.arguments import (
    ChosenBlocks,
    Grid,
    Index,
    choose_kernel,
    full_grid,
)
from tileiras_xdsl.interpreter.elements import from_bits, from_bytes, is_packed, memory_bytes
from tileiras_xdsl.interpreter.errors import ExecutionError, WaitingError
from tileiras_xdsl.interpreter.memory import first_byte
from tileiras_xdsl.interpreter.output import ProgressBar, format_values, get_writer
from tileiras_xdsl.interpreter.run import entries_of
from tileiras_xdsl.interpreter.tokens import AccessOrdering
from tileiras_xdsl.interpreter.values import element_of, shape_of
from tileiras_xdsl.pipeline import PipelinePass, cpu_steps, make_pass_of_spec
from tileiras_xdsl.targets.cpu import CpuRates, CpuTarget
from tileiras_xdsl.xdsl_extras.dialect_conversion import disposable
from tileiras_xdsl.xdsl_extras.dominance import verify_module
from tileiras_xdsl.xdsl_extras.public import public
from tileiras_xdsl.xdsl_extras.walking import walk

from . import cache as disk
from .compilation import paused_collection
from .cpu_arguments import IN_LISTS, Arguments, Promises, Words, launch_key
from .processes import core_count

if TYPE_CHECKING:
    from tileiras_xdsl.frontend.load import Source

FRONT_END_GPU: Final = "sm_90"
"""What cuTile kernels are exported for; their code is the same for all GPUs."""
SCRATCH: Final = "cpu.scratch_bytes"
"""What kernels have among the functions that come of them."""
MASKS: Final = "insert-runtime-checks{masks=true}"
ALIGNMENT: Final = 64
RANGES_PER_THREAD: Final = 2
"""
One of several threads takes such a part of its share of the CTAs that are left: the last ranges are
short, so that all threads end together.
"""
MOST_PACKED: Final = 256
"""Launches whose arguments are kept, for those that come again."""
MOST_AT_ONCE: Final = 256
"""Tile blocks that wait for each other, each on a thread of its own."""
THREAD_SECONDS: Final = 0.0003
"""What a launch has to take longer than for more threads: some 0.1 ms to start one."""
CALL_SECONDS: Final = 0.005
"""Of a call, which costs microseconds itself: from then on ranges of CTAs do not grow."""
GROWTH: Final = 4
"""Of ranges of CTAs, from one call to the next."""

PATIENCE_SECONDS: Final = 20
"""After which somebody should know of tile blocks that may wait for each other for ever."""

AfterPass = Callable[[PipelinePass | None, ModuleOp], None]
"""Told of a pass that has run, first of none, and the module."""


def step_spec(step: PipelinePass, target: CpuTarget) -> str:
    """A pass with its options, as `tileiras-opt -p` takes it."""
    bits, rows, dots = target.vector_bits, target.rows, str(target.has_byte_dots).lower()
    return f"{step.name}{step.options.format(bits=bits, rows=rows, dots=dots)}"


def lower_for_cpu(
    program: Program,
    target: CpuTarget | None = None,
    stage: str = "llvm",
    after_pass: AfterPass | None = None,
    *,
    masks: bool = False,
) -> ModuleOp:
    """
    The module of a program after the passes that lead to `tileaa`, `cpu` or `llvm`. With `masks`
    accesses through pointers stay in their arrays.
    """
    target = target or host.host()
    context = make_context()
    program.check()
    module = program.load_verified()
    if after_pass is not None:
        after_pass(None, module)
    with paused_collection(), disposable(module):
        if masks:
            make_pass_of_spec(MASKS).apply(context, module)
        for step in cpu_steps(stage):
            make_pass_of_spec(step_spec(step, target)).apply(context, module)
            if after_pass is not None:
                after_pass(step, module)
    if stage != "llvm":
        # LLVM verifies the last one.
        verify_module(module)
    return module


Report: TypeAlias = tuple[str, str, str]
"""`print` or `assert`, its text, and the types of the values, in a line each."""
REPORT_TYPE: Final = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
"""What compiled code calls: the number of a report, its values, the CTA."""


@dataclass(frozen=True)
class CpuKernel:
    """A kernel of a program."""

    name: str
    scratch: int
    """Bytes of scratch memory for each thread."""
    written: tuple[int, ...]
    """The numbers of the parameters through which it writes, `IN_LISTS` for arrays of lists."""
    reports: tuple[Report, ...] = ()
    """What it prints and asserts."""

    @staticmethod
    def of(function: FuncOp, written: Mapping[str, tuple[int, ...]]) -> CpuKernel:
        """From the function that `cpu-lower-tiles` makes."""
        scratch, name = function.attributes[SCRATCH], function.sym_name.data
        reports: Any = function.attributes["cpu.reports"]
        assert isinstance(scratch, IntegerAttr)
        listed = (
            (kind.data, text.data, "\n".join(map(str, types))) for kind, text, types in reports
        )
        return CpuKernel(name, scratch.value.data, written[name], tuple(listed))


def find_written(kernel: Operation) -> tuple[int, ...]:
    """The numbers of the parameters of a kernel of `nv_tileaa` through which it writes."""
    found: set[int] = set()
    for op in walk(kernel):
        if (place := MemoryLocation.of(op)) is not None and not is_plain_load(op):
            block = kernel.regions[0].block
            found |= {each.index for each in block.args if each in place.roots}
            if any(RootKind.of(root) is RootKind.ANYTHING for root in place.roots):
                found.add(IN_LISTS)
    return tuple(sorted(found))


def find_wait(kernel: Operation) -> Operation | None:
    """
    An access of a kernel of `cuda_tile` by which a tile block may wait for others: it reads, is
    not weak, and is in a loop that has no number of iterations.
    """
    for loop in kernel.walk():
        for op in loop.walk() if isinstance(loop, ct.LoopOp) else ():
            reads = any(isinstance(each.type, TileType) for each in op.results)
            if reads and AccessOrdering.of(op).strong:
                return op
    return None


@dataclass(frozen=True)
class _Known:
    """What launches ask of a kernel."""

    written: Operation
    kernel: CpuKernel
    promises: Promises
    wait: Operation | None


@dataclass(eq=False)
class CompiledForCpu:
    """A program compiled for the CPU of this machine."""

    program: Program = field(repr=False)
    target: CpuTarget
    kernels: tuple[CpuKernel, ...]
    llvm: str = field(repr=False)
    """LLVM IR, optimized."""
    object: bytes = field(repr=False)
    """Object code."""
    masks: bool = False
    """Whether accesses through pointers are masked where they leave their array."""
    _packed: dict[Hashable, bytes] = field(default_factory=dict[Hashable, bytes], repr=False)
    """Arguments of earlier launches, which need no second look."""
    _scratch: list[np.ndarray[Any, Any]] = field(
        default_factory=list[np.ndarray[Any, Any]], repr=False
    )
    """Scratch memory that no thread uses: new memory is slow at first."""

    @cached_property
    def asm(self) -> str:
        """Assembly."""
        return host.assembly(self.llvm, self.target)

    @cached_property
    def _linked(self) -> dict[str, host.Linked]:
        return {each.name: host.Linked(self.object, each.name) for each in self.kernels}

    @cached_property
    def _entries(self) -> Mapping[str, Operation]:
        """The kernels as they were written, whose parameters say what arguments have to be."""
        return entries_of(self.program.load_verified())

    @cached_property
    def _has_variables(self) -> bool:
        around = {each.parent for each in self._entries.values()}
        ops = (op for block in around if block is not None for op in block.ops)
        return any(isinstance(op, ct.GlobalOp) and op.constant is None for op in ops)

    @cached_property
    def _known(self) -> dict[str, _Known]:
        kernels = {each.name: each for each in self.kernels}
        return {
            name: _Known(op, kernels[name], Promises(op), find_wait(op))
            for name, op in self._entries.items()
        }

    @public
    def launch(
        self,
        grid: Grid,
        args: Sequence[Any],
        *,
        entry: str | None = None,
        threads: int | None = None,
        progress: bool | None = None,
        blocks: Sequence[Index] | None = None,
    ) -> None:
        """
        Runs a kernel over a grid, or some of its tile blocks; arrays are changed in place.
        Arguments are what `run` takes, and those of its function for a cuTile kernel. `threads`
        are as many as cores by default, one if the kernel prints, so that its CTAs print in order,
        and always as many as tile blocks if these may wait for each other. `progress` shows a bar
        as `run` does. Ctrl-C ends a launch between calls of the code, which take some milliseconds
        each, or as long as a CTA takes.
        """
        if threads is not None and threads < 1:
            raise ExecutionError(f"expected at least one thread, but got {threads}")
        name = self._name(entry)
        known = self._known[name]
        try:
            key = name, launch_key(args)
            packed = self._packed.get(key)
        except TypeError:
            key = packed = None
        arguments = None
        if packed is None:
            # Keeps tables of lists, and memory of sparse arrays.
            arguments = self._pack(name, args)
            packed = arguments.packed
            if key is not None:
                if len(self._packed) >= MOST_PACKED:
                    self._packed.clear()
                self._packed[key] = packed
        if self._has_variables:
            # Every launch begins with their initial values.
            linked = host.Linked(self.object, name)
        else:
            linked = self._linked[name]
        kernel = known.kernel
        sizes = full_grid(grid)
        ctas: Sequence[int] = range(prod(sizes))
        if blocks is not None:
            chosen = ChosenBlocks(known.written, sizes, blocks).blocks
            ctas = [x + sizes[0] * (y + sizes[1] * z) for x, y, z in chosen]
        launch = Launch(kernel, linked, sizes, packed, progress, self._scratch, ctas)
        if known.wait is not None and launch.total > MOST_AT_ONCE:
            raise WaitingError(
                f"tile blocks may wait for each other, of which at most {MOST_AT_ONCE} run at "
                f"once, and the grid has {launch.total}",
                known.wait,
            )
        if known.wait is not None:
            threads = launch.total
        elif threads is None:
            prints = any(kind == "print" for kind, _, _ in kernel.reports)
            threads = 1 if prints else core_count()
        try:
            launch.run(threads, waits=known.wait is not None)
        finally:
            if arguments is not None:
                arguments.put_back()

    def _name(self, entry: str | None) -> str:
        written = choose_kernel(self._entries, entry)
        return next(name for name, op in self._entries.items() if op is written)

    def _pack(self, name: str, args: Sequence[Any]) -> Arguments:
        """Arguments as the function of a kernel reads them, if they are what it relies on."""
        known, flat = self._known[name], self.program.flatten(args)
        arguments = Arguments(known.written, flat, known.kernel.written, has_extents=self.masks)
        if self.program.kernel is None:
            known.promises.check(arguments)
        return arguments


def read_values(
    address: int, types: Sequence[str]
) -> tuple[list[np.ndarray[Any, Any]], list[Attribute]]:
    """Values in scratch memory, each in a cache line, and their element types."""
    values: list[np.ndarray[Any, Any]] = []
    elements: list[Attribute] = []
    for each in types:
        ty = Parser(make_context(), each).parse_type()
        element = element_of(ty)
        element = i64 if isinstance(element, LLVMPointerType) else element
        size = prod(shape_of(ty)) * memory_bytes(element)
        data = np.frombuffer(ctypes.string_at(address, size), np.uint8)
        found = from_bits(data, element) if is_packed(element) else from_bytes(data, element)
        values.append(found.reshape(shape_of(ty)))
        elements.append(element)
        address += -(-size // ALIGNMENT) * ALIGNMENT
    return values, elements


@cache
def host_rates() -> CpuRates:
    """How fast this CPU is: measured once, and kept in the cache."""
    target, cores = host.host(), core_count()
    options = [target.triple, target.name, target.features, str(cores)]
    key = disk.make_key(b"", {"rates": options}, ())
    if disk.is_enabled() and (entry := disk.load(key)) is not None:
        return CpuRates(*json.loads(entry.records))
    found = host_rates_of(target, cores)
    if disk.is_enabled():
        disk.store(key, disk.CacheEntry(b"", "", json.dumps(astuple(found))))
    return found


class LongWaitWarning(UserWarning):
    """Tile blocks that may wait for each other have not ended for long."""


class Launch:
    """
    A launch of a kernel. Threads take ranges of CTAs, which grow until a call takes `CALL_SECONDS`:
    between calls a thread sees that another has failed, and the main thread sees Ctrl-C.
    """

    def __init__(
        self,
        kernel: CpuKernel,
        linked: host.Linked,
        grid: tuple[int, int, int],
        packed: bytes,
        progress: bool | None,
        scratch: list[np.ndarray[Any, Any]],
        ctas: Sequence[int],
    ):
        self._kernel, self._linked, self._grid = kernel, linked, grid
        self._scratch = scratch
        self._ctas = ctas
        """The numbers of those that run."""
        self.total = len(ctas)
        self._next = 0
        """The first CTA that no thread has taken."""
        self._lock = threading.Lock()
        self._bar = ProgressBar(self.total, progress)
        self._errors: list[BaseException] = []
        self._write = get_writer()
        self._reporter = REPORT_TYPE(self._report)
        address = ctypes.cast(self._reporter, ctypes.c_void_p).value
        assert address is not None
        self._arguments = Words(packed, address, host.pause_address())

    def _report(self, number: int, data: int, cta: int) -> None:
        """What compiled code calls; an exception would not get through it."""
        try:
            kind, text, types = self._kernel.reports[number]
            values, elements = read_values(data, types.splitlines())
            if kind == "print":
                self._write(format_values(text, values, elements))
                return
            x, y, _ = self._grid
            place = cta % x, cta // x % y, cta // (x * y)
            failed = [int(each) for each in np.argwhere(~values[0])[0]]
            self._errors.append(
                ExecutionError(f"assertion failed: {text}", None, place, failed or None)
            )
        except BaseException as error:
            self._errors.append(error)

    def run(self, threads: int, *, waits: bool = False) -> None:
        """
        Returns when all CTAs are done; raises what went wrong in any thread. A launch that is so
        short that threads would not help has one. If CTAs may wait for others, this thread runs
        none, so that Ctrl-C ends those that wait for ever.
        """
        count = max(1, min(self.total, threads))
        parts = 1 if count == 1 else count * RANGES_PER_THREAD
        if not isinstance(self._ctas, range):
            # One after the other, as they are in no row.
            parts = max(1, self.total)
        helpers = [
            threading.Thread(target=self._help, args=(parts,), daemon=True)
            for _ in range(count if waits else count - 1)
        ]

        def start() -> None:
            for each in helpers:
                each.start()

        def advance(ctas: int) -> None:
            self._bar.advance(ctas)
            rest = self.total - self._next
            if helpers and helpers[0].ident is None and rest:
                if (perf_counter() - began) * rest > THREAD_SECONDS * self._next:
                    start()

        began = perf_counter()
        try:
            if waits:
                start()
                self._watch(helpers)
            else:
                self._work(parts, advance)
            self._bar.advance(self.total - self._bar.done)
        except BaseException:
            self._arguments.stop()
            raise
        finally:
            with self._lock:
                self._next = self.total
            if self._errors:
                self._arguments.stop()
            for each in helpers:
                if each.ident is not None:
                    each.join()
            self._bar.finish()
        if self._errors:
            raise self._errors[0]

    def _watch(self, helpers: Sequence[threading.Thread]) -> None:
        """Waits for threads; what goes wrong in one ends the waiting of others."""
        patience = perf_counter() + PATIENCE_SECONDS
        while any(each.is_alive() for each in helpers) and not self._errors:
            for each in helpers:
                each.join(CALL_SECONDS)
                if self._errors:
                    return
            if perf_counter() > patience:
                patience = inf
                warn(
                    f"{self._kernel.name} has tile blocks that may wait for each other, and runs "
                    f"for {PATIENCE_SECONDS} s; Ctrl-C ends it",
                    LongWaitWarning,
                    stacklevel=4,
                )

    def _help(self, parts: int) -> None:
        """What threads do beside the one that launches."""
        try:
            self._work(parts, lambda _: None)
        except BaseException as error:
            self._errors.append(error)
            with self._lock:
                self._next = self.total

    def _work(self, parts: int, done: Callable[[int], None]) -> None:
        """Runs ranges of CTAs, each at most such a part of those that are left."""
        size = self._kernel.scratch + ALIGNMENT
        try:
            scratch = self._scratch.pop()
        except IndexError:
            scratch = np.empty(size, np.uint8)
        if len(scratch) < size:
            scratch = np.empty(size, np.uint8)
        try:
            self._run_ranges(-(-first_byte(scratch) // ALIGNMENT) * ALIGNMENT, parts, done)
        finally:
            self._scratch.append(scratch)

    def _run_ranges(self, address: int, parts: int, done: Callable[[int], None]) -> None:
        size, seen = 1, 0
        while True:
            with self._lock:
                first = self._next
                count = min(size, -(-(self.total - first) // parts))
                self._next = end = first + count
            if first == end:
                return
            start = perf_counter()
            ctas = self._ctas[first], self._ctas[end - 1] + 1
            self._linked.function(self._arguments.address, *ctas, *self._grid, address)
            if self._errors:
                with self._lock:
                    self._next = self.total
                return
            if perf_counter() - start < CALL_SECONDS:
                size = GROWTH * count
            # Other threads have taken what is between.
            done(end - seen)
            seen = end


def compile_for_cpu(
    program: Source,
    args: Sequence[object] | None = None,
    *,
    target: CpuTarget | None = None,
    cache: bool | None = None,
    after_pass: AfterPass | None = None,
    masks: bool = False,
) -> CompiledForCpu:
    """
    What `tileiras_xdsl.compile(program, "cpu")` returns; what is made for another CPU cannot be
    launched. All passes run if somebody is to be told of them. With `masks` accesses through
    pointers stay in their arrays.
    """
    source = Program.of(program, args, FRONT_END_GPU)
    target = target or host.host()
    key = None
    is_cached = after_pass is None and (disk.is_enabled() if cache is None else cache)
    if source.data is not None and is_cached:
        options = [target.triple, target.name, target.features, host.version(), str(masks)]
        key = disk.make_key(source.data, {"cpu": options}, ())
        if (entry := disk.load(key)) is not None:
            listed, llvm = json.loads(entry.records)
            kernels = tuple(
                CpuKernel(name, size, tuple(places), tuple(map(tuple, reports)))
                for name, size, places, reports in listed
            )
            return CompiledForCpu(source, target, kernels, llvm, entry.cubin, masks)
    written: dict[str, tuple[int, ...]] = {}
    last = cpu_steps("tileaa")[-1]

    def watch(step: PipelinePass | None, module: ModuleOp) -> None:
        if after_pass is not None:
            after_pass(step, module)
        if step is last:
            functions = [op for op in walk(module) if isinstance(op, gpu.FuncOp)]
            written.update((each.sym_name.data, find_written(each)) for each in functions)

    module = lower_for_cpu(source, target, after_pass=watch, masks=masks)
    functions = [each for each in module.ops if isinstance(each, FuncOp)]
    kernels = tuple(CpuKernel.of(each, written) for each in functions if SCRATCH in each.attributes)
    text = translate_module_for_host(module, target.triple, host.data_layout(target))
    llvm, code = host.optimize(text, target)
    if key is not None:
        listed = [(each.name, each.scratch, each.written, each.reports) for each in kernels]
        disk.store(key, disk.CacheEntry(code, "", json.dumps((listed, llvm))))
    return CompiledForCpu(source, target, kernels, llvm, code, masks)
