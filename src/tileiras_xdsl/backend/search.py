"""Where parts of the CUDA toolkit may be: PyPI packages, $CUDA_HOME, and what the user names."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tileiras_xdsl.backend.errors import MissingToolError


def environment_path(variable: str) -> Path | None:
    """The file that an environment variable names; a variable that names none is an error."""
    value = os.environ.get(variable)
    if not value:
        return None
    path = Path(value)
    if not path.is_file():
        raise MissingToolError(f"{variable} is {value}, which is not a file")
    return path


def nvidia_package_folders() -> Iterator[Path]:
    """The toolkits that NVIDIA's PyPI packages are put together to: `nvidia/cu13`, newest first."""
    spec = importlib.util.find_spec("nvidia")
    roots = () if spec is None else spec.submodule_search_locations or ()
    for root in roots:
        folders = Path(root).glob("cu[0-9]*")
        yield from sorted(folders, key=lambda folder: (len(folder.name), folder.name), reverse=True)
        # Until CUDA 12 every package had a folder of its own.
        yield from (Path(root, name) for name in ("cuda_nvcc",))


def cuda_home_folders() -> Iterator[Path]:
    """The toolkit that $CUDA_HOME names."""
    if home := os.environ.get("CUDA_HOME"):
        yield Path(home)


def find_program(name: str, variable: str, purpose: str, package: str) -> Path:
    """
    A program of the toolkit: the one that a variable names, that of NVIDIA's package, of
    $CUDA_HOME, or on the PATH, in this order. `MissingToolError` if there is none.
    """
    if (path := environment_path(variable)) is not None:
        return path
    folders = [str(root / "bin") for root in (*nvidia_package_folders(), *cuda_home_folders())]
    for folder in (*folders, os.environ.get("PATH", os.defpath)):
        if (found := shutil.which(name, path=folder)) is not None:
            return Path(found)
    raise MissingToolError(
        f"{name} was not found, which {purpose}: install the package {package}, or set {variable} "
        "to the program, or CUDA_HOME to the CUDA toolkit"
    )


def run_program(path: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end, whatever it says."""
    return finish_program(start_program(path, arguments))


MEMORY_SETTINGS: Final = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""
For programs that take much memory for a short time: in large pages, where the system has some,
ptxas needs 7 % less time. Others than glibc ignore it.
"""


def start_program(path: Path, arguments: Sequence[str]) -> subprocess.Popen[str]:
    """Starts a program, whose output is kept."""
    try:
        return subprocess.Popen(
            [str(path), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # What the user has set comes first.
            env={**MEMORY_SETTINGS, **os.environ},
        )
    except OSError as error:
        raise MissingToolError(f"{path.stem} cannot be run: {error}") from None


def finish_program(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Waits for a program, whatever it says."""
    try:
        out, err = process.communicate()
    except BaseException:
        process.kill()
        process.wait()
        raise
    if process.returncode == -signal.SIGINT:
        # An interrupt from the keyboard reaches all processes of a command, and this one later.
        raise KeyboardInterrupt
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
