"""Runs a kernel at any stage under all checks, and says how that differs from what is expected."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any, Final, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import InterpretationError

from tileiras_xdsl.interpreter.checks import CHECKS, RACES
from tileiras_xdsl.interpreter.cta_state import AfterAccess
from tileiras_xdsl.interpreter.errors import OutOfTimeError
from tileiras_xdsl.interpreter.memory import PagedArray, copy_arrays
from tileiras_xdsl.interpreter.output import printing_to
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import PipelinePass, find_stage

from .comparison import Bounds, Difference, change_a_little, find_difference, is_changed
from .inputs import Inputs

Arguments: TypeAlias = list[Any]

THREAD_STAGES: Final = ("nvgpu", "nvvm")
EXTRA_SECONDS: Final = 60.0
"""For runs that explain something wrong, each."""


WITHOUT_BARRIERS: Final = ("tileas-allocate-shared-memory", "tileas-choose-occupancy")
"""Passes after which buffers share memory, and the barriers between them are yet to come."""


def checks_after(step: PipelinePass | None) -> tuple[str, ...]:
    """What is checked after a pass."""
    without = RACES if step is not None and step.name in WITHOUT_BARRIERS else ""
    return tuple(check for check in CHECKS if check != without)


@dataclass
class KernelCase:
    """Inputs of a kernel, and what it makes of them as it was written."""

    inputs: Inputs
    expected: Arguments = field(default_factory=Arguments)
    text: str = ""
    """What it prints."""
    given: Sequence[Any] | None = None
    """The arguments, if they were not made."""
    cost: float = 0.0
    """Seconds that it takes as it was written."""
    changed: Arguments | None = None
    """What it makes of inputs that are a little different, when first asked for."""

    has_effect: bool = False
    """Whether the kernel as it was written changes or prints anything."""

    def make_arguments(self, elements: Sequence[Attribute]) -> Arguments:
        """Arguments of their own for one run."""
        if self.given is None:
            return self.inputs.make(elements)
        arguments = list(map(_as_array, self.given))
        places = [at for at, each in enumerate(arguments) if isinstance(each, np.ndarray)]
        copies = copy_arrays([arguments[at] for at in places])
        for at, each in zip(places, copies, strict=True):
            arguments[at] = each
        return arguments


def _as_array(argument: Any) -> Any:
    """An argument that is an array of others as one of NumPy; what is none, or cannot be, as is."""
    if isinstance(argument, np.ndarray | np.generic):
        return argument
    if hasattr(argument, "__array_interface__"):
        return np.asarray(argument)
    if hasattr(argument, "__dlpack__"):
        try:
            return np.from_dlpack(argument)
        except (BufferError, RuntimeError, TypeError, ValueError):
            return argument
    return argument


@dataclass
class KernelRunner:
    """Runs one kernel; `seconds` of processor time are left for that."""

    name: str
    elements: Sequence[Attribute]
    """What parameters are, or point to."""
    bounds: Bounds
    source: ModuleOp
    """The reference."""
    seconds: float

    def run(
        self,
        module: ModuleOp,
        case: KernelCase,
        *,
        limit: float | None = None,
        step: PipelinePass | None = None,
        prepare: Callable[[Arguments], None] | None = None,
        watch: Callable[[Arguments], AfterAccess] | None = None,
    ) -> tuple[Arguments, str]:
        """What arguments are after a run, and what it printed; `step`: the pass that came last."""
        inputs, arguments = case.inputs, case.make_arguments(self.elements)
        if prepare is not None:
            prepare(arguments)
        start, printed = process_time(), io.StringIO()
        try:
            with printing_to(printed.write):
                run(
                    module,
                    self.name,
                    grid=inputs.grid,
                    args=arguments,
                    check=checks_after(step),
                    seed=inputs.seed,
                    progress=False,
                    others=inputs.others(arguments),
                    deadline=start + (self.seconds if limit is None else limit),
                    after_access=None if watch is None else watch(arguments),
                    blocks=inputs.blocks,
                )
        finally:
            self.seconds -= process_time() - start
        return arguments, printed.getvalue()

    def run_source(self, case: KernelCase, limit: float | None = None) -> None:
        """Notes what is expected of a case."""
        start = process_time()
        case.expected, case.text = self.run(self.source, case, limit=limit)
        case.cost = process_time() - start
        pairs = zip(case.make_arguments(self.elements), case.expected, strict=True)
        changed = any(is_changed(before, after) for before, after in pairs)
        case.has_effect = bool(case.text) or changed

    def compare(
        self, module: ModuleOp, case: KernelCase, step: PipelinePass, limit: float | None = None
    ) -> str | None:
        """
        What the kernel of a module does otherwise than is expected; `None` if nothing. `step`: the
        pass that has made it.
        """
        try:
            found, text = self.run(module, case, step=step, limit=limit)
        except InterpretationError as error:
            return str(error)
        difference = self.difference(case, found)
        if difference is not None:
            return f"{difference}{self._who_writes(case, difference)}"
        if not self._prints_the_same(find_stage(module), text, case.text):
            return f"it prints {text!r}, not {case.text!r}"
        return None

    def _prints_the_same(self, stage: str, text: str, expected: str) -> bool:
        """Threads print in pieces, CTAs in any order, and numbers as they have computed them."""
        if stage not in THREAD_STAGES:
            return text == expected
        return bool(self.bounds.relative) or sorted(text) == sorted(expected)

    def difference(self, case: KernelCase, found: Arguments) -> Difference | None:
        """The first array that is not as expected, and should be."""
        initial = case.make_arguments(self.elements) if self.bounds.relative else None
        about = (case.expected, found, self.elements, self.bounds)
        names = self._names()
        first = find_difference(*about, initial=initial, names=names)
        if first is None or not self.bounds.relative:
            return first
        return find_difference(*about, self._changed(case), initial=initial, names=names)

    def _names(self) -> list[str | None]:
        """What the program calls its parameters."""
        for op in self.source.walk():
            name = op.get_attr_or_prop("sym_name")
            if isinstance(name, StringAttr) and name.data == self.name and op.regions:
                return [each.name_hint for each in op.regions[0].blocks[0].args]
        return []

    def _changed(self, case: KernelCase) -> Arguments:
        """What the reference makes of inputs that are a little different."""
        if case.changed is None:

            def prepare(arguments: Arguments) -> None:
                change_a_little(arguments, self.elements)

            try:
                case.changed = self.run(self.source, case, limit=EXTRA_SECONDS, prepare=prepare)[0]
            except (InterpretationError, OutOfTimeError):
                case.changed = case.expected
        return case.changed

    def _who_writes(self, case: KernelCase, difference: Difference) -> str:
        """The op and the CTA of the reference that write an element."""
        last: list[str] = []

        def watch(arguments: Arguments) -> AfterAccess:
            array = arguments[difference.argument]

            def read() -> bytes:
                if isinstance(array, PagedArray):
                    return array.element(difference.place).tobytes()
                return array.flat[difference.place].tobytes()

            before = read()

            def look(op: Operation, cta: tuple[int, int, int]) -> None:
                nonlocal before
                now = read()
                if now != before:
                    before = now
                    last[:] = [f", which '{op.name}' of CTA {cta} writes"]

            return look

        if find_stage(self.source) in THREAD_STAGES:
            return ""
        try:
            # In the order of the program: what is shuffled happens at other accesses.
            plain = replace(case, inputs=replace(case.inputs, seed=None))
            self.run(self.source, plain, limit=EXTRA_SECONDS, watch=watch)
        except (InterpretationError, OutOfTimeError):
            return ""
        return last[0] if last else ", which is not to be written"
