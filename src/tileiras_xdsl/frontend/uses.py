"""
Which kernels of a package of others this compiler compiles: those that calls of a `use` cover, or
that a variable of the environment names.

    VARIABLE=1                  all
    VARIABLE=matmul,softmax     those of these names
    VARIABLE=0                  none, as if it were not set
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Self, cast

_OFF: Final = ("", "0", "off", "false", "no")
_ON: Final = ("1", "on", "true", "yes")


def is_on(environment: Mapping[str, str], variable: str) -> bool:
    """Whether a variable switches something on."""
    return environment.get(variable, "").strip().lower() not in _OFF


def find_names(environment: Mapping[str, str], variable: str) -> Sequence[str] | None:
    """The names of kernels in a variable that is on; `None` if it is for all."""
    told = environment[variable].strip()
    if told.lower() in _ON:
        return None
    return [name.strip() for name in told.split(",") if name.strip()]


def list_kernels(only: Any) -> Sequence[Any]:
    """The kernels and names that `use` was given: several, or one."""
    several = isinstance(only, Iterable) and not isinstance(only, str)
    return list(cast("Iterable[Any]", only)) if several else [only]


class Use:
    """
    A call of `use`, which is in force until it is restored, as a context manager does at its end.
    """

    def __init__(self, only: Iterable[object] | None, remove: Callable[[Any], None]):
        self.only = None if only is None else frozenset(only)
        """Names of kernels and functions; none for all."""
        self._remove = remove

    def covers(self, kernel: Any) -> bool:
        """Whether the kernel of a function, or of a name, is compiled here."""
        name = getattr(kernel, "__name__", kernel)
        return self.only is None or kernel in self.only or name in self.only

    def restore(self) -> None:
        """Takes back this call of `use`; again, it does nothing."""
        self._remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.restore()
