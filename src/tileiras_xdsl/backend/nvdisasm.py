"""The machine code of a cubin as text, by NVIDIA's disassembler `nvdisasm`."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tileiras_xdsl.backend.errors import BackendError, MissingToolError
from tileiras_xdsl.backend.search import environment_path, program_folders

NVDISASM_VARIABLE: Final = "TILEIRAS_XDSL_NVDISASM"


def find_nvdisasm() -> Path:
    """
    The one that $TILEIRAS_XDSL_NVDISASM names, that of the package `nvidia-cuda-nvdisasm`, of
    $CUDA_HOME, or on the PATH, in this order. `MissingToolError` if there is none.
    """
    if (path := environment_path(NVDISASM_VARIABLE)) is not None:
        return path
    for folder in program_folders():
        if (found := shutil.which("nvdisasm", path=folder)) is not None:
            return Path(found)
    raise MissingToolError(
        "nvdisasm was not found, which shows machine code: install the package "
        f"nvidia-cuda-nvdisasm, or set {NVDISASM_VARIABLE} to the program, or CUDA_HOME to the "
        "CUDA toolkit"
    )


def disassemble(cubin: bytes, options: Sequence[str] = ()) -> str:
    """The code of a cubin; options are those of nvdisasm."""
    program = find_nvdisasm()
    with TemporaryDirectory(prefix="tileiras-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        try:
            child = subprocess.run(
                [str(program), "--print-code", *options, str(path)],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
        except OSError as error:
            raise MissingToolError(f"nvdisasm cannot be run: {error}") from None
    if child.returncode != 0:
        raise BackendError(f"nvdisasm failed: {child.stderr.strip() or child.returncode}")
    return child.stdout
