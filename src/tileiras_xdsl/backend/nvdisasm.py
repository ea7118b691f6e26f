"""The machine code of a cubin as text, by NVIDIA's disassembler `nvdisasm`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.search import find_program, run_program

NVDISASM_VARIABLE: Final = "TILEIRAS_XDSL_NVDISASM"


def find_nvdisasm() -> Path:
    """The nvdisasm of this machine; `MissingToolError` if there is none."""
    return find_program("nvdisasm", NVDISASM_VARIABLE, "shows machine code", "nvidia-cuda-nvdisasm")


def disassemble(cubin: bytes, options: Sequence[str] = ()) -> str:
    """The code of a cubin; options are those of nvdisasm."""
    program = find_nvdisasm()
    with TemporaryDirectory(prefix="tileiras-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        child = run_program(program, ["--print-code", *options, str(path)])
    if child.returncode != 0:
        raise BackendError(f"nvdisasm failed: {child.stderr.strip() or child.returncode}")
    return child.stdout
