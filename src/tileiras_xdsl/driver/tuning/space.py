"""
The configurations of a kernel of cuTile, and the program and launch that each of them is.

A space names constants of the kernel, and hints of its decorator, with the values to try:

    {"m": (64, 128), "n": (128, 256), "k": (64,), "occupancy": (1, 2)}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import product
from typing import Any, Final, TypeAlias, cast

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.cost.model import Launch, make_launch
from tileiras_xdsl.cutile import is_kernel
from tileiras_xdsl.driver.compiler.many import Variant
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program

HINTS: Final = ("num_ctas", "occupancy", "num_worker_warps")
"""Hints of the decorator `cuda.tile.kernel` that may be part of a space."""

Config: TypeAlias = Mapping[str, Any]
Space: TypeAlias = "Mapping[str, Sequence[Any]] | Sequence[Config]"
Grid: TypeAlias = "int | Sequence[int] | Callable[[Config], int | Sequence[int]]"
Arguments: TypeAlias = "Mapping[str, Any] | Sequence[Any] | Callable[[Config], Sequence[Any]]"


class TuneError(DiagnosticException):
    """A space, or arguments, that a kernel cannot be tuned with."""


def list_configs(space: Space, constraint: Callable[[Config], bool] | None) -> list[Config]:
    """All configurations of a space that meet a constraint, each once."""
    configs = list(_enumerate(space))
    if constraint is not None:
        configs = [config for config in configs if constraint(config)]
    unique: dict[tuple[tuple[str, str], ...], Config] = {}
    for config in configs:
        unique.setdefault(tuple(sorted((name, repr(config[name])) for name in config)), config)
    if not unique:
        raise TuneError("the space has no configuration")
    return list(unique.values())


def _enumerate(space: Space) -> Iterator[Config]:
    if isinstance(space, Mapping):
        for name, values in cast("Mapping[str, Any]", space).items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise TuneError(f"'{name}' of the space is not a sequence of values")
        for choice in product(*space.values()):
            yield dict(zip(space, choice, strict=True))
        return
    for config in cast("Sequence[Any]", space):
        if not isinstance(config, Mapping):
            raise TuneError("a space is a mapping of values, or a sequence of mappings")
        yield dict(cast("Config", config))


@dataclass(frozen=True)
class Candidate:
    """A configuration: its program, and how it is launched."""

    config: Config
    program: Program
    options: Options
    grid: tuple[int, int, int]
    arguments: Sequence[Any]
    """Those of the function, constants included."""
    launch: Launch


@dataclass(frozen=True)
class TunedKernel:
    """A kernel, and what makes programs and launches of its configurations."""

    kernel: Any
    arguments: Arguments
    grid: Grid
    options: Options

    def __post_init__(self):
        if not is_kernel(self.kernel):
            raise TuneError(
                f"a kernel of cuTile is tuned, which '{type(self.kernel).__name__}' is not"
            )

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters of the function."""
        return list(signature(self.kernel._annotated_function.pyfunc).parameters)

    @property
    def name(self) -> str:
        return self.kernel._annotated_function.pyfunc.__name__

    def check(self, configs: Sequence[Config]) -> None:
        """Refuses names in configurations that would have no effect."""
        if callable(self.arguments):
            return
        known = {*self.parameters, *HINTS}
        for name in sorted({name for config in configs for name in config} - known):
            raise TuneError(
                f"'{name}' of the space is neither a parameter of {self.name} nor one of the hints "
                f"{', '.join(HINTS)}"
            )

    def make(self, config: Config) -> Candidate:
        """The program and launch of a configuration; what cuTile refuses is raised as it is."""
        arguments = self.arguments_of(config)
        hints = {name: config[name] for name in HINTS if config.get(name) is not None}
        variant = Variant(self.kernel, arguments, hints)
        program = variant.make_program(self.options.gpu)
        grid = self.grid_of(config)
        return Candidate(
            config,
            program,
            self.options,
            grid,
            arguments,
            make_launch(grid, program.flatten(arguments)),
        )

    def arguments_of(self, config: Config) -> Sequence[Any]:
        """The arguments of the function: those that are given, and constants of a configuration."""
        if callable(self.arguments):
            return list(self.arguments(config))
        names = self.parameters
        tuned = [name for name in names if name in config]
        if isinstance(self.arguments, Mapping):
            given: dict[str, Any] = dict(self.arguments)
        else:
            others = [name for name in names if name not in config]
            if len(others) != len(self.arguments):
                raise TuneError(
                    f"{self.name} takes {len(others)} arguments beside {', '.join(tuned)}, but got "
                    f"{len(self.arguments)}"
                )
            given = dict(zip(others, self.arguments, strict=True))
        given |= {name: config[name] for name in tuned}
        for name in names:
            if name not in given:
                raise TuneError(f"{self.name} has no argument '{name}'")
        return [given[name] for name in names]

    def grid_of(self, config: Config) -> tuple[int, int, int]:
        given = self.grid(config) if callable(self.grid) else self.grid
        sizes = (given,) if isinstance(given, int) else tuple(given)
        if not 1 <= len(sizes) <= 3 or any(size < 1 for size in sizes):
            raise TuneError(f"a grid is one to three positive numbers, not {sizes}")
        x, y, z = (*sizes, 1, 1)[:3]
        return x, y, z
