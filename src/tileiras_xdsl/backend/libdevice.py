"""
libdevice: NVIDIA's math functions for the GPU, as LLVM bitcode.

A module asks for them by declaring functions called `__nv_…`. Parsing and optimizing all of
libdevice takes a quarter of a second, so it is cut down to what is asked for, once for every set
of functions in a process, and only that is linked.
"""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from tileiras_xdsl.backend import llvmlite_binding as llvm
from tileiras_xdsl.backend.errors import BackendError, MissingToolError
from tileiras_xdsl.backend.target import TRIPLE

# Where parts of the CUDA toolkit may be: PyPI packages, $CUDA_HOME, and what the user names.


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


def find_program(name: str, variable: str, purpose: str, extra: str) -> Path:
    """
    A program of the toolkit: the one that a variable names, that of NVIDIA's package, which an
    extra of ours installs, of $CUDA_HOME, or on the PATH, in this order. `MissingToolError` if
    there is none.
    """
    if (path := environment_path(variable)) is not None:
        return path
    folders = [str(root / "bin") for root in (*nvidia_package_folders(), *cuda_home_folders())]
    for folder in (*folders, os.environ.get("PATH", os.defpath)):
        if (found := shutil.which(name, path=folder)) is not None:
            return Path(found)
    raise MissingToolError(
        f"{name} was not found, which {purpose}: pip install 'tileiras-xdsl[{extra}]', or set "
        f"{variable} to the program, or CUDA_HOME to the CUDA toolkit"
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


LIBDEVICE_VARIABLE: Final = "TILEIRAS_XDSL_LIBDEVICE"
PREFIX: Final = "__nv_"
ANSWERS: Final = {"__CUDA_PREC_SQRT": 1}
"""
What libdevice is told of what it asks: square roots are rounded correctly, as nvcc has them unless
it is told otherwise. `sqrtf`, `hypotf`, `normf`, `norm3df`, `norm4df` and `jnf` ask.
"""

_FOLDER = Path("nvvm", "libdevice")
_USUAL_PLACES = (
    Path("/usr/local/cuda") / _FOLDER,
    Path("/opt/cuda") / _FOLDER,
    Path("/usr/lib/nvidia-cuda-toolkit/libdevice"),
)


def find_libdevice() -> Path:
    """
    The file named by $TILEIRAS_XDSL_LIBDEVICE, or that of the package `nvidia-nvvm`, of $CUDA_HOME,
    or of the usual places, in this order. `MissingToolError` if there is none.
    """
    if (path := environment_path(LIBDEVICE_VARIABLE)) is not None:
        return path
    roots = (*nvidia_package_folders(), *cuda_home_folders())
    for folder in (*(root / _FOLDER for root in roots), *_USUAL_PLACES):
        if files := sorted(folder.glob("libdevice*.bc")):
            return files[-1]
    raise MissingToolError(
        "libdevice was not found, which functions called __nv_… come from: pip install "
        f"'tileiras-xdsl[cubin]', or set {LIBDEVICE_VARIABLE} to libdevice.10.bc, or CUDA_HOME to "
        "the CUDA toolkit"
    )


def link_libdevice(
    module: llvm.LLVMModule,
    session: llvm.LLVMSession,
    machine: llvm.LLVMTargetMachine,
    *,
    ftz: bool | None = None,
) -> None:
    """
    Gives the functions of libdevice that a module declares their bodies, visible in it only.

    `ftz` chooses the paths that flush subnormal numbers to zero, or those that keep them; without
    it the module's own flag `nvvm-reflect-ftz` does.
    """
    wanted = {
        function.name: str(function.global_value_type)
        for function in module.functions
        if function.is_declaration and function.name.startswith(PREFIX)
    }
    if not wanted:
        return
    path = find_libdevice()
    try:
        modified = path.stat().st_mtime_ns
        pruned = _prune(path, modified, frozenset(wanted))
    except OSError as error:
        raise MissingToolError(f"libdevice cannot be read: {error}") from None
    part = session.parse_bitcode(pruned)
    part.data_layout = module.data_layout
    added: list[str] = []
    for function in part.functions:
        if function.is_declaration:
            continue
        added.append(function.name)
        expected, declared = str(function.global_value_type), wanted.get(function.name)
        if declared is not None and declared != expected:
            raise BackendError(
                f"@{function.name} is declared as {declared}, in libdevice it is {expected}"
            )
    module.link_in(part)
    if ftz is not None:
        flag = f'!0 = !{{i32 4, !"nvvm-reflect-ftz", i32 {int(ftz)}}}\n'
        flags = session.parse_assembly(f"!llvm.module.flags = !{{!0}}\n{flag}")
        flags.triple, flags.data_layout = module.triple, module.data_layout
        try:
            module.link_in(flags)
        except RuntimeError:
            raise BackendError(
                f"flush-to-zero was asked to be {ftz}, the module's flag nvvm-reflect-ftz says no"
            ) from None
    names = frozenset(added)
    for function in module.functions:
        if function.name in names:
            function.linkage = "internal"
    llvm.remove_unused(module, machine)


@lru_cache(maxsize=64)
def _prune(path: Path, modified: int, names: frozenset[str]) -> bytes:
    """
    Bitcode of some functions of libdevice and what they need; `modified` is there for the cache.
    """
    del modified
    session = llvm.LLVMSession()
    try:
        module = session.parse_bitcode(path.read_bytes())
        module.triple = TRIPLE
        functions = [function for function in module.functions if not function.is_declaration]
        _check_names(names, {function.name for function in functions}, path)
        for function in functions:
            if function.name not in names:
                function.linkage = "internal"
        machine = llvm.create_target_machine(llvm.ANY_TARGET, 1)
        module.data_layout = str(machine.target_data)
        llvm.remove_unused(module, machine)
        text = str(module)
        answered = _answer_questions(text)
        return (module if answered == text else session.parse_assembly(answered)).as_bitcode()
    except RuntimeError as error:
        raise MissingToolError(f"{path} is not libdevice: {str(error).strip()}") from None
    finally:
        session.close()


def _answer_questions(text: str) -> str:
    """
    The LLVM IR of libdevice with the answers to what it asks by `__nvvm_reflect`, as far as these
    are known here. LLVM answers for the architecture and flushing, and 0 to all else.
    """
    for question, answer in ANSWERS.items():
        for name in re.findall(rf'^(@\S+) = .*c"{question}\\00"', text, re.MULTILINE):
            call = rf"call i32 @__nvvm_reflect\([^\n]*{re.escape(name)}(?![\w.])[^\n]*"
            text = re.sub(call, f"add i32 0, {answer}", text)
    return text


def _check_names(names: frozenset[str], defined: set[str], path: Path) -> None:
    for name in sorted(names - defined):
        similar = difflib.get_close_matches(name, sorted(defined), n=3)
        hint = f" (there is {', '.join(similar)})" if similar else ""
        raise BackendError(f"libdevice has no function @{name}{hint}; it was read from {path}")
