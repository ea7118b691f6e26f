"""NVIDIA's tools as fixtures."""

from collections.abc import Callable
from pathlib import Path

import pytest

from .support import Disassembler


@pytest.fixture
def disassemble(oracle_program: Callable[[str], Path], tmp_path: Path) -> Disassembler:
    """NVIDIA's disassembler."""
    return Disassembler(oracle_program("tileirdisasm"), tmp_path)
