"""Runs tile programs on the CPU, on whole tiles through NumPy."""

# Nothing is imported before it is asked for: `tileiras_xdsl` itself imports nothing else.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .errors import ExecutionError
    from .memory import PagedArray, SparseArray, Uninitialized

__all__ = ["ExecutionError", "PagedArray", "SparseArray", "Uninitialized"]


def __getattr__(name: str) -> object:
    if name == "ExecutionError":
        from .errors import ExecutionError

        return ExecutionError
    if name in ("PagedArray", "SparseArray", "Uninitialized"):
        from . import memory

        return getattr(memory, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
