"""`tileiras_xdsl.run`: a program on NumPy arrays, compiled for this CPU or by the interpreter."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, TypeVar, Unpack, cast, get_args

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException, ParseError

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.frontend.load import Program, print_bytes
from tileiras_xdsl.interpreter.errors import ExecutionError, JitLaunchError
from tileiras_xdsl.interpreter.memory import PagedArray
from tileiras_xdsl.interpreter.run import run as interpret
from tileiras_xdsl.pipeline import MODULE_STAGES, find_stage
from tileiras_xdsl.xdsl_extras.public import CallerError, public

if TYPE_CHECKING:
    from tileiras_xdsl.frontend.load import Source
    from tileiras_xdsl.interpreter.arguments import Grid
    from tileiras_xdsl.interpreter.cta_state import AfterAccess
    from tileiras_xdsl.interpreter.environment import Other

    from .cpu import CompiledForCpu

Engine = Literal["jit", "interpreter"]
ENGINES: Final = get_args(Engine)
MOST_KEPT: Final = 64
"""Programs whose code is kept."""
DEFAULTS: Final = {name: each.default for name, each in signature(interpret).parameters.items()}
"""Of the options of the interpreter."""
BOTH: Final = ("entry", "progress", "blocks")
"""The options that both engines have."""

LOG: Final = logging.getLogger("tileiras_xdsl.run")
"""Is told why a program is interpreted."""

Function = TypeVar("Function", bound=Callable[..., object])


class InterpretedWarning(UserWarning):
    """A program that was to be compiled for this CPU is interpreted, as it cannot be."""


class RunKeywords(TypedDict, total=False):
    """The options of the interpreter."""

    entry: str | None
    check: Sequence[str] | bool
    seed: int | None
    processes: int
    progress: bool | None
    sm_count: int
    others: Sequence[Other]
    side_by_side: bool
    deadline: float | None
    after_access: AfterAccess | None
    blocks: Sequence[tuple[int, int, int]] | None


def _with_options_of(other: Callable[..., object]) -> Callable[[Function], Function]:
    """Decorates a function that takes the options of another: its signature shows them."""

    def decorate(function: Function) -> Function:
        known = signature(function)
        own = [each for each in known.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        more = [
            each
            for each in signature(other).parameters.values()
            if each.kind is Parameter.KEYWORD_ONLY
        ]
        cast("Any", function).__signature__ = known.replace(parameters=[*own, *more])
        return function

    return decorate


@public
@_with_options_of(interpret)
def run(
    program: Source,
    grid: Grid,
    args: Sequence[Any],
    *,
    engine: Engine | None = None,
    **options: Unpack[RunKeywords],
) -> None:
    """
    Runs a kernel over a grid on the CPU; arrays are changed in place.

    `args` has one entry for each parameter: an array for a pointer (anything with
    `__array_interface__` or DLPack), a number for a scalar. The program is a path, text, bytecode
    or a module: at level 0 (`cuda_tile`), 1 (`nv_tileaa`) or 2 (`nv_tileas`), or the code of one
    thread (levels 3 and 4, see `threads.run_threads`: it checks all but races in any case, and
    these unless `check` is false). For a cuTile kernel `args` are the
    arguments of its function, constants included. An array of which a kernel touches little may be
    larger than memory, see `SparseArray` and `PagedArray`.

    - `engine` is `"jit"`: the program is compiled for this CPU, and CTAs run on all cores
      (docs/cpu.md); or `"interpreter"`: CTAs run one after the other, and one that waits for a
      later one lets that run. By default a tile program (level 0) is compiled, unless an option
      asks for the interpreter, an array is not all in memory, or the program cannot be compiled:
      the logger `tileiras_xdsl.run` is told why, and with `"jit"` an `InterpretedWarning` says it.
      Compiled code checks no accesses through pointers. It has the options `entry`, `progress` and
      `blocks`; all others are of the interpreter.
    - `check` names what is undefined and to be reported as an `ExecutionError`, or is true for
      all: `bounds` (of the arrays themselves: what lies between the elements of a strided array
      is outside of it), `uninitialized` (an array counts as not written if it is given as
      `Uninitialized(array)`; to copy such elements is no error, to compute with them is), `races`
      (where shared memory is allocated, with barriers that are missing, see
      `interpreter.barriers`), `division`, and `assumptions` (what `assume` says of a program as it
      was written, and that steps of its loops are positive). A failed `assert` is always an error.
      `outside` is legal and gives a warning: a program as it was written stores tiles of which no
      element lies in the array, or loads such tiles of a view without padding, as with a grid that
      is too large.
    - `seed` shuffles the CTAs, and accesses of a CTA that no token orders; of threads with tensor
      memory it chooses when tensor cores run, and the order of warps.
    - `processes` share the CTAs. Races are found by one process only.
    - `progress` shows a bar, or none; by default a run that takes long shows it on a terminal.
    - `sm_count` SMs run the CTAs of a persistent kernel (`nvgpu.persistent`,
      `nv_tileas.resident_ctas`), which do the work of the grid.
    - `others` touch memory meanwhile: other CTAs, and the grid that the launch depends on, see
      `interpreter.environment`. `seed` chooses when they do.
    - `deadline` is when to give up with an `OutOfTimeError`, as `process_time` counts.
    - `after_access` is called after every access of a tile program to memory.
    - `blocks` are the tile blocks of the grid that are run, by default all. Each has a CTA of its
      own; it is a `TileBlocksError` if it is not known which one.
    """
    if engine not in (None, *ENGINES):
        raise ExecutionError(f"expected engine={' or '.join(map(repr, ENGINES))}, not {engine!r}")
    others = sorted(name for name, value in options.items() if _needs_interpreter(name, value))
    if engine == "jit" and others:
        raise ExecutionError(f"only the interpreter takes {others[0]}=…, so leave out engine='jit'")
    if engine == "interpreter" or others or (engine is None and not _is_for_jit(program, args)):
        interpret(program, grid, args, **options)
        return
    both: dict[str, Any] = {name: value for name, value in options.items() if name in BOTH}
    compiled = None
    try:
        compiled = _compile(program, args)
        compiled.launch(grid, args, **both)
    except (DiagnosticException, ParseError, RecursionError) as error:
        is_wrong = compiled is not None and not isinstance(error, JitLaunchError | BackendError)
        if is_wrong or isinstance(error, CallerError):
            raise
        reason = f"the program is interpreted: {error}"
        if engine is None:
            LOG.info("%s", reason)
        else:
            # The caller of a function that is decorated.
            warnings.warn(reason, InterpretedWarning, stacklevel=3)
        interpret(program, grid, args, **options)


def _needs_interpreter(name: str, value: object) -> bool:
    """Whether an option asks for something that compiled code does not do."""
    default = DEFAULTS.get(name)
    is_given = value is not None if default is None else bool(value) and value != default
    return is_given and name not in BOTH


def _is_for_jit(program: Source, args: Sequence[Any]) -> bool:
    """Whether compiled code could run a program: tiles at level 0, and arrays all in memory."""
    if any(isinstance(each, PagedArray) for each in args):
        return False
    return not isinstance(program, ModuleOp) or find_stage(program) == MODULE_STAGES[0]


def _compile(program: Source, args: Sequence[Any]) -> CompiledForCpu:
    from .cpu import FRONT_END_GPU

    source = Program.of(program, args, FRONT_END_GPU)
    data = source.data
    if data is None:
        assert source.module is not None
        data = print_bytes(source.module)
    promises = None if source.kernel is None else source.kernel.promises
    return _compile_once(_Key(source, source.name, data, repr(promises)))


@dataclass(frozen=True)
class _Key:
    """A program by what its code depends on, and what it says about arguments."""

    program: Program = field(compare=False)
    name: str
    data: bytes
    promises: str
    """Of a cuTile kernel. As text: `1`, `1.0` and `True` are equal, and are not the same."""


@lru_cache(maxsize=MOST_KEPT)
def _compile_once(key: _Key) -> CompiledForCpu:
    from .compiled import compile_on_cpu

    # What cuTile makes has masks of its own.
    return compile_on_cpu(key.program, masks=key.program.kernel is None)
