"""
Kernels of cuTile on the CPU: `use(device="cpu")`.

A launch is a run with `engine="jit"`: of code for this CPU, and where a kernel cannot be compiled
for it, by the interpreter. A kernel is exported once for all arguments that promise the same.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from tileiras_xdsl.driver.compiler.cpu import FRONT_END_GPU
from tileiras_xdsl.driver.compiler.engine import run
from tileiras_xdsl.frontend.cutile_kernels import make_promises
from tileiras_xdsl.frontend.load import Program


class CpuKernels:
    """Kernels of cuTile as programs, as long as they live."""

    def __init__(self):
        self._lock = threading.Lock()
        self._known: WeakKeyDictionary[Any, dict[str, Program]] = WeakKeyDictionary()

    def launch(self, grid: Sequence[int], kernel: Any, arguments: Sequence[Any]) -> None:
        """What `cuda.tile.launch` does; returns when the kernel is done."""
        # As text: `1`, `1.0` and `True` are equal, and are not the same.
        key = repr(make_promises(kernel, arguments))
        with self._lock:
            known = self._known.setdefault(kernel, {})
            if (program := known.get(key)) is None:
                program = known[key] = Program.of(kernel, arguments, FRONT_END_GPU)
        run(program, grid, arguments, engine="jit")


CPU_KERNELS: Final = CpuKernels()
