"""
Runs programs of `strategies/wide_programs.py` at all stages, compiled in several ways, and compares
with the tile program.

Results are equal to the bit, but for NaNs, which are all alike, and for arrays that the program
calls loose. So all ways to compile a program give the same: architectures, optimization levels,
ABIs, and numbers of warps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.checking.reduction import reduce
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.driver.compiler.compilation import Compilation, paused_collection
from tileiras_xdsl.driver.compiler.options import Abi, Options
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.interpreter import SparseArray
from tileiras_xdsl.interpreter.elements import bits_of, round_to
from tileiras_xdsl.pipeline import MODULE_STAGES, ModuleStage, PipelinePass, select_steps

from ..harness.running import Array, run_printing
from ..strategies.error_bounds import expected_results
from ..strategies.matmul_programs import MatmulProgram
from ..strategies.wide_programs import WideProgram

SOURCE = "source"
"""The program as it was made; what is wrong there is wrong in the generator."""
LOWERED: tuple[ModuleStage, ...] = ("tileaa", "tileas", "nvgpu", "nvvm")
ARCHITECTURES = ("sm_90", "sm_90", "sm_80", "sm_86", "sm_89", "sm_100", "sm_120")
TOLERANCES = {"float64": 1e-9, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}
"""Of loose results, relative, by what they are rounded to."""
TINY = 1e-35
"""What may be flushed to zero."""


@dataclass(frozen=True)
class Configuration:
    """How a program is compiled."""

    gpu: str
    opt: int
    abi: Abi
    warps: int | None = None
    """A hint in place of those that the program has."""
    room: int | None = None
    """
    What fits: bytes of a tile, elements of accumulators and bytes of operands of dots. Random
    programs are small, so without it nothing would be cut into pieces.
    """

    def __str__(self) -> str:
        warps = "" if self.warps is None else f" --warps {self.warps}"
        room = "" if self.room is None else f" (room for {self.room})"
        return f"--gpu-name={self.gpu} -O{self.opt} --abi={self.abi}{warps}{room}"

    @property
    def options(self) -> Options:
        return Options(self.gpu, self.opt, abi=self.abi)

    @property
    def steps(self) -> list[PipelinePass] | None:
        """All passes, where some have other limits; `None` if they have their own."""
        if self.room is None:
            return None
        limits = {
            "merge-loads": f"{{shared-bytes={self.room}}}",
            "split-operands": f"{{shared-bytes={self.room}}}",
            "split-tiles": f"{{accumulator-elements={self.room} abi={self.abi}}}",
            "strip-mine-tiles": f"{{tile-bytes={self.room}}}",
        }
        return [
            replace(step, options=limits.get(step.name, step.options))
            for step in select_steps(self.opt, arch=self.options.arch)
        ]

    def hinted(self, module: ModuleOp) -> ModuleOp:
        """The program with the hint."""
        if self.warps is None:
            return module
        module = module.clone()
        hints = {"default": {"num_worker_warps_per_cta": self.warps}}
        entry_of(module).optimization_hints = ct.OptimizationHintsAttr.from_dict(hints)
        return module


def random_configuration(seed: int) -> Configuration:
    """One of all ways to compile a program."""
    random = Random(seed)
    return Configuration(
        random.choice(ARCHITECTURES),
        random.choice((3, 3, 2, 1, 0)),
        random.choice(("device-maps", "host-maps")),
        random.choice((None, None, 4, 8)),
        random.choice((None, None, None, 16, 64, 256, 1024)),
    )


@dataclass(frozen=True)
class Finding:
    """Something wrong with a program at a stage."""

    stage: str
    what: str

    @property
    def kind(self) -> str:
        """The same for findings that are likely to have one cause."""
        if " is " in self.what and ", not " in self.what:
            return "differs"
        return re.sub(r"[0-9]+|%\w+|@\w+", "#", self.what)[:80]

    def __str__(self) -> str:
        return f"{self.stage}: {self.what}"


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind."""

    arguments: Sequence[Any]
    text: str


def entry_of(module: ModuleOp) -> ct.EntryOp:
    """The kernel of a program."""
    return next(op for op in module.walk() if isinstance(op, ct.EntryOp))


def number_of(parameter: BlockArgument) -> int:
    """Which parameter of the program this was before it was reduced."""
    assert parameter.name_hint is not None
    return int(parameter.name_hint[1:])


def arguments_of(program: WideProgram, module: ModuleOp, stage: str) -> list[Any]:
    """What a program, or what is left of it, is called with at a stage."""
    values, found = program.arguments(), list[Any]()
    for parameter in entry_of(module).body.block.args:
        value = values[number_of(parameter)]
        assert isinstance(parameter.type, ct.TileType)
        element = parameter.type.element_type
        if isinstance(value, float):
            # What a kernel is given has the precision of its parameter.
            rounded = round_to(np.asarray(value), element, "nearest_even")
            is_byte = getattr(element, "bitwidth", 0) == 8
            if is_byte and stage in ("nvgpu", "nvvm"):
                # Code of threads has bytes for these.
                value = int(bits_of(rounded, element))
            else:
                value = float(rounded)
        found.append(value)
    return found


def execute(
    program: WideProgram, source: ModuleOp, module: ModuleOp, stage: str, **options: Any
) -> Outcome:
    """Runs what a stage has made of a program."""
    arguments = arguments_of(program, source, stage)
    text = run_printing(module, grid=program.grid, args=arguments, **options)
    return Outcome(arguments, text)


