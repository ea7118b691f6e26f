"""The versions of cuda-tile whose internals `redirect` and `launcher` know."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, Final

from xdsl.utils.exceptions import DiagnosticException

PACKAGE: Final = "cuda.tile"
COMPILE: Final = f"{PACKAGE}._compile"
"""The module whose functions are replaced."""

OLDEST: Final = (1, 7)
BEYOND: Final = (2,)
"""The first version in which anything may differ; in those before, what is used is looked for."""

REPLACED: Final = (
    "compile_tile",
    "_find_compiler_bin",
    "_get_compiler_version_string",
    "_get_max_supported_bytecode_version",
    "_bytecode_to_mlir_text",
)
"""What is replaced in `COMPILE`."""

TUNER: Final = f"{PACKAGE}.tune._tune"
"""The module of cuTile's tuner."""
BENCHMARK: Final = "_benchmark"
"""Its function that runs a kernel, and returns microseconds."""

_USED: Final = (
    "_all_bytecode_versions",
    "_parse_tileir_stderr",
    "_tileiras_effective_opt_and_device_debug",
    "TileCompilerExecutionError",
    "TileCompilerTimeoutError",
)


class UnsupportedVersionError(DiagnosticException):
    """A version of cuda-tile that this package does not know, or none."""


def import_compile_module() -> Any:
    """The module of cuTile that compiles; `UnsupportedVersionError` if it is not a known one."""
    try:
        package: Any = import_module(PACKAGE)
    except ModuleNotFoundError as error:
        if error.name not in ("cuda", PACKAGE):
            raise
        raise UnsupportedVersionError(
            f"cuda-tile is not installed: pip install 'cuda-tile{_supported()}'"
        ) from None
    check_version(str(package.__version__))
    return _import(COMPILE, *REPLACED, *_USED)


def import_tuner() -> Any:
    """The module of cuTile's tuner."""
    return _import(TUNER, BENCHMARK)


def _import(name: str, *used: str) -> Any:
    """A module of cuTile; `UnsupportedVersionError` if it lacks what is used here."""
    module, version = import_module(name), import_module(PACKAGE).__version__
    if missing := [each for each in used if not hasattr(module, each)]:
        raise UnsupportedVersionError(
            f"{name} of cuda-tile {version} has no {missing[0]}: {_reference(version)}"
        )
    return module


def check_version(version: str) -> None:
    """Raises `UnsupportedVersionError` for a version that is not known."""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None or not OLDEST <= (int(numbers[1]), int(numbers[2])) < BEYOND:
        raise UnsupportedVersionError(
            f"cuda-tile {version} is not supported: {_reference(version)}"
        )


def _reference(version: str) -> str:
    from tileiras_xdsl import __version__

    return (
        f"tileiras-xdsl {__version__} works with cuda-tile{_supported()}. Install one of "
        f"those, or put the command tileiras-xdsl on the PATH of cuda-tile {version} instead"
    )


def _supported() -> str:
    return ">={}.{},<{}".format(*OLDEST, *BEYOND)
