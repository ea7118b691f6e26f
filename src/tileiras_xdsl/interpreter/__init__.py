"""
Runs tile programs on the CPU, on whole tiles through NumPy.

Modules:

    accesses: Reading and writing memory: through pointers, and through tiles of views
    arguments: What a kernel is given: grids, arrays and numbers of Python
    arithmetic: What is done element by element, at all levels: one table of functions of `numerics`
    barriers: Who waits for whom in a kernel whose shared memory is allocated
    checks: What is checked while a program runs, and what is said if a check fails
    control_flow: Branches, loops and ways out of them, for all levels
    cta_state: What one CTA knows and does while it runs
    elements: Element types as NumPy arrays: their types, their bytes in memory, their bits
    environment: Who else touches memory while a kernel runs: the grid that it depends on
    errors: What goes wrong when a program is run
    machine: How programs of all levels are run: bodies are bound once, then executed step by step
    memory: The memory of a device: allocations with bounds at addresses of their own
    memory_ops: What accesses of tile dialects to memory do: through pointers
    numerics: Arithmetic on arrays of one element type, as the ops of Tile IR define it
    nv_tileas: What the ops of `nv_tileas` do, and the barriers that tokens became
    output: What runs show: where kernels print to
    processes: Spreads the CTAs of a grid over processes
    races: Races: two accesses that touch the same bytes, one of them writing
    run: Running a kernel over a grid
    schedule: Who waits for whom: warps of threads, agents of pipelines, and CTAs of a grid
    threads: Runs the code of one thread (level 3, or level 4) on the CPU
    tiles: What the ops of `cuda_tile` and `nv_tileaa`, and those of other dialects next to them, do
    tokens: What is ordered with what: accesses of a CTA, and tokens between them
    unwritten: Values read from memory that nobody has written
    values: Values while a program runs
"""

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