def difference(
    program: WideProgram, source: ModuleOp, expected: Outcome, found: Outcome
) -> str | None:
    """How two outcomes differ; `None` if they do not."""
    if expected.text != found.text:
        return f"what is printed is {found.text[:200]!r}, not {expected.text[:200]!r}"
    parameters = entry_of(source).body.block.args
    for parameter, old, new in zip(parameters, expected.arguments, found.arguments, strict=True):
        number = number_of(parameter)
        is_loose = number in program.loose
        if isinstance(old, SparseArray):
            pairs: list[tuple[str, Any, Any]] = [
                (f"[{place}:]", old.parts[place], new.parts[place]) for place in old.parts
            ]
        else:
            pairs = [("", old, new)]
        for place, before, after in pairs:
            if not hasattr(before, "tobytes"):
                continue
            what = array_difference(before, after, is_loose=is_loose)
            if what is not None:
                return f"argument {number}{place}{what}"
    return None


def array_difference(before: Array, after: Array, *, is_loose: bool) -> str | None:
    """Where two arrays differ."""
    if before.tobytes() == after.tobytes():
        return None
    if before.dtype.kind in "iub":
        wrong = before != after
    else:
        with np.errstate(all="ignore"):
            old, new = before.astype(np.float64), after.astype(np.float64)
            same = (old == new) | (np.isnan(old) & np.isnan(new))
            if is_loose:
                unit = TOLERANCES.get(str(before.dtype), 0.3)
                same |= np.abs(old - new) <= unit * np.abs(old) + TINY
        wrong = ~same
    if not wrong.any():
        return None
    place = int(np.flatnonzero(wrong)[0])
    return (
        f"[{place}] is {after.flat[place]}, not {before.flat[place]} "
        f"({int(wrong.sum())} of {before.size} differ)"
    )


AfterPass = Callable[[PipelinePass | None, ModuleOp], None]


def findings(
    program: WideProgram,
    module: ModuleOp,
    configuration: Configuration,
    *,
    check: bool = False,
    stages: Sequence[ModuleStage] = LOWERED,
    after_pass: AfterPass | None = None,
    refusals: bool = False,
) -> Iterator[Finding]:
    """What is wrong with a program, or what is left of it; at most one thing for each stage."""
    with paused_collection():
        try:
            expected = execute(program, module, module, SOURCE)
            if check:
                execute(program, module, module, SOURCE, check=True)
        except Exception as error:
            yield Finding(SOURCE, _describe(error))
            return
        compilation = Compilation(
            Program.of(configuration.hinted(module)),
            configuration.options,
            isolate=False,
            after_pass=after_pass,
            resume=configuration.steps,
        )
        for stage in stages:
            try:
                lowered = compilation.lower(stage)
                lowered.verify()
            except DiagnosticException as error:
                if refusals:
                    yield Finding(stage, f"refused: {error}{compilation.activity}")
                return
            except Exception as error:
                yield Finding(stage, f"{_describe(error)}{compilation.activity}")
                return
            try:
                found = execute(program, module, lowered, stage)
            except Exception as error:
                yield Finding(stage, _describe(error))
                return
            what = difference(program, module, expected, found)
            if what is not None:
                yield Finding(stage, what)
                return
    assert set(stages) <= set(MODULE_STAGES)


def matmul_findings(
    program: MatmulProgram,
    configuration: Configuration,
    *,
    after_pass: AfterPass | None = None,
    refusals: bool = False,
) -> Iterator[Finding]:
    """What is wrong with a program of matrix products, by the bounds of its errors."""
    with paused_collection():
        bounds = expected_results(program.module, program.grid, program.arguments())
        compilation = Compilation(
            Program.of(configuration.hinted(program.module)),
            configuration.options,
            isolate=False,
            after_pass=after_pass,
            resume=configuration.steps,
        )
        for stage in ("nvgpu", "nvvm"):
            try:
                lowered = compilation.lower(stage)
                arguments = program.arguments()
                run_printing(lowered, grid=program.grid, args=arguments)
            except DiagnosticException as error:
                if "cannot be run on the CPU" in str(error):
                    return
                if refusals:
                    yield Finding(stage, f"refused: {error}{compilation.activity}")
                return
            except Exception as error:
                if "cannot be run on the CPU" not in str(error):
                    yield Finding(stage, f"{_describe(error)}{compilation.activity}")
                return
            for number, bound in bounds.items():
                wrong = bound.wrong_in(arguments[number])
                if wrong.any():
                    place = int(np.flatnonzero(wrong)[0])
                    value = np.asarray(arguments[number]).flat[place]
                    yield Finding(
                        stage,
                        f"argument {number}[{place}] is {value}, not {bound.value.flat[place]} "
                        f"({int(wrong.sum())} of {wrong.size} differ)",
                    )
                    return


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def reduced(
    program: WideProgram, configuration: Configuration, finding: Finding
) -> tuple[ModuleOp, Finding]:
    """A smaller program of which the same is wrong, and what that is."""
    checks = finding.stage != SOURCE
    latest = [finding]

    def is_interesting(module: ModuleOp) -> bool:
        # What is not defined, such as a race, makes stages differ rightly.
        found = next(findings(program, module, configuration, check=checks), None)
        if found is None or (found.stage, found.kind) != (finding.stage, finding.kind):
            return False
        latest.append(found)
        return True

    if not is_interesting(program.module):
        return program.module, finding
    return reduce(program.module, is_interesting), latest[-1]
