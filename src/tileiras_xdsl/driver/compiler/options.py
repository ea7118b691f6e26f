"""Options of a compilation."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import EllipsisType
from typing import TYPE_CHECKING, Final, Literal, TypedDict

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL, OPT_LEVELS
from tileiras_xdsl.targets.machine import closest_product, gpu_name
from tileiras_xdsl.transforms.common.abi import ABIS, Abi
from tileiras_xdsl.xdsl_extras.public import CallerError

if TYPE_CHECKING:
    from tileiras_xdsl.backend.target import NvptxTarget

    from .pass_plan import PassLike


HintMode = Literal["ignore", "warn", "error"]
"""As the public tools do by default, with `-Wunsupported-hints`, and with `-Werr-hints` as well."""

OPTIMIZED_DEBUGGING: Final = (
    "optimized debugging is not supported, change optimization level to 0 or disable full debug "
    "info"
)


class OptionError(CallerError, DiagnosticException):
    """An option that does not exist, or that does not go with the others."""


@dataclass(frozen=True)
class Options:
    """What changes the result of a compilation; everything here is part of the cache's key."""

    gpu: str
    """Such as `sm_90`; `sm_90a` means the same, and so do `90` and `H200`."""
    opt: int = DEFAULT_OPT_LEVEL
    lineinfo: bool = False
    """Whether instructions know their place in the source."""
    device_debug: bool = False
    """The same, for debuggers; needs `opt` 0."""
    abi: Abi = "device-maps"
    unsupported_hints: HintMode = "ignore"
    """What is done about optimization hints that the public tools do not understand."""

    check: bool = False
    """
    Whether accesses out of bounds and undefined divisions fail an assertion, and accesses to
    tensor memory that is not allocated, or of other warps, end the kernel.
    """
    deterministic: bool = False
    """Whether all kernels have to give the same bits at every launch."""

    def __post_init__(self):
        object.__setattr__(self, "gpu", gpu_name(self.gpu))
        if self.opt not in OPT_LEVELS:
            raise OptionError(f"invalid optimization level {self.opt} (expected 0 to 3)")
        if self.device_debug and self.opt != 0:
            raise OptionError(OPTIMIZED_DEBUGGING)
        if self.abi not in ABIS:
            known = " or ".join(ABIS)
            raise OptionError(f"there is no ABI '{self.abi}' (expected {known})")
        _ = self.target

    @property
    def ptxas_level(self) -> int:
        """How much ptxas is to optimize."""
        return 0 if self.opt == 0 else 3

    @cached_property
    def target(self) -> NvptxTarget:
        """The architecture, as the back end has it; every pass asks for it."""
        from tileiras_xdsl.backend.errors import BackendError
        from tileiras_xdsl.backend.target import NvptxTarget
        from tileiras_xdsl.targets.target import expected_names

        try:
            return NvptxTarget.parse(self.gpu)
        except BackendError:
            expected = expected_names()
            if re.fullmatch(r"sm_\d+[af]?", self.gpu) is None:
                close = closest_product(self.gpu)
                hint = f", did you mean '{close}'?" if close else ""
                expected = f"{expected[:-1]}, or a GPU such as H200 or RTX 5090){hint}"
            raise OptionError(f"unsupported GPU target '{self.gpu}' {expected}") from None

    @property
    def arch(self) -> str:
        """The architecture as passes have it, `sm_90a`."""
        return self.target.cpu


@dataclass(frozen=True, kw_only=True)
class CompileOptions:
    """
    The options of `tileiras_xdsl.compile`, each of which is also a keyword of it:
    `compile(program, "H200", opt=3)` is `compile(program, "H200", options=CompileOptions(opt=3))`.
    """

    opt: int = DEFAULT_OPT_LEVEL
    """The optimization level, 0 to 3."""
    lineinfo: bool = False
    """Whether instructions know their line in the source."""
    device_debug: bool = False
    """The same, for debuggers; needs `opt=0`."""
    abi: Abi = "device-maps"
    """
    `device-maps` for a kernel with the parameters of the entry and no others, or `host-maps`, where
    our own launcher may add tensor maps.
    """
    check: bool = False
    """
    Whether accesses outside of their array and undefined divisions print a line and fail an
    assertion on the GPU, see the pass `insert-runtime-checks`. Only `launch` of the result passes
    the sizes of arrays, so other launchers cannot be used.
    """
    deterministic: bool = False
    """
    Whether kernels have to give the same bits whatever the grid, the GPU and what else runs:
    atomics that add floats are refused, see docs/numerics.md.
    """
    passes: Sequence[PassLike | EllipsisType] | None = None
    """
    Passes to run in place of those of the pipeline, which `...` stands for: names, classes or
    objects.
    """
    insert: Mapping[str, PassLike | Sequence[PassLike]] | None = None
    """
    Passes to run in the pipeline, by their place: `{"after:licm": MyPass()}`, also `before:` and
    names of stages (`compiler.pass_plan`).
    """
    validate: ValidationMode | None = None
    """
    Whether the kernels are run on the CPU after every pass (`full`), or at every stage (`quick`),
    and have to compute the same; a difference is a `CompileError`. By default the environment says
    it, see docs/validation.md.
    """
    explain: bool = False
    """Whether `remarks` of the result tell all decisions, and why."""
    timeout: float | None = None
    """The seconds after which no further pass is started, but a `TimeoutError` raised."""
    keep_stages: bool = False
    """
    Whether the modules of all stages are kept; those that are not are made again when they are
    asked for.
    """
    verify_each: bool = False
    """Whether the module is verified after every pass."""
    cache: bool | None = None
    """
    Whether results are looked up and kept on disk. By default the environment says it, see
    `compiler.cache`.
    """
    isolate: bool = True
    """Whether LLVM runs in another process, so that this one outlives its fatal errors."""

    def for_gpu(self, gpu: str) -> Options:
        """What changes the result, for an architecture."""
        return Options(
            gpu,
            self.opt,
            self.lineinfo,
            self.device_debug,
            self.abi,
            check=self.check,
            deterministic=self.deterministic,
        )


class CompileKeywords(TypedDict, total=False):
    """The fields of `CompileOptions` as keywords."""

    opt: int
    lineinfo: bool
    device_debug: bool
    abi: Abi
    check: bool
    deterministic: bool
    passes: Sequence[PassLike | EllipsisType] | None
    insert: Mapping[str, PassLike | Sequence[PassLike]] | None
    validate: ValidationMode | None
    explain: bool
    timeout: float | None
    keep_stages: bool
    verify_each: bool
    cache: bool | None
    isolate: bool


# Whether compilations are validated, see docs/validation.md.
#
#     TILEIRAS_XDSL_VALIDATE    quick or full: all are, as far as kernels can be run on the CPU

VARIABLE: Final = "TILEIRAS_XDSL_VALIDATE"
ValidationMode = Literal["quick", "full"]
MODES: Final[tuple[ValidationMode, ...]] = ("quick", "full")
_OFF: Final = ("", "0", "off", "false", "no")


def find_mode(given: str | None = None) -> ValidationMode | None:
    """The mode that was asked for, or that the environment has; `None` for no validation."""
    mode = os.environ.get(VARIABLE, "").lower() if given is None else given
    if mode in MODES:
        return mode
    if mode in _OFF:
        return None
    raise OptionError(f"there is no validation '{mode}' (expected quick or full)")
