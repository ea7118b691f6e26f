"""`tileiras_xdsl.compile`, and what it returns."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from xdsl.utils.exceptions import DiagnosticException, ParseError

from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.backend.launch_record import (
    LaunchRecord,
    records_from_json,
    records_to_json,
    select_record,
)
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.pipeline import MODULE_STAGES, ModuleStage
from tileiras_xdsl.targets.machine import gpu_name
from tileiras_xdsl.xdsl_extras.deep_stack import call_with_deep_stack
from tileiras_xdsl.xdsl_extras.public import choose_options, public, with_options

from . import cache as disk
from .compilation import Compilation, Time, paused_collection
from .options import CompileKeywords, CompileOptions, OptionError, Options, find_mode
from .pass_plan import PassPlan
from .remarks import Remark, Remarks, from_json, of_ptxas, to_json

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tileiras_xdsl.backend.cuda import Kernel
    from tileiras_xdsl.backend.sass import Sass
    from tileiras_xdsl.frontend.cutile_kernels import Exported
    from tileiras_xdsl.frontend.load import Source
    from tileiras_xdsl.inspection.exploration.exploration import Exploration
    from tileiras_xdsl.interpreter.arguments import Grid
    from tileiras_xdsl.xdsl_extras.diagnostics import ErrorReport

    from .cpu import CompiledForCpu


class KernelWarning(UserWarning):
    """A warning about a program that was compiled."""


class CompileError(DiagnosticException):
    """
    A program that cannot be compiled. The text says where the reason is, as far as that is known:
    `file:line:col: error: message`; `report` has the parts.
    """

    def __init__(self, report: ErrorReport):
        super().__init__(report.for_cutile())
        self.report = report

    def __reduce__(self) -> tuple[type[CompileError], tuple[ErrorReport]]:
        """Errors travel from the processes of `compile_many` with all their parts."""
        return CompileError, (self.report,)


class Stages(Mapping[str, "ModuleOp"]):
    """
    The module at each stage that it went through, by the name of the stage: `stages["tileaa"]`.

    What was not kept is made again from the program when it is asked for.
    """

    def __init__(self, program: Program, options: Options, kept: Mapping[str, ModuleOp]):
        self.program = program
        """What was compiled."""
        self._options = options
        self._kept = dict(kept)
        self._is_complete = bool(kept)
        self._lock = threading.Lock()

    def __getitem__(self, stage: str) -> ModuleOp:
        return self._all()[stage]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return "\n".join(f"{stage:10} {count:5} ops" for stage, count in self._counts())

    def _repr_html_(self) -> str:
        from tileiras_xdsl.xdsl_extras.reading import read_ir

        parts: list[str] = []
        for stage, count in self._counts():
            shown = read_ir(self[stage])._repr_html_()  # pyright: ignore[reportPrivateUsage]
            parts.append(f"<details><summary>{stage}: {count} ops</summary>{shown}</details>")
        return "".join(parts)

    def _counts(self) -> Iterator[tuple[str, int]]:
        for stage, module in self.items():
            yield stage, sum(1 for _ in module.walk())

    def _all(self) -> dict[str, ModuleOp]:
        with self._lock:
            if not self._is_complete:
                Compilation(
                    self.program, self._options, after_stage=record_stages(self._kept)
                ).lower(MODULE_STAGES[-1])
                self._is_complete = True
            return self._kept


def record_stages(kept: dict[str, ModuleOp]):
    """What puts a copy of the module of each stage into a dictionary."""

    def keep(stage: ModuleStage, module: ModuleOp) -> None:
        kept[stage] = module.clone()

    return keep


@dataclass(frozen=True)
class Assembled:
    """What ptxas makes of PTX."""

    cubin: bytes = field(repr=False)
    records: tuple[LaunchRecord, ...]
    """The launch record of each kernel."""


def _count_remarks(remarks: Remarks) -> str:
    return "1 remark" if len(remarks) == 1 else f"{len(remarks)} remarks"


@dataclass(frozen=True)
class Compiled:
    """A program that was compiled."""

    options: Options
    stages: Stages = field(repr=False)
    """The module at every stage, from `cuda-tile` to `nvvm`."""
    ptx: str = field(repr=False)
    assembled: Assembled | MissingToolError = field(repr=False)
    """What ptxas made of the PTX, or why it did not."""
    time: tuple[Time, ...] = field(default=(), repr=False)
    """What each pass and each part of the back end took; empty if the cache had the result."""
    warnings: tuple[str, ...] = ()
    remarks: Remarks = field(default=Remarks(), repr=False)
    """What the compiler did, or could not do, and why."""
    function: Exported | None = field(default=None, repr=False)
    """The cuTile kernel that was compiled, whose arguments `launch` takes."""
    plan: PassPlan = field(default=PassPlan(), repr=False)
    """The passes that are not ours."""
    _kernels: dict[tuple[str, int], Kernel] = field(
        default_factory=dict[tuple[str, int], "Kernel"], init=False, repr=False, compare=False
    )
    _lock: threading.Lock = field(
        default_factory=threading.Lock, init=False, repr=False, compare=False
    )

    def __repr__(self) -> str:
        lines = [f"compiled for {self.options.gpu} at -O{self.options.opt}"]
        if isinstance(self.assembled, MissingToolError):
            lines.append(str(self.assembled))
        else:
            for record in self.records:
                found = record.resources
                lines.append(
                    f"@{record.entry}: {found['registers']} registers, {found['spills (bytes)']} "
                    f"bytes of spills, {found['shared memory (bytes)']} bytes of shared memory, "
                    f"{found['threads']} threads per CTA"
                )
        remarks = _count_remarks(self.remarks)
        lines.append(f"PTX of {self.ptx.count(chr(10))} lines, {remarks}")
        return "\n".join((*lines, *self.warnings))

    def _repr_html_(self) -> str:
        """What it needs, its remarks, and its stages, for notebooks."""
        from html import escape

        parts = [f"<p>for {self.options.gpu} at -O{self.options.opt}</p>"]
        if isinstance(self.assembled, MissingToolError):
            parts.append(f"<p>{escape(str(self.assembled))}</p>")
        else:
            rows = [record.resources for record in self.records]
            names = rows[0] if rows else ()
            head = "".join(f"<th>{name}</th>" for name in names)
            body = "".join(
                f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row.values())}</tr>"
                for row in rows
            )
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        if self.remarks:
            shown = self.remarks._repr_html_()  # pyright: ignore[reportPrivateUsage]
            count = _count_remarks(self.remarks)
            parts.append(f"<details><summary>{count}</summary>{shown}</details>")
        ptx = f'<pre style="overflow:auto;max-height:40em">{escape(self.ptx)}</pre>'
        lines = self.ptx.count("\n")
        parts.append(f"<details><summary>PTX of {lines} lines</summary>{ptx}</details>")
        return "".join(parts)

    @property
    def cubin(self) -> bytes:
        """The machine code; `MissingToolError` where there is no ptxas."""
        return self._assembled().cubin

    @cached_property
    def sass(self) -> Sass:
        """
        The instructions of the cubin, with stalls, barriers and live registers;
        `MissingToolError` where there is no ptxas or no nvdisasm.
        """
        from tileiras_xdsl.backend.sass import Sass

        return Sass.of(self.cubin)

    @property
    def records(self) -> tuple[LaunchRecord, ...]:
        """The launch record of each kernel; `MissingToolError` where there is no ptxas."""
        return self._assembled().records

    def _assembled(self) -> Assembled:
        if isinstance(self.assembled, MissingToolError):
            raise self.assembled.with_traceback(None)
        return self.assembled

    @property
    def llvm_ir(self) -> str:
        """The LLVM IR before any pass of LLVM."""
        from tileiras_xdsl.backend.translate import translate_module

        debug = self.options.lineinfo or self.options.device_debug
        return translate_module(self.stages["nvvm"], self.options.target, debug=debug)

    @property
    def launch_record(self) -> LaunchRecord:
        """Of the only kernel; see `record`."""
        return self.record()

    def explore(
        self,
        grid: Grid | None = None,
        args: Sequence[object] | None = None,
        *,
        entry: str | None = None,
    ) -> Exploration:
        """
        The IR after every pass, see `tileiras_xdsl.explore`; with the options and passes of this
        result.
        """
        import tileiras_xdsl

        options = self.options
        return tileiras_xdsl.explore(
            self.stages.program,
            grid,
            args,
            gpu=options.gpu,
            opt=options.opt,
            abi=options.abi,
            entry=entry,
            passes=self.plan.passes,
            insert=self.plan.insert,
        )

    def record(self, entry: str | None = None) -> LaunchRecord:
        """The launch record of a kernel; without a name, of the only one."""
        return select_record(self.records, entry)

    def kernel(self, entry: str | None = None, device: int = 0) -> Kernel:
        """The kernel on a GPU, loaded when first asked for."""
        from tileiras_xdsl.backend import cuda

        record = self.record(entry)
        key = (record.entry, device)
        with self._lock:
            if key not in self._kernels:
                self._kernels[key] = cuda.load(self.cubin, record, device)
            return self._kernels[key]

    def unload(self) -> None:
        """Unloads its kernels, which must not run any more; `kernel` loads them again."""
        with self._lock:
            while self._kernels:
                _, kernel = self._kernels.popitem()
                kernel.close()

    @public
    def launch(
        self,
        grid: int | Sequence[int],
        args: Sequence[object],
        *,
        stream: Any = None,
        entry: str | None = None,
        device: int = 0,
    ) -> None:
        """
        Launches a kernel on a GPU: NumPy arrays are copied there and back, arrays that are there
        are passed by their address. See `backend.cuda.Kernel.launch`. A cuTile kernel takes the
        arguments of its function, constants included.
        """
        if self.function is not None:
            args = self.function.flatten(args)
        if self.options.check:
            args = [*args, *self._extents(args, entry)]
        self.kernel(entry, device).launch(grid, args, stream)

    def _extents(self, args: Sequence[object], entry: str | None) -> Iterator[int]:
        """What a kernel with checks takes after its arguments: how far their arrays reach."""
        from tileiras_xdsl.backend.arguments import get_extents

        for argument, parameter in zip(args, self.record(entry).parameters, strict=False):
            if parameter.type == "ptr":
                yield from get_extents(argument)


def compile_on_cpu(
    source: Program, *, cache: bool | None = None, masks: bool = False
) -> CompiledForCpu:
    """A program for the CPU of this machine; what is wrong with it is a `CompileError`."""
    from .cpu import compile_for_cpu

    try:
        return call_with_deep_stack(partial(compile_for_cpu, source, cache=cache, masks=masks))
    except (DiagnosticException, ParseError, RecursionError) as error:
        raise CompileError(report_error(error, source.name)) from None


@overload
def compile(  # pyright: ignore[reportOverlappingOverload]
    program: Source,
    gpu: Literal["cpu"],
    *,
    args: Sequence[object] | None = None,
    options: None = None,
    cache: bool | None = None,
) -> CompiledForCpu: ...


@overload
def compile(
    program: Source,
    gpu: str | int | None = None,
    *,
    args: Sequence[object] | None = None,
    options: CompileOptions | None = None,
    **keywords: Unpack[CompileKeywords],
) -> Compiled: ...


@public
@with_options(CompileOptions)
def compile(
    program: Source,
    gpu: str | int | None = None,
    *,
    args: Sequence[object] | None = None,
    options: CompileOptions | None = None,
    **keywords: Unpack[CompileKeywords],
) -> Compiled | CompiledForCpu:
    """
    Compiles a program: Tile IR bytecode as bytes, text, the path of a file with either, a module,
    of whatever stage, or a cuTile kernel.

    - gpu: such as `sm_90`, `90` or `"H200"` (default: that of a module of an exploration, or the
      GPU of this machine); `"cpu"` for the CPU of this machine, with no option but `cache`;
    - args: of a cuTile kernel, those that it is compiled for; `array` stands for an array;
    - options: all others, as a `CompileOptions`, which says what they mean; or each as a keyword.

    What is wrong with the program is a `CompileError`, with the options another
    `DiagnosticException`. Threads may compile at once.
    """
    if gpu == "cpu":
        from .cpu import FRONT_END_GPU

        if options is not None or set(keywords) - {"cache"}:
            raise OptionError("a program for a CPU is compiled with no option but cache")
        source = Program.of(program, args, FRONT_END_GPU)
        return compile_on_cpu(source, cache=keywords.get("cache"))
    chosen = choose_options(CompileOptions, options, keywords)
    resolved = chosen.for_gpu(gpu_name(gpu or gpu_of_module(program) or own_gpu()))
    mode = find_mode(chosen.validate)
    if chosen.check and chosen.validate is not None:
        raise OptionError("a program that checks itself is not validated: give check or validate")
    mode = None if chosen.check else mode
    source = Program.of(program, args, resolved.gpu)
    key = None
    plan = PassPlan(chosen.passes, chosen.insert)
    is_kept = disk.is_enabled() if chosen.cache is None else chosen.cache
    if is_kept and not chosen.keep_stages and not chosen.verify_each and not plan:
        key = cache_key(source, resolved, explain=chosen.explain)
    faults: list[str] = []
    entry = None if key is None or mode is not None else disk.load(key, faults)
    kept: dict[str, ModuleOp] = {}
    times: tuple[Time, ...] = ()
    missing: MissingToolError | None = None
    if entry is None:
        compilation = Compilation(
            source,
            resolved,
            verify_each=chosen.verify_each,
            isolate=chosen.isolate,
            explain=chosen.explain,
            deadline=None if chosen.timeout is None else perf_counter() + chosen.timeout,
            plan=plan,
            after_stage=record_stages(kept) if chosen.keep_stages or plan else None,
        )
        if mode is not None:
            from tileiras_xdsl.checking.validation.validator import Validator

            Validator(compilation, mode)
        try:
            entry = _run_or_explain(compilation)
        except UnassembledError as error:
            entry, missing = error.entry, error.missing
        times = tuple(compilation.times)
        if key is not None and missing is None:
            disk.store(key, entry)
        entry = with_faults(entry, faults)
    for text in entry.warnings:
        warnings.warn(text, KernelWarning, stacklevel=2)
    return make_compiled(source, resolved, entry, times, kept, missing, plan)


def with_faults(entry: disk.CacheEntry, faults: Sequence[str]) -> disk.CacheEntry:
    """A result with remarks on why the cache did not have it."""
    if not faults:
        return entry
    remarks = [Remark("Missed", "Cache", "", "", {"Remark": fault}) for fault in faults]
    return replace(entry, remarks=to_json((*from_json(entry.remarks), *remarks)))


def make_compiled(
    source: Program,
    options: Options,
    entry: disk.CacheEntry,
    times: tuple[Time, ...] = (),
    kept: Mapping[str, ModuleOp] | None = None,
    missing: MissingToolError | None = None,
    plan: PassPlan | None = None,
) -> Compiled:
    """
    What `compile` returns, given the result of the compilation, wherever it was run, why it has no
    cubin, and the passes that are not ours.
    """
    return Compiled(
        options,
        Stages(source, options, kept or {}),
        entry.ptx,
        missing or Assembled(entry.cubin, records_from_json(entry.records)),
        times,
        entry.warnings,
        Remarks(from_json(entry.remarks)),
        source.kernel,
        plan or PassPlan(),
    )


def _run_or_explain(compilation: Compilation) -> disk.CacheEntry:
    try:
        return run(compilation)
    except (MissingToolError, OptionError):
        raise
    except (DiagnosticException, ParseError, RecursionError) as error:
        # What xDSL attaches to errors is the text of whole modules.
        raise call_with_deep_stack(partial(explain_error, compilation, error)) from None
    except Exception as error:
        from .reproducer import report_inside

        if (path := report_inside(compilation, error)) is not None:
            error.add_note(f"reproducer: {path}")
        raise


def explain_error(compilation: Compilation, error: Exception) -> CompileError:
    """What is to be said about an error that ended a compilation."""
    from .reproducer import report_inside

    report = report_error(error, compilation.program.name, compilation.activity, compilation.module)
    return CompileError(replace(report, reproducer=report_inside(compilation, error)))


def report_error(
    error: Exception, input_name: str, context: str = "", module: ModuleOp | None = None
) -> ErrorReport:
    """What is to be said about an error; see `make_error_report`."""
    from tileiras_xdsl.xdsl_extras.diagnostics import make_error_report

    return make_error_report(
        error, tool="compile", input_name=input_name, context=context, root=module
    )


class UnassembledError(MissingToolError):
    """There is no ptxas, and nothing else is missing."""

    def __init__(self, missing: MissingToolError, entry: disk.CacheEntry):
        super().__init__(*missing.args)
        self.missing = missing
        self.entry = entry
        """All but the cubin and the launch records."""

    def __reduce__(self):
        return MissingToolError, self.args


def run(compilation: Compilation) -> disk.CacheEntry:
    """
    Takes a program all the way, with room for deeply nested ones; `UnassembledError` if that ends
    at PTX.
    """
    try:
        return call_with_deep_stack(lambda: _run(compilation))
    except BaseException:
        # Of a thread that nobody waits for any more, because of a signal: no further pass.
        compilation.deadline = 0
        raise


def _run(compilation: Compilation) -> disk.CacheEntry:
    compilation.prepare()
    with paused_collection():
        llvm_ir = compilation.translate()
    ptx = compilation.generate(llvm_ir)
    texts = tuple(remark.warning for remark in compilation.warnings)
    remarks = (*compilation.warnings, *compilation.remarks)
    try:
        result, records = compilation.assemble(ptx)
    except MissingToolError as error:
        entry = disk.CacheEntry(b"", ptx, "[]", texts, to_json(remarks))
        raise UnassembledError(error, entry) from None
    remarks = (*compilation.warnings, *compilation.remarks, *of_ptxas(result))
    return disk.CacheEntry(result.cubin, ptx, records_to_json(records), texts, to_json(remarks))


def cache_key(program: Program, options: Options, *, explain: bool = False) -> str | None:
    """Where the cache keeps the result; `None` if there is nothing to go by."""
    from tileiras_xdsl.backend.libdevice import find_libdevice
    from tileiras_xdsl.backend.ptxas import Ptxas

    if program.data is None:
        return None
    try:
        tools = (Ptxas.find().path, find_libdevice())
    except MissingToolError:
        return None
    fields = {**asdict(options), "explain": explain}
    return disk.make_key(program.data, fields, tools)


def gpu_of_module(program: object) -> str | None:
    """The architecture that a module of an exploration was made for; none of other programs."""
    return getattr(program, "gpu", None) if hasattr(program, "walk") else None


def own_gpu() -> str:
    """The architecture of the GPU of this machine; `OptionError` if there is none."""
    from tileiras_xdsl.backend import cuda

    try:
        return cuda.Device.get().capability.name
    except MissingToolError:
        raise OptionError("there is no GPU here, so say what to compile for: gpu='sm_90'") from None
