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
    module = import_module(COMPILE)
    if missing := [name for name in (*REPLACED, *_USED) if not hasattr(module, name)]:
        raise UnsupportedVersionError(
            f"{COMPILE} of cuda-tile {package.__version__} has no {missing[0]}: "
            f"{_reference(package.__version__)}"
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
