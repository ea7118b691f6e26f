"""
Runs programs of `strategies/tensor_core_programs.py` at every stage, and compares with the tile
program: to the bit if the program is exact, else by the bounds of its errors. When tensor cores run
their operations, late, early or at random, must not show in results, and threads of `nvvm` compute
what those of `nvgpu` do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.checking.reduction import reduce
from tileiras_xdsl.driver.compiler.compilation import Compilation, paused_collection
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.interpreter.threads.tensor_cores import Timing
from tileiras_xdsl.pipeline import ModuleStage, PipelinePass

from ..strategies.error_bounds import Approx, expected_results
from ..strategies.tensor_core_programs import TensorCoreProgram
from .wide_runs import Finding, array_difference, entry_of, number_of

TIMINGS: tuple[Timing, ...] = ("late", "early", "random")
THREADS = ("nvgpu", "nvvm")
TENSOR_CORES = {"tcgen05": r"\w+\.tcgen05\.mma\b", "mma.sync": r"nvvm\.fragment\.\w*mma\b"}
"""Instructions, and ops of threads that become them."""
LIMITED = ("cannot be run on the CPU",)


@dataclass(frozen=True)
class Run:
    """How a stage is run."""

    stage: ModuleStage
    timing: Timing = "late"
    seed: int | None = None

    def __str__(self) -> str:
        if self.stage not in THREADS:
            return self.stage
        return f"{self.stage} ({self.timing}{'' if self.seed is None else f' {self.seed}'})"


def all_runs(seed: int) -> list[Run]:
    """Every stage, and threads with every timing."""
    return [
        Run("tileaa"),
        Run("tileas"),
        Run("nvgpu", "late"),
        Run("nvgpu", "early"),
        Run("nvgpu", "random", seed),
        Run("nvvm", "random", seed + 1),
    ]


def some_runs(seed: int) -> list[Run]:
    """Tiles of the last stage that has them, and threads of one stage, with one timing."""
    random = Random(seed)
    timing = random.choice(TIMINGS)
    stage: ModuleStage = random.choice(("nvgpu", "nvgpu", "nvvm"))
    return [Run("tileas"), Run(stage, timing, seed if timing == "random" else None)]


@dataclass
class Verdict:
    """What became of a program."""

    finding: Finding | None = None
    instructions: frozenset[str] = frozenset()
    """`tcgen05`, `mma.sync`, or both."""
    refusal: str = ""
    """Why the compiler, or the interpreter, does not take the program."""


Watch = Callable[[PipelinePass | None, ModuleOp], None]


def examine(
    program: TensorCoreProgram, runs: Sequence[Run], *, after_pass: Watch | None = None
) -> Verdict:
    """Compiles a program, runs it in several ways, and compares."""
    verdict = Verdict()
    with paused_collection():
        verdict.finding = next(_findings(program, runs, verdict, after_pass), None)
    return verdict


def _findings(
    program: TensorCoreProgram, runs: Sequence[Run], verdict: Verdict, after_pass: Watch | None
) -> Iterator[Finding]:
    source = program.arguments()
    try:
        run(program.module, grid=program.grid, args=source, check=True)
    except Exception as error:
        yield Finding("source", _describe(error))
        return
    bounds: dict[int, Approx] = {}
    if not program.is_exact:
        bounds = expected_results(program.module, program.grid, program.arguments())
        if (what := _outside(bounds, source)) is not None:
            yield Finding("source", what)
            return
    options = Options(program.arch.removesuffix("a"), 3, abi=program.abi)
    compilation = Compilation(
        Program.of(program.module), options, isolate=False, after_pass=after_pass
    )
    threads: list[Any] | None = None
    for each in runs:
        try:
            module = compilation.lower(each.stage)
        except DiagnosticException as error:
            verdict.refusal = f"{error}{compilation.activity}"
            return
        except Exception as error:
            yield Finding(each.stage, f"{_describe(error)}{compilation.activity}")
            return
        if each.stage in THREADS:
            names = {op.name for op in module.walk()}
            verdict.instructions |= {
                instruction
                for instruction, pattern in TENSOR_CORES.items()
                if any(re.match(pattern, name) for name in names)
            }
        found = program.arguments()
        try:
            _run(module, program, each, found)
        except Exception as error:
            if any(text in str(error) for text in LIMITED):
                verdict.refusal = str(error)
                return
            yield Finding(str(each), _describe(error))
            return
        what = _differs(source, found) if program.is_exact else _outside(bounds, found)
        if what is None and each.stage in THREADS:
            # Nor does it matter when tensor cores run; sums of atomics have no order.
            if threads is not None and program.family != "split":
                what = _differs(threads, found)
            threads = found
        if what is not None:
            yield Finding(str(each), what)
            return


def _run(module: ModuleOp, program: TensorCoreProgram, each: Run, arguments: list[Any]) -> None:
    if each.stage not in THREADS:
        run(module, grid=program.grid, args=arguments)
        return
    run_threads(module, grid=program.grid, args=arguments, timing=each.timing, seed=each.seed)


def _outside(bounds: dict[int, Approx], found: Sequence[Any]) -> str | None:
    """What is further off than it may be."""
    for number, bound in bounds.items():
        wrong = bound.wrong_in(found[number])
        if wrong.any():
            place = int(np.flatnonzero(wrong)[0])
            return (
                f"argument {number}[{place}] is {np.asarray(found[number]).flat[place]}, not "
                f"{bound.value.flat[place]} ± {bound.error.flat[place]:.1e} "
                f"({int(wrong.sum())} of {wrong.size} differ)"
            )
    return None


def _differs(expected: Sequence[Any], found: Sequence[Any]) -> str | None:
    """Where arrays are not the same to the bit."""
    for number, (old, new) in enumerate(zip(expected, found, strict=True)):
        if isinstance(old, np.ndarray):
            what = array_difference(np.asarray(old), np.asarray(new), is_loose=False)
            if what is not None:
                return f"argument {number}{what}"
    return None


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def reduced(
    program: TensorCoreProgram, runs: Sequence[Run], finding: Finding
) -> tuple[TensorCoreProgram, Finding]:
    """A smaller program of which the same is wrong, and what that is."""
    latest = program, finding

    def is_interesting(module: ModuleOp) -> bool:
        nonlocal latest
        numbers = [number_of(each) for each in entry_of(module).body.block.args]
        smaller = replace(
            program, module=module, values=tuple(program.values[number] for number in numbers)
        )
        found = examine(smaller, runs).finding
        if found is None or (found.stage, found.kind) != (finding.stage, finding.kind):
            return False
        latest = smaller, found
        return True

    if is_interesting(program.module):
        reduce(program.module, is_interesting)
    return latest
