"""`tileiras_xdsl.validate`, and what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import TYPE_CHECKING, Any

from xdsl.utils.exceptions import DiagnosticException, ParseError

from tileiras_xdsl.backend.launch_record import Abi
from tileiras_xdsl.driver.compiler.compilation import Compilation, paused_collection
from tileiras_xdsl.driver.compiler.compiled import explain_error, gpu_of_module
from tileiras_xdsl.driver.compiler.options import OptionError, Options, ValidationMode
from tileiras_xdsl.driver.compiler.pass_plan import PassPlan
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL, MODULE_STAGES
from tileiras_xdsl.targets.machine import DEFAULT_GPU, gpu_name
from tileiras_xdsl.xdsl_extras.public import public

from .validator import Finding, KernelCheck, ValidationError, Validator

if TYPE_CHECKING:
    from tileiras_xdsl.driver.compiler.pass_plan import PassLike
    from tileiras_xdsl.frontend.load import Source
    from tileiras_xdsl.interpreter.arguments import Grid


@dataclass(frozen=True, repr=False)
class Validation:
    """What came of running a program after its passes. As a string, all of it in words."""

    kernels: Sequence[KernelCheck]
    finding: Finding | None
    """The first pass that is wrong; `None` if none is."""

    @property
    def ok(self) -> bool:
        """Whether there are kernels, and all were run wherever they had to be and are the same."""
        is_complete = bool(self.kernels) and all(check.is_complete for check in self.kernels)
        return self.finding is None and is_complete

    def __str__(self) -> str:
        if self.finding is not None:
            return str(self.finding)
        return "\n".join(map(str, self.kernels)) or "there is no kernel to validate"

    def __repr__(self) -> str:
        return str(self)


@public
def validate(
    program: Source,
    grid: Grid | None = None,
    args: Sequence[Any] | None = None,
    *,
    gpu: str | int | None = None,
    opt: int = DEFAULT_OPT_LEVEL,
    entry: str | None = None,
    abi: Abi = "device-maps",
    mode: ValidationMode = "full",
    seconds: float | None = None,
    passes: Sequence[PassLike | EllipsisType] | None = None,
    insert: Mapping[str, PassLike | Sequence[PassLike]] | None = None,
) -> Validation:
    """
    Runs the kernels of a program on the CPU as they were written and after passes, and compares.

    - program, opt, abi: as for `tileiras_xdsl.compile`;
    - grid, args: what to run with (default: small inputs made for the kernel); of a kernel of
      cuTile also what it is made for. Arrays stay as they are;
    - gpu: such as `sm_90`, `90` or `"H200"` (default: that of a module of an exploration, or
      `sm_90`);
    - entry: the only kernel to run (default: all);
    - mode: `full` runs them after each pass that changes something, `quick` at the end of stages;
    - seconds: of processor time for the runs of a kernel (default: 600, or 6 if quick);
    - passes, insert: passes that are not ours, as for `compile`.

    A program that cannot be compiled is a `CompileError`.
    """
    arch = gpu_name(gpu or gpu_of_module(program) or DEFAULT_GPU)
    options = Options(arch, opt, abi=abi)
    source = Program.of(program, args, options.gpu)
    compilation = Compilation(source, options, plan=PassPlan(passes, insert))
    return validate_compilation(
        compilation, mode, args=args, grid=grid, entry=entry, seconds=seconds
    )


def validate_compilation(
    compilation: Compilation,
    mode: ValidationMode,
    *,
    args: Sequence[Any] | None,
    grid: Grid | None,
    entry: str | None,
    seconds: float | None = None,
) -> Validation:
    """The same for a compilation that has not begun."""
    validator = Validator(
        compilation, mode, arguments=args, grid=grid, entry=entry, seconds=seconds
    )
    try:
        with paused_collection():
            compilation.lower(MODULE_STAGES[-1])
    except ValidationError:
        pass
    except OptionError:
        raise
    except (DiagnosticException, ParseError, RecursionError) as error:
        raise explain_error(compilation, error) from None
    if entry is not None and not validator.kernels:
        raise OptionError(f"there is no kernel @{entry}")
    return Validation(validator.kernels, validator.finding)
