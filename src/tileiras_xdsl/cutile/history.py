"""What this process compiled for cuTile: `last`, and `compiled` by kernel."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tileiras_xdsl.compiler.compiled import Compiled
from tileiras_xdsl.compiler.compiled import compile as compile_program

if TYPE_CHECKING:
    from tileiras_xdsl.compiler.options import Options
    from tileiras_xdsl.frontend import Program


@dataclass(eq=False)
class Specialization:
    """A kernel that was compiled for a signature, or whose cubin cuTile found in its own cache."""

    program: Program = field(repr=False)
    options: Options
    found: Compiled | None = field(default=None, repr=False)

    @property
    def compiled(self) -> Compiled:
        """The result, compiled now if cuTile had it already."""
        if self.found is None:
            options = self.options
            self.found = compile_program(
                self.program,
                options.gpu,
                options.opt,
                lineinfo=options.lineinfo,
                device_debug=options.device_debug,
                abi=options.abi,
                explain=True,
            )
        return self.found


class History:
    """What was compiled, as long as the functions of the kernels live."""

    def __init__(self):
        self._lock = threading.Lock()
        self._by_function: WeakKeyDictionary[Any, dict[Any, Specialization]] = WeakKeyDictionary()
        self.newest: Specialization | None = None
        """What was compiled last, or launched last by our launcher."""

    def add(self, function: Any, specialization: Specialization) -> None:
        """Keeps what was compiled for a function; the same again takes the place of the first."""
        key = (specialization.program.data, specialization.options)
        with self._lock:
            kept = self._by_function.setdefault(function, {})
            kept.pop(key, None)
            kept[key] = specialization
            self.newest = specialization

    def of(self, function: Any) -> tuple[Specialization, ...]:
        """What was compiled for a function, the oldest first."""
        with self._lock:
            return tuple(self._by_function.get(function, {}).values())

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._by_function.clear()
            self.newest = None

    @property
    def last(self) -> Compiled | None:
        """The `Compiled` of the newest, if there is one."""
        newest = self.newest
        return None if newest is None else newest.compiled


HISTORY = History()


def compiled(kernel: Any) -> tuple[Compiled, ...]:
    """
    What was compiled for a kernel of cuTile in this process, one for each of its signatures and
    options, the oldest first.
    """
    return tuple(each.compiled for each in HISTORY.of(kernel._annotated_function.pyfunc))
