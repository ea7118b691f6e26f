"""Runs a kernel at any stage under all checks, and says how that differs from what is expected."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from time import process_time
from typing import Any, Final, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import InterpretationError

from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.driver.compiler.cpu import CompiledForCpu, compile_for_cpu
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.interpreter.arguments import name_parameters
from tileiras_xdsl.interpreter.checks import CHECKS, OUTSIDE, RACES
from tileiras_xdsl.interpreter.cta_state import AfterAccess
from tileiras_xdsl.interpreter.elements import dtype_of, is_packed
from tileiras_xdsl.interpreter.errors import OutOfTimeError
from tileiras_xdsl.interpreter.memory import PagedArray, copy_arrays
from tileiras_xdsl.interpreter.output import printing_to
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import PipelinePass, find_stage

from .inputs import Array, ArrayRecipe, Inputs
from .kernel_facts import KernelFacts

Arguments: TypeAlias = list[Any]

THREAD_STAGES: Final = ("nvgpu", "nvvm")
EXTRA_SECONDS: Final = 60.0
"""For runs that explain something wrong, each."""


WITHOUT_BARRIERS: Final = ("tileas-allocate-shared-memory", "tileas-choose-occupancy")
"""Passes after which buffers share memory, and the barriers between them are yet to come."""


def checks_after(step: PipelinePass | None) -> tuple[str, ...]:
    """What is checked after a pass: all that is undefined."""
    without = {OUTSIDE}
    if step is not None and step.name in WITHOUT_BARRIERS:
        without.add(RACES)
    return tuple(check for check in CHECKS if check not in without)


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
                    entry=self.name,
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

    @cached_property
    def _compiled(self) -> CompiledForCpu:
        return compile_for_cpu(Program.of(self.source), cache=False)

    def run_compiled(self, case: KernelCase) -> Arguments | None:
        """
        What arguments are after a run of code for this CPU; `None` for inputs that are not for it,
        as others touch memory. Of large arrays there is what the interpreter has touched.
        """
        if case.inputs.flags:
            return None
        arguments = case.make_arguments(self.elements)
        parts = {
            id(each): each.as_sparse(expected.pages)
            for each, expected in zip(arguments, case.expected, strict=True)
            if isinstance(each, PagedArray)
        }
        with printing_to(io.StringIO().write):
            self._compiled.launch(
                case.inputs.grid,
                [parts.get(id(each), each) for each in arguments],
                entry=self.name,
                threads=1,
                progress=False,
                blocks=case.inputs.blocks,
            )
        return arguments

    def run_source(self, case: KernelCase, limit: float | None = None) -> None:
        """Notes what is expected of a case."""
        start = process_time()
        case.expected, case.text = self.run(self.source, case, limit=limit)
        case.cost = process_time() - start
        before = case.make_arguments(self.elements)
        changed = any(map(is_changed, before, case.expected))
        if changed and self.bounds.relative:
            # Results of an earlier run, which rounded otherwise, would count as right.
            about = (case.expected, before, self.elements, self.bounds)
            changed = find_difference(*about, initial=before, names=self._names()) is not None
        case.has_effect = bool(case.text) or changed

    def with_other_numbers(self, case: KernelCase, position: int) -> KernelCase | None:
        """The given arguments with other numbers in one; none if that cannot be filled."""
        arguments = case.make_arguments(self.elements)
        array = arguments[position]
        if not isinstance(array, np.ndarray):
            return None
        recipe = ArrayRecipe(array.size, "fraction", below=0, seed=position + 1)
        made = recipe.make(self.elements[position])
        if made.itemsize != array.itemsize:
            return None
        array[...] = made.view(array.dtype).reshape(array.shape)
        what = f"{case.inputs.name}, with other numbers in {self._names()[position]}"
        return KernelCase(replace(case.inputs, name=what), given=arguments)

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

    def _names(self) -> list[str]:
        """What messages call the parameters."""
        for op in self.source.walk():
            name = op.get_attr_or_prop("sym_name")
            if isinstance(name, StringAttr) and name.data == self.name and op.regions:
                return name_parameters(op.regions[0].blocks[0].args)
        return [f"argument {number}" for number, _ in enumerate(self.elements)]

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


# What counts as the same result.
#
# Passes keep every rounding that a program asks for, so results are compared bit for bit; NaNs are
# equal whatever their payload. Only where the language leaves something open they may differ a
# little: in which order reductions, scans, products of matrices and atomics add, and how exact
# functions such as `exp` are. Then an element may be off by four units in the last place of the
# narrowest float type that the program computes with, or by the roundings of four times as many
# additions as its longest sum has, of its own size plus the usual size of the elements of its
# array. An element beyond that bound counts only if the program itself is not as sensitive: if its
# inputs are changed by one unit in the last place, it changes by less.


UNITS: Final = 4
"""In the last place, by which elements may be off."""
SUM_ERROR: Final = 2.0**-24
"""Of each addition of a sum, which is one of 32-bit floats."""
SENSITIVITY: Final = 16.0
"""How much more than a program with changed inputs an element may be off."""


@dataclass(frozen=True)
class Bounds:
    """How far results may be from those expected."""

    relative: float = 0.0
    """Of the size of an element plus the usual size; 0 for bit for bit."""

    @staticmethod
    def of(facts: KernelFacts) -> Bounds:
        """What a program leaves open."""
        if not facts.has_freedom:
            return Bounds()
        return Bounds(UNITS * max(2.0**-facts.precision, facts.additions * SUM_ERROR))

    def __str__(self) -> str:
        return "bit for bit" if not self.relative else f"within {self.relative:.1g}"


@dataclass(frozen=True)
class Difference:
    """An array that is not as it should be."""

    argument: int
    name: str | None
    """Of the parameter, if the program has one."""
    count: int
    """Elements that are wrong."""
    size: int
    """Elements of the array."""
    place: int
    """The first of them, in row-major order."""
    index: tuple[int, ...]
    """The same along each dimension."""
    found: str
    expected: str

    def __str__(self) -> str:
        described = f"'{self.name}'" if self.name else f"argument {self.argument}"
        element = list(self.index) if len(self.index) > 1 else self.place
        return (
            f"{described} differs in {self.count} of {self.size} elements, the first "
            f"is element {element}: {self.found}, not {self.expected}"
        )


def find_difference(
    expected: Sequence[Any],
    found: Sequence[Any],
    elements: Sequence[Attribute],
    bounds: Bounds,
    sensitive: Sequence[Any] | None = None,
    *,
    initial: Sequence[Any] | None = None,
    names: Sequence[str | None] = (),
) -> Difference | None:
    """
    The first array that is not as expected. `sensitive`: what the program makes of inputs that are
    a little different; `initial`: what arrays were before, so that what was not written does not
    count as usual; `names`: those of the parameters.
    """
    for number, (before, after) in enumerate(zip(expected, found, strict=True)):
        if not isinstance(before, np.ndarray | PagedArray):
            continue
        about = [each[number] if each is not None else None for each in (initial, sensitive)]
        numbers: Array | None = None
        size = before.size
        if isinstance(before, PagedArray):
            # What nobody has touched is the same.
            pages: Array = np.union1d(before.pages, after.pages)
            numbers, size = before.numbers(pages), before.count
            before, after = before.read(pages), after.read(pages)
            if before.tobytes() == after.tobytes():
                continue
            about = [None if each is None else each.read(pages) for each in about]
        start, changed = about
        wrong = _wrong(before, after, elements[number], bounds, start)
        if changed is not None and wrong.any():
            wrong &= ~_is_sensitive(before, after, changed, elements[number])
        if wrong.any():
            place = int(np.flatnonzero(wrong)[0])
            index = tuple(map(int, np.unravel_index(place, wrong.shape)))
            if numbers is not None:
                index = (int(numbers[place]),)
            return Difference(
                number,
                names[number] if names else None,
                int(wrong.sum()),
                int(size),
                place if numbers is None else index[0],
                index,
                _show(after, place),
                _show(before, place),
            )
    return None


def is_changed(before: Any, after: Any) -> bool:
    """Whether an argument is another one than before."""
    if isinstance(after, PagedArray):
        pages = after.pages
        return after.initial(pages).tobytes() != after.read(pages).tobytes()
    return isinstance(before, np.ndarray) and before.tobytes() != after.tobytes()


def _bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def _is_of_floats(array: Array, element: Attribute) -> bool:
    return is_float(element) and not is_packed(element) and array.dtype == dtype_of(element) != "u1"


def _wrong(
    before: Array, after: Array, element: Attribute, bounds: Bounds, start: Array | None
) -> Array:
    """
    Which elements are not as expected: off by more than a part of their size and of the usual size
    of what was written, the median, which few large ones do not move.
    """
    wrong = _bits(before) != _bits(after)
    if not wrong.any() or not _is_of_floats(before, element):
        return wrong
    with np.errstate(all="ignore"):
        x, y = before.astype(np.float64), after.astype(np.float64)
        wrong &= ~(np.isnan(x) & np.isnan(y))
        if not bounds.relative:
            return wrong
        written = np.isfinite(x) & (x != 0)
        if start is not None:
            written &= _bits(before) != _bits(start)
        usual = float(np.median(np.abs(x[written]))) if written.any() else 0.0
        near = np.isfinite(x) & (np.abs(x - y) <= bounds.relative * (np.abs(x) + usual))
        return wrong & ~(near | (x == y))


def _is_sensitive(before: Array, after: Array, changed: Any, element: Attribute) -> Array:
    """Where a program with changed inputs is off by about as much."""
    if not _is_of_floats(before, element):
        return _bits(before) != _bits(changed)
    with np.errstate(all="ignore"):
        x, y, z = (each.astype(np.float64) for each in (before, after, changed))
        either = np.isnan(x) != np.isnan(z)
        moved = np.where(np.isfinite(x) & np.isfinite(z), np.abs(x - z), 0.0)
        return either | ((moved > 0) & (np.abs(x - y) <= SENSITIVITY * moved))


def change_a_little(arguments: Sequence[Any], elements: Sequence[Attribute]) -> None:
    """Moves every float of arrays to the next one, up or down by turns; shared ones once."""
    done: list[Array] = []
    paged: set[int] = set()
    for argument, element in zip(arguments, elements, strict=True):
        if isinstance(argument, PagedArray) and id(argument) not in paged:
            paged.add(id(argument))
            argument.fill = partial(_fill_changed, argument.fill, element)
        if not isinstance(argument, np.ndarray) or not _is_of_floats(argument, element):
            continue
        if any(np.may_share_memory(argument, each) for each in done):
            continue
        done.append(argument)
        _change_array(argument)


def _fill_changed(fill: Callable[[Any], Array], element: Attribute, numbers: Any) -> Array:
    """Elements of an array that is made page by page, moved to the next ones."""
    made = fill(numbers)
    if _is_of_floats(made, element):
        _change_array(made)
    return made


def _change_array(array: Array) -> None:
    bits = array.view(f"u{array.dtype.itemsize}")
    with np.errstate(all="ignore"):
        wide = array.astype(np.float64)
    usable = np.isfinite(wide) & (wide != 0)
    bits[usable] ^= bits.dtype.type(1)


def _show(array: Array, place: int) -> str:
    return str(array.reshape(-1)[place])
