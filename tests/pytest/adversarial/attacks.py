"""
Programs that attack a pass: run as they are written, before the pass, after it, and lowered from
there, on the same arguments. All of it has to leave the same bits behind, and print the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE
from xdsl.utils.arg_spec import parse_spec

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.pipeline import (
    DEFAULT_ABI,
    PIPELINE,
    ModuleStage,
    PipelinePass,
    make_pass,
    select_steps,
)
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

from ..harness.modules import context
from ..harness.passes import applied, run_steps
from ..harness.running import run_printing

Arguments = Sequence[Any]


def make(spec: str) -> ModulePass:
    """A pass by its name, with options in braces if it has some."""
    parsed = parse_spec(spec)
    for universe in (TILEIRAS_UNIVERSE, XDSL_UNIVERSE):
        if (factory := universe.all_passes.get(parsed.name)) is not None:
            return factory().from_spec(parsed)
    raise KeyError(spec)


def copies_of(arguments: Arguments) -> list[Any]:
    """Copies of arrays; one that is given twice is one array again."""
    made: dict[int, Any] = {}
    return [
        made.setdefault(id(each), each.copy()) if isinstance(each, np.ndarray) else each
        for each in arguments
    ]


def bits_of(array: np.ndarray[Any, Any]) -> bytes:
    """The bits of an array, in which all NaNs are one."""
    if array.dtype.kind in "iub":
        return array.tobytes()
    return np.where(np.isnan(array), array.dtype.type(np.nan), array).tobytes()


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind."""

    arrays: tuple[bytes, ...] = ()
    printed: str = ""
    failed: bool = False
    """Whether an assertion failed."""


def outcome(module: ModuleOp, arguments: Arguments, **options: Any) -> Outcome:
    """Runs a kernel on copies of its arguments."""
    copies = copies_of(arguments)
    try:
        printed = run_printing(module, args=copies, **options)
    except ExecutionError as error:
        if "assert" not in str(error):
            raise
        return Outcome(failed=True)
    return Outcome(tuple(bits_of(each) for each in copies if hasattr(each, "dtype")), printed)


@dataclass(frozen=True)
class Attack:
    """How programs attack a pass."""

    spec: str
    """The pass, with its options in braces."""
    arch: str = "sm_90a"
    opt: int = 3
    abi: str = DEFAULT_ABI
    fires: bool | None = True
    """Whether the pass has to change programs, or must not; `None` if it may."""
    is_idempotent: bool = True
    prepare: bool = True
    """Whether programs are lowered to the place of the pass in the pipeline first."""
    then: Sequence[ModuleStage] = ()
    """Stages to which the result is lowered and compared again."""
    options: dict[str, Any] = field(default_factory=lambda: {"grid": 1, "check": True})
    """For all runs."""

    @property
    def name(self) -> str:
        return self.spec.partition("{")[0]

    @property
    def step(self) -> PipelinePass:
        """The place of the pass in the pipeline: the last one that it has."""
        return next(step for step in reversed(PIPELINE) if step.name == self.name)

    def make(self) -> ModulePass:
        """The pass, with the options that the pipeline gives it if there are no others."""
        if "{" in self.spec or self.name not in {step.name for step in PIPELINE}:
            return make(self.spec)
        return make_pass(self.step, self.arch)

    def but(self, **changes: Any) -> Attack:
        """The same with changes."""
        return replace(self, **changes)

    def steps(self, *, after: bool) -> Iterator[PipelinePass]:
        """The steps of the pipeline before the pass, or after it."""
        place = PIPELINE.index(self.step)
        for step in select_steps(self.opt, arch=self.arch):
            number = PIPELINE.index(step)
            if number > place if after else number < place:
                yield step

    def before(self, text: str) -> ModuleOp:
        """A program where the pass gets it."""
        module = load(text)
        if self.prepare:
            run_steps(module, self.steps(after=False), self.arch, self.abi)
            module.verify()
        return module

    def run(self, text: str, inputs: Iterable[Arguments], **options: Any) -> ModuleOp:
        """Attacks the pass by a program, on some arguments; what the pass has made of it."""
        before = self.before(text)
        each = self.make()
        after = applied(before, each)
        changed = not after.is_structurally_equivalent(before)
        assert self.fires is None or changed == self.fires, f"{self.spec} fired: {changed}"
        if self.is_idempotent:
            again = applied(after, each)
            assert again.is_structurally_equivalent(after), f"{self.spec} is not idempotent"
        programs = {"before": before, "after": after} | dict(self._lowered(after))
        source = load(text)
        options = self.options | options
        for number, arguments in enumerate(inputs):
            expected = outcome(source, arguments, **options)
            for stage, program in programs.items():
                found = outcome(program, arguments, **options)
                assert found == expected, f"{self.spec}: arguments {number}, {stage}"
        return after

    def _lowered(self, module: ModuleOp) -> Iterator[tuple[str, ModuleOp]]:
        """The result of the pass at later stages."""
        for stage in self.then:
            lowered = module.clone()
            for step in self.steps(after=True):
                if step in select_steps(self.opt, arch=self.arch, to=stage):
                    make_pass(step, self.arch, self.abi).apply(context(), lowered)
            lowered.verify()
            yield stage, lowered
