"""Runs the pipeline and the back end on a program, and measures them."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Final, Literal

from tileiras_xdsl.frontend.load import Program, make_context
from tileiras_xdsl.pipeline import (
    MODULE_STAGES,
    ModuleStage,
    PipelinePass,
    find_last_stage,
    find_stage,
    make_pass,
    select_steps,
)

from .options import OptionError, Options
from .pass_plan import PassPlan, position_of
from .remarks import Remark

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tileiras_xdsl.backend.launch_record import LaunchRecord
    from tileiras_xdsl.backend.ptxas import PtxasResult, PtxasRun


class _Pauses:
    """How many threads want no collection at the moment."""

    def __init__(self):
        self.lock = threading.Lock()
        self.count = 0
        self.was_enabled = False


_PAUSES = _Pauses()


@contextmanager
def paused_collection() -> Generator[None]:
    """
    Pauses the collector, and resumes it when the last thread is done. A compilation makes objects
    fast enough to have the collector go through all that was ever imported, several times, and
    there is little to be found before its end.
    """
    with _PAUSES.lock:
        if _PAUSES.count == 0:
            _PAUSES.was_enabled = gc.isenabled()
            gc.disable()
        _PAUSES.count += 1
    try:
        yield
    finally:
        with _PAUSES.lock:
            _PAUSES.count -= 1
            if _PAUSES.count == 0 and _PAUSES.was_enabled:
                gc.enable()


UNVERIFIED_STAGES: Final = ("cuda-tile", "nvgpu", "nvvm")
"""The input is verified before it is canonicalized; LLVM verifies the code of threads."""


CHECKS: Final = PipelinePass("insert-runtime-checks", "cuda-tile")
"""The pass that programs go through first if they are to be checked."""
DETERMINISM: Final = PipelinePass(
    "require-determinism", "cuda-tile", options="{compute-capability={arch} all={every}}"
)
"""The pass that programs go through before: some kernels ask for it by a hint."""

Part = Literal["read", "passes", "translate", "llvm", "ptxas"]
"""The parts of the compiler, in the order in which they work."""


@dataclass(frozen=True)
class Time:
    """How long something took, that is a pass or a part of the back end."""

    name: str
    stage: str
    """What it led to; empty for what leads nowhere, such as imports."""
    seconds: float


@dataclass
class Compilation:
    """
    A compilation. Each method compiles the program to what its name says, from where it is.

    - verify_each: whether the module is verified after every pass, not only at every stage;
    - isolate: whether LLVM runs in another process, whose crashes do no harm;
    - explain: whether remarks tell all decisions, not only missed optimizations;
    - deadline: when to give up, as `perf_counter` counts, with a `TimeoutError` before whatever
      would come next;
    - resume: the passes that are left, of a module that is between two stages as a reproducer has
      it, which is taken as it is (default: those that the stage of the program needs);
    - plan: passes that are not ours;
    - after_pass: called after every pass, and after the input was read with none;
    - after_stage: called when the module has reached a stage;
    - after_passes: called when the last pass has run, before anything is made of the module.
    """

    program: Program
    options: Options
    verify_each: bool = False
    isolate: bool = True
    explain: bool = False
    deadline: float | None = None
    resume: Sequence[PipelinePass] | None = None
    plan: PassPlan | None = None
    after_pass: Callable[[PipelinePass | None, ModuleOp], None] | None = None
    after_stage: Callable[[ModuleStage, ModuleOp], None] | None = None
    after_passes: Callable[[], None] | None = None

    module: ModuleOp | None = field(default=None, init=False)
    """The module at hand."""
    stage: ModuleStage | None = field(default=None, init=False)
    """The stage that the module is at."""
    activity: str = field(default="", init=False)
    """What is going on, as words to put after a diagnostic."""
    part: Part = field(default="read", init=False)
    """The part of the compiler that is at work."""
    current: PipelinePass | None = field(default=None, init=False)
    """The pass that runs, or after which the module is verified."""
    planned: Sequence[PipelinePass] = field(default=(), init=False)
    """All passes, if some are not ours."""
    times: list[Time] = field(default_factory=list[Time], init=False)
    warnings: list[Remark] = field(default_factory=list[Remark], init=False)
    remarks: list[Remark] = field(default_factory=list[Remark], init=False)
    """Remarks, which are printed on request only."""
    _context: Context | None = field(default=None, init=False)

    @contextmanager
    def _measure(self, name: str, stage: str = "") -> Generator[None]:
        start = perf_counter()
        self._check_deadline(start)
        yield
        self.times.append(Time(name, stage, perf_counter() - start))

    def _check_deadline(self, now: float) -> None:
        if self.deadline is not None and now > self.deadline:
            raise TimeoutError

    def prepare(self) -> None:
        """Starts what will be needed later and takes long to start."""
        if self.isolate:
            from tileiras_xdsl.backend import worker

            worker.prepare()

    def _make_assembler(self) -> PtxasRun:
        from tileiras_xdsl.backend.ptxas import Ptxas, PtxasRun

        options = self.options
        given = ["-lineinfo"] if self._has_lines else []
        if options.check and options.target.machine.has("tcgen05"):
            given.append("-g-tmem-access-check")
        return PtxasRun(Ptxas.find(), options.target, options.ptxas_level, given)

    def read(self) -> ModuleOp:
        """The verified module of the program."""
        if self.module is not None:
            return self.module
        with self._measure("import-frontend"):
            self._context = make_context()
        with self._measure("read", "cuda-tile"):
            self.program.check()
            self.module = self.program.load(self._context, explain=self.explain)
            self._take_remarks(self.module)
            # What a copy of a module of an exploration knows is not so when passes have run.
            for name in ("after", "original", "gpu"):
                vars(self.module).pop(name, None)
        self._check_target(self.module)
        if self.resume is not None:
            return self.module
        self.verify("read")
        if self.options.unsupported_hints != "ignore":
            self._check_hints(self.module)
        first = find_stage(self.module)
        if first == MODULE_STAGES[0]:
            self._apply_first(DETERMINISM, self.module)
        elif self.options.deterministic:
            raise OptionError("only programs of cuda_tile can be compiled to be deterministic")
        if self.options.check:
            self._insert_checks(self.module)
        if self.after_pass is not None:
            self.after_pass(None, self.module)
        if self.program.after is not None:
            self.stage = find_last_stage(position_of(self.program.after))
            return self.module
        # Passes that lead to the first stage run on programs that are there already.
        if first != MODULE_STAGES[0]:
            self.stage = first
            if self.after_stage is not None:
                self.after_stage(first, self.module)
        return self.module

    def _check_target(self, module: ModuleOp) -> None:
        """A program that is lowered already is for one architecture."""
        if not module.attributes:
            return
        from tileiras_xdsl.dialects.nv_tileaa.decisions import TARGET_SPEC
        from tileiras_xdsl.targets.machine import ComputeCapability

        spec, arch = TARGET_SPEC.get(module), self.options.arch
        if spec is None:
            return
        try:
            lowered = ComputeCapability.parse(spec.data)
        except ValueError as error:
            raise OptionError(f"'{TARGET_SPEC.name}' of the program: {error}") from error
        if lowered.number != ComputeCapability.parse(arch).number:
            raise OptionError(
                f"the program was lowered for {spec.data} and cannot be compiled for {arch}"
            )

    def _insert_checks(self, module: ModuleOp) -> None:
        """Inserts checks at run time."""
        if find_stage(module) != MODULE_STAGES[0]:
            raise OptionError("checks at run time are inserted in programs of cuda_tile only")
        self._apply_first(CHECKS, module)

    def _apply_first(self, step: PipelinePass, module: ModuleOp) -> None:
        """Runs a pass that is not of the pipeline, but before it."""
        every = str(self.options.deterministic).lower()
        step = replace(step, options=step.options.replace("{every}", every))
        with self._measure(step.name, step.stage), self._remarks_on(module):
            assert self._context is not None
            make_pass(step, self.options.arch).apply(self._context, module)

    def lower(self, to: ModuleStage) -> ModuleOp:
        """The module of a stage."""
        module = self.read()
        if self.plan and self.resume is None:
            known = select_steps(self.options.opt, arch=self.options.arch)
            self.planned = self.plan.apply(self.steps_to(MODULE_STAGES[-1]), known)
            self.resume = self.planned
        if self.stage is not None and MODULE_STAGES.index(self.stage) > MODULE_STAGES.index(to):
            raise OptionError(f"the program is at stage {self.stage} already, {to} comes before it")
        steps = self.steps_to(to)
        if self.resume is not None:
            self.resume = self.resume[len(steps) :]
            self.stage = to if not steps else self.stage
        for index, step in enumerate(steps):
            self.run_pass(step, module)
            is_last = index + 1 == len(steps) or steps[index + 1].stage != step.stage
            is_foreign = step.instance is not None
            if self.verify_each or is_foreign or (is_last and step.stage not in UNVERIFIED_STAGES):
                self.verify(step.name)
            if is_last:
                self.stage = step.stage
                if step.stage == "tileas" and self.explain:
                    self._estimate(module)
                if self.after_stage is not None:
                    self.after_stage(step.stage, module)
        self.activity, self.current = "", None
        return module

    @property
    def known_steps(self) -> Sequence[PipelinePass]:
        """All passes that run, or those that are left."""
        return self.planned or self.steps_to(MODULE_STAGES[-1])

    def steps_to(self, to: ModuleStage) -> Sequence[PipelinePass]:
        """The passes that are left on the way to a stage."""
        if self.resume is None:
            opt, arch = self.options.opt, self.options.arch
            steps = select_steps(opt, arch=arch, after=self.stage, to=to)
            if self.program.after is not None:
                done = position_of(self.program.after)
                steps = [step for step in steps if position_of(step) > done]
            return steps
        last = MODULE_STAGES.index(to)
        return [step for step in self.resume if MODULE_STAGES.index(step.stage) <= last]

    def run_pass(self, step: PipelinePass, module: ModuleOp) -> None:
        """Runs one pass on the module at hand."""
        from tileiras_xdsl.xdsl_extras.dialect_conversion import disposable

        assert self._context is not None
        self.activity, self.part, self.current = f" [in pass '{step.name}']", "passes", step
        with self._measure(f"import-{step.name}"):
            instance = make_pass(step, self.options.arch, self.options.abi)
        with (
            self._measure(step.name, step.stage),
            self._remarks_on(module),
            disposable(module),
        ):
            try:
                instance.apply(self._context, module)
            except Exception as error:
                if step.instance is not None:
                    error.add_note(f"in pass '{step.name}' of stage {step.stage}")
                raise
        if self.after_pass is not None:
            self.after_pass(step, module)

    @contextmanager
    def _remarks_on(self, module: ModuleOp) -> Generator[None]:
        """Collects the remarks of a pass; those on hints are warnings."""
        from tileiras_xdsl.dialects.tileiras import ask_for_remarks

        ask_for_remarks(module, explain=self.explain)
        try:
            yield
        finally:
            self._take_remarks(module)

    def _take_remarks(self, module: ModuleOp) -> None:
        from tileiras_xdsl.dialects.tileiras import HINTS, take_remarks

        for each in map(Remark.of, take_remarks(module)):
            (self.warnings if each.category == HINTS else self.remarks).append(each)

    def _estimate(self, module: ModuleOp) -> None:
        """Remarks on how long kernels should take, by their schedules, and what limits them."""
        from tileiras_xdsl.cost.model import estimate_kernel
        from tileiras_xdsl.cost.report import LABEL
        from tileiras_xdsl.cost.warpgroups import UnknownScheduleError
        from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels

        for function in kernels(module):
            category = "TensorCore"
            try:
                estimate = estimate_kernel(function, get_target(module))
            except UnknownScheduleError as error:
                text, reason = f"no {LABEL.partition(',')[0]}", str(error)
            else:
                text, reason = estimate.summary()
                category = "TensorCore" if estimate.ideal else "Memory"
            self.remarks.append(
                Remark.at(function, "Analysis", category, text, name="Estimate", reason=reason)
            )

    def verify(self, name: str) -> None:
        """Checks the module that a pass left, or that was read."""
        from tileiras_xdsl.xdsl_extras.dominance import verify_module

        assert self.module is not None
        self.activity = "" if name == "read" else f" [after pass '{name}']"
        with self._measure("verify"):
            verify_module(self.module)

    def _check_hints(self, module: ModuleOp) -> None:
        """Warns of hints that the public tools do not understand, or refuses them."""
        from tileiras_xdsl.dialects.cuda_tile.attributes import find_faults, verify_hints
        from tileiras_xdsl.xdsl_extras.walking import walk

        if self.options.unsupported_hints == "error":
            verify_hints(module)
            return
        for op in walk(module):
            for fault in find_faults(op):
                self.warnings.append(Remark.at(op, "Missed", "Hints", fault))

    def end_at(self, stage: ModuleStage) -> ModuleOp:
        """The module of a stage, behind which no pass is to run."""
        module = self.lower(stage)
        if self.after_passes is not None:
            self.after_passes()
        return module

    def translate(self) -> str:
        """LLVM IR."""
        module = self.end_at("nvvm")
        if self.plan and find_stage(module) != "nvvm":
            raise OptionError(f"{self.plan.incomplete}, so there is no code to generate")
        self.part = "translate"
        with self._measure("import-backend"):
            from tileiras_xdsl.backend.translate import translate_module
        with self._measure("translate", "llvm"):
            return translate_module(module, self.options.target, debug=self._has_lines)

    def generate(self, llvm_ir: str) -> str:
        """PTX."""
        from tileiras_xdsl.backend import worker

        work = worker.compile_to_ptx if self.isolate else worker.generate
        self.part = "llvm"
        start = perf_counter()
        self._check_deadline(start)
        generated = work(llvm_ir, self.options.target, self.options.opt)
        waited = perf_counter() - start - sum(generated.seconds.values())
        self.times += [Time(name, "ptx", seconds) for name, seconds in generated.seconds.items()]
        self.times.append(Time("llvm-wait", "", max(0.0, waited)))
        return generated.ptx

    def assemble(self, ptx: str) -> tuple[PtxasResult, tuple[LaunchRecord, ...]]:
        """A cubin, and the launch records of its kernels."""
        with self._measure("import-backend"):
            from tileiras_xdsl.backend.entries import make_records
            from tileiras_xdsl.backend.host_code import make_host_code
            from tileiras_xdsl.backend.ptxas import PtxasError
        module, options = self.lower("nvvm"), self.options
        self.part = "ptxas"
        with self._make_assembler() as run:
            ptxas = run.ptxas
            try:
                with self._measure("host-code", "cubin"):
                    host_code = make_host_code(module, ptx, options.target.machine)
                with self._measure("ptxas", "cubin"):
                    result = run.finish(ptx, host_code)
            except PtxasError as error:
                from tileiras_xdsl.backend.compile import raise_with_op

                raise_with_op(error, module, options.target, ptxas, options.opt)
        records = make_records(
            module, ptx, options.target, result.functions, ptxas.version_of(result)
        )
        return result, tuple(
            record if record.tensor_maps else replace(record, abi=options.abi) for record in records
        )

    @property
    def _has_lines(self) -> bool:
        return self.options.lineinfo or self.options.device_debug
