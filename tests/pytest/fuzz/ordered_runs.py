"""Compiles kernels of `strategies/ordered_kernels.py`, and runs them at several stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.pipeline import ProducerWriteOp
from tileiras_xdsl.driver.compiler.compilation import Compilation, paused_collection
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import ModuleStage

from ..strategies.matmul_writer import Array
from ..strategies.ordered_kernels import OrderedKernel

SOURCE = "source"
"""The kernel as it was written; what is wrong there is wrong in the generator."""


@dataclass(frozen=True)
class Finding:
    """Something wrong with a kernel at a stage."""

    stage: str
    seed: int | None
    """Of the order in which warps and others act."""
    what: str

    def __str__(self) -> str:
        return f"{self.stage} (seed {self.seed}): {self.what}"


@dataclass
class Report:
    """What came of a kernel."""

    kernel: OrderedKernel
    findings: list[Finding] = field(default_factory=list[Finding])
    refusal: str | None = None
    """Why the compiler does not take it."""
    has_producer: bool = False
    """Whether warps specialize at stage `tileas`: some load, others compute."""

    def __str__(self) -> str:
        kernel = self.kernel
        head = f"kernel {kernel.seed} ({kernel.theme}, {kernel.configuration})"
        if self.refusal is not None:
            return f"{head}: refused: {self.refusal}"
        return f"{head}: {'; '.join(map(str, self.findings)) or 'as it should be'}"


Results = dict[str, Array]
"""What a run leaves in arrays, and what others have read, by name."""


def results_of(
    module: ModuleOp,
    kernel: OrderedKernel,
    seed: int | None,
    arguments: Sequence[Any] | None = None,
    *,
    is_dependent: bool = True,
) -> Results:
    """Runs a kernel with all checks; alone if it is given arguments."""
    reads: Results = {}
    if arguments is None:
        arguments = kernel.arguments()
        others = kernel.surroundings(arguments, reads, is_dependent=is_dependent)
    else:
        others = []
    run(module, grid=kernel.grid, args=arguments, check=True, seed=seed, others=others)
    arrays = {
        f"argument {number}": array
        for number, array in enumerate(arguments)
        if isinstance(array, np.ndarray) and number not in kernel.ignored
    }
    for older, newer in kernel.growing:
        name = f"what is less in argument {newer} than in argument {older}"
        arrays[name] = arguments[newer].min(axis=0) < arguments[older].max(axis=0)
    return arrays | reads


def difference(expected: Results, found: Results) -> str | None:
    """How results differ; `None` if they do not."""
    for name, array in expected.items():
        if name not in found:
            return f"there is no {name}"
        wrong = ~np.isclose(array, found[name], rtol=0, atol=0, equal_nan=True)
        if wrong.any():
            place = tuple(int(index) for index in np.argwhere(wrong)[0])
            return (
                f"{name} differs in {int(wrong.sum())} of {wrong.size} elements, at {place} it is "
                f"{found[name][place]}, not {array[place]}"
            )
    return None


def expected_results(module: ModuleOp, kernel: OrderedKernel, seed: int | None) -> list[Results]:
    """What a kernel may leave behind, by the tile program."""
    if not kernel.alternatives:
        return [results_of(module, kernel, seed)]
    found: list[Results] = []
    for replaced in kernel.alternatives:
        arguments = kernel.arguments()
        for number, array in replaced.items():
            arguments[number] = array.copy()
        found.append(results_of(module, kernel, seed, arguments))
    return found


def examine(
    kernel: OrderedKernel,
    stages: Sequence[ModuleStage] = ("tileaa", "tileas", "nvgpu"),
    seeds: Sequence[int] = (0,),
) -> Report:
    """Compiles a kernel, runs it at some stages, and compares with the tile program."""
    with paused_collection():
        return _examine(kernel, stages, seeds)


def _examine(kernel: OrderedKernel, stages: Sequence[ModuleStage], seeds: Sequence[int]) -> Report:
    report = Report(kernel)
    try:
        source = load(kernel.text)
        allowed = expected_results(source, kernel, seeds[0])
        for seed in seeds if kernel.alternatives else seeds[1:]:
            _compare(report, SOURCE, source, seed, allowed)
    except Exception as error:
        report.findings.append(Finding(SOURCE, seeds[0], _describe(error)))
        return report
    how = kernel.configuration
    options = Options(how.gpu, how.opt, abi=how.abi)  # pyright: ignore[reportArgumentType]
    compilation = Compilation(Program.of(source), options, isolate=False)
    for stage in stages:
        try:
            module = compilation.lower(stage)
        except DiagnosticException as error:
            report.refusal = f"{error}{compilation.activity}"
            return report
        except Exception as error:
            report.findings.append(Finding(stage, None, _describe(error)))
            return report
        report.has_producer |= any(isinstance(op, ProducerWriteOp) for op in module.walk())
        for seed in seeds:
            _compare(report, stage, module, seed, allowed)
    return report


def _compare(
    report: Report, stage: str, module: ModuleOp, seed: int, allowed: Sequence[Results]
) -> None:
    """Runs a module, and notes what is wrong."""
    try:
        kernel = report.kernel
        is_dependent = stage == SOURCE or kernel.configuration.has_dependent_launches
        found = results_of(module, kernel, seed, is_dependent=is_dependent)
    except Exception as error:
        report.findings.append(Finding(stage, seed, _describe(error)))
        return
    differences = [difference(expected, found) for expected in allowed]
    if all(differences):
        report.findings.append(Finding(stage, seed, str(differences[0])))


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
