"""
Passes of other people in the pipeline.

    tx.compile(kernel, insert={"after:licm": MyPass()})       beside ours
    tx.compile(kernel, passes=[MyPass(), ...])                 before ours; `...` are all of ours
    tx.explore(kernel, passes=["canonicalize", MyPass()])      these only

A pass is an object, a class, or its name with options, as `tileiras-opt -p` takes it: whatever
xDSL knows, plugins included. A string may have several, with commas between them. One of ours that
is given by its name alone has the options that it has in the pipeline.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tileiras_xdsl.pipeline import MODULE_STAGES, PIPELINE, ModuleStage, PipelinePass
from tileiras_xdsl.xdsl_extras.usage import PluginWarning

from .options import OptionError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from xdsl.passes import ModulePass
    from xdsl.universe import Universe

    PassLike: TypeAlias = "str | ModulePass | type[ModulePass]"
    """What people may call a pass."""

_SEPARATOR: Final = "/"


@dataclass(frozen=True, eq=False)
class InsertedPass(PipelinePass):
    """A pass that is not ours, or not where we have it."""

    position: int = -1
    """The number in `PIPELINE` of the last pass before it."""


def position_of(step: PipelinePass) -> int:
    """How far the pipeline is after a pass: the number of the last pass of ours."""
    return step.position if isinstance(step, InsertedPass) else PIPELINE.index(step)


def step_at(position: int) -> PipelinePass:
    """A pass after which the pipeline is as far."""
    return InsertedPass("", PIPELINE[max(position, 0)].stage, position=position)


@dataclass(frozen=True)
class PassPlan:
    """What runs in place of, or beside, the passes of the pipeline."""

    passes: str | Sequence[PassLike | EllipsisType] | None = None
    insert: Mapping[str, PassLike | Sequence[PassLike]] | None = None

    def __bool__(self) -> bool:
        return self.passes is not None or bool(self.insert)

    @property
    def incomplete(self) -> str:
        """What to say where its passes do not lower a program to what LLVM takes."""
        hint = ""
        if self.passes is not None and ... not in as_list(self.passes):
            hint = " ('...' in passes= stands for those of the pipeline)"
        return f"the passes do not lead to the stage nvvm{hint}"

    def apply(
        self, steps: Sequence[PipelinePass], known: Sequence[PipelinePass]
    ) -> list[PipelinePass]:
        """
        The passes to run, given those of the pipeline that would, which are some of those that the
        options choose.
        """
        if self.passes is not None:
            steps = list(self._replace(as_list(self.passes), steps))
        else:
            steps = list(steps)
        if not isinstance(self.insert, Mapping | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError("insert= says where each pass goes: {'after:licm': MyPass()}")
        for where, given in (self.insert or {}).items():
            index, anchor = _find(where, steps, known)
            position = position_of(anchor) - where.startswith("before:")
            steps[index:index] = [_make(each, anchor.stage, position) for each in as_list(given)]
        return steps

    def _replace(
        self, passes: Sequence[PassLike | EllipsisType], steps: Sequence[PipelinePass]
    ) -> Iterator[PipelinePass]:
        if passes.count(...) > 1:
            raise OptionError("'...' stands for all passes of the pipeline, and can be there once")
        stage: ModuleStage = steps[0].stage if steps else MODULE_STAGES[-1]
        position = position_of(steps[0]) - 1 if steps else len(PIPELINE) - 1
        for each in passes:
            if isinstance(each, EllipsisType):
                yield from steps
                if steps:
                    stage, position = steps[-1].stage, position_of(steps[-1])
                continue
            if isinstance(each, str):
                ours = [s for s in PIPELINE[position + 1 :] if s.name == each]
                if ours:
                    stage, position = ours[0].stage, PIPELINE.index(ours[0])
                    yield ours[0]
                    continue
            yield _make(each, stage, position)


def split_passes(text: str) -> Iterator[str | EllipsisType]:
    """The passes of a string; commas within options are not between passes."""
    for spec in re.split(r",(?![^{]*\})", text):
        yield ... if spec.strip() == "..." else spec.strip()


def as_list(
    given: PassLike | EllipsisType | Iterable[PassLike | EllipsisType],
) -> list[PassLike | EllipsisType]:
    """Passes one by one: of one, of several, or of strings with several."""
    if isinstance(given, str):
        return list(split_passes(given))
    if isinstance(given, type) or not isinstance(given, Iterable):
        return [given]
    return [each for item in given for each in as_list(item)]


def join_insertions(texts: Iterable[str]) -> dict[str, list[str]]:
    """Where `--insert WHERE=PASSES` inserts passes, and which, in the order given."""
    found: dict[str, list[str]] = {}
    for text in texts:
        where, separator, passes = text.partition("=")
        if not separator:
            raise OptionError(f"--insert is WHERE=PASSES, as in 'after:licm=my-pass', not '{text}'")
        found.setdefault(where, []).append(passes)
    return found


def _find(
    where: str, steps: Sequence[PipelinePass], known: Sequence[PipelinePass]
) -> tuple[int, PipelinePass]:
    """Where among steps a pass goes, and the pass that it is beside."""
    kind, separator, name = str(where).partition(":")
    if kind not in ("after", "before") or not separator:
        raise OptionError(f"passes are inserted at 'after:PASS' or 'before:PASS', not at '{where}'")
    stage, _, only = name.rpartition(_SEPARATOR)
    if name in MODULE_STAGES:
        of_stage = [step for step in known if step.stage == name]
        found = of_stage[-1:] if kind == "after" else of_stage[:1]
    else:
        found = [step for step in known if step.name == only and stage in ("", step.stage)]
    if not found:
        raise OptionError(_explain_missing(where, name, only, known))
    if len(found) > 1:
        ways = " or ".join(f"'{kind}:{step.stage}{_SEPARATOR}{step.name}'" for step in found)
        raise OptionError(f"there are {len(found)} passes '{name}', say which: {ways}")
    (anchor,) = found
    if anchor not in steps:
        raise OptionError(
            f"'{where}': the pass '{name}' does not run, as the program is past it or passes= "
            "leaves it out"
        )
    return steps.index(anchor) + (kind == "after"), anchor


def _explain_missing(where: str, name: str, only: str, known: Sequence[PipelinePass]) -> str:
    if any(step.name == only for step in PIPELINE):
        return f"'{where}': the pass '{name}' does not run for this GPU and optimization level"
    close = get_close_matches(name, [*MODULE_STAGES, *(step.name for step in known)], 1)
    hint = f", did you mean '{close[0]}'?" if close else ""
    return f"'{where}': there is no stage or pass '{name}'{hint}"


def _make(given: PassLike | EllipsisType, stage: ModuleStage, position: int) -> InsertedPass:
    from xdsl.passes import ModulePass

    if isinstance(given, str):
        instance = pass_from_spec(given)
    elif isinstance(given, ModulePass):
        instance = given
    elif isinstance(given, type) and issubclass(given, ModulePass):  # pyright: ignore[reportUnnecessaryIsInstance]
        try:
            instance = given()
        except TypeError as error:
            raise OptionError(f"the pass '{given.name}' needs options: {error}") from None
    else:
        raise OptionError(
            "a pass is an object, a class or a name, not "
            f"{getattr(given, '__name__', type(given).__name__)}"
        )
    return InsertedPass(instance.name, stage, instance=instance, position=position)


def pass_from_spec(text: str) -> ModulePass:
    """A pass from its name, with options if there are any; `OptionError` if there is none."""
    from xdsl.utils.arg_spec import parse_spec
    from xdsl.utils.exceptions import ArgSpecParseError

    try:
        spec = parse_spec(text)
    except ArgSpecParseError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise OptionError(f"'{text}' is no pass with options: {reason}") from None
    known = find_universe().all_passes
    if spec.name not in known:
        close = get_close_matches(spec.name, known, 1)
        hint = f", did you mean '{close[0]}'?" if close else ""
        raise OptionError(f"there is no pass '{spec.name}'{hint}")
    try:
        pass_type = known[spec.name]()
    except Exception as error:
        raise OptionError(
            f"the pass '{spec.name}' cannot be imported: {locate_error(error)}"
        ) from error
    try:
        return pass_type.from_spec(spec)
    except ValueError as error:
        raise OptionError(f"'{text}': {error}") from None


# What xDSL, this package and plugins have together

_GROUP: Final = "xdsl.universe"
_KINDS: Final = {"all_dialects": "dialect", "all_passes": "pass", "all_targets": "target"}
_WARNED: Final[dict[Any, Any]] = {}
"""Where Python keeps what it has warned of, as it does so once."""


def find_universe() -> Universe:
    """
    All dialects, passes and targets; a `PluginWarning` for each plugin that is left out.

    A plugin is an entry point `xdsl.universe` of a package. One that cannot be imported, or that
    has a name which is taken, is left out; xDSL's own `get_multiverse` raises instead.
    """
    from importlib.metadata import entry_points

    from xdsl.universe import XDSL_UNIVERSE, Universe

    from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

    whole = Universe()
    _add(whole, XDSL_UNIVERSE)
    _add(whole, TILEIRAS_UNIVERSE)
    for plugin in sorted(entry_points(group=_GROUP), key=lambda each: each.name):
        try:
            found: object = plugin.load()
        except Exception as error:
            _leave_out(plugin, f"it cannot be imported: {locate_error(error)}")
            continue
        if found is XDSL_UNIVERSE or found is TILEIRAS_UNIVERSE:
            continue
        if not isinstance(found, Universe):
            _leave_out(plugin, f"'{plugin.value}' is no Universe of xDSL")
        elif taken := _find_taken(whole, found):
            _leave_out(plugin, f"{taken} is there already")
        else:
            _add(whole, found)
    return whole


def _add(whole: Universe, part: Universe) -> None:
    for kind in _KINDS:
        getattr(whole, kind).update(getattr(part, kind))


def _find_taken(whole: Universe, part: Universe) -> str:
    """The first name that both have, if there is one."""
    for kind, noun in _KINDS.items():
        for name in getattr(part, kind):
            if name in getattr(whole, kind):
                return f"the {noun} '{name}'"
    return ""


def _leave_out(plugin: EntryPoint, reason: str) -> None:
    owner = "" if plugin.dist is None else f" of the package {plugin.dist.name}"
    text = f"plugin '{plugin.name}'{owner} is left out: {reason}"
    warnings.warn_explicit(text, PluginWarning, plugin.module, 1, registry=_WARNED)


def locate_error(error: BaseException) -> str:
    """The line of code that raised an exception, and what it says."""
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.filename}:{frame.lineno}"
    if isinstance(error, SyntaxError):
        place = f"{error.filename}:{error.lineno}"
    return f"{place}: {type(error).__name__}: {error}"
