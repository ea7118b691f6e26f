"""The frames of kernels that tests write as text, below `cuda_tile`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

POINTER = "!llvm.ptr<1>"


def gpu_module(contents: str, *, capability: int | None = None) -> str:
    """Globals and kernels in a `gpu.module`, for a compute capability such as 90."""
    module = f'"gpu.module"() <{{sym_name = "kernels"}}> ({{\n{contents}\n}}) : () -> ()\n'
    if capability is None:
        return module
    attributes = f"nv_tileaa.compute_capability = {capability} : i32"
    return f"builtin.module attributes {{{attributes}}} {{\n{module}}}\n"


def gpu_kernel(
    body: str,
    parameters: Sequence[str] = (),
    *,
    name: str = "k",
    attributes: Sequence[str] = (),
) -> str:
    """A kernel that returns at the end of a body; parameters are such as `%n: i32`."""
    types = ", ".join(parameter.partition(": ")[2] for parameter in parameters)
    start = f"^entry({', '.join(parameters)}):\n" if parameters else ""
    given = ", ".join([f'sym_name = "{name}"', *attributes])
    return (
        f'"gpu.func"() <{{function_type = ({types}) -> (), kernel}}> ({{\n'
        f'{start}{body}\n"gpu.return"() : () -> ()\n'
        f"}}) {{{given}}} : () -> ()\n"
    )


def block_size(threads: int) -> str:
    """The attribute of a kernel whose CTAs have some threads."""
    return f"gpu.known_block_size = array<i32: {threads}, 1, 1>"


def num_warps(warps: int) -> str:
    """The attribute of a kernel of tiles that some warps hold."""
    return f"nv_tileas.num_warps = {warps} : i32"


def shared_memory(size: int, name: str = "shared") -> str:
    """A global that is shared memory, aligned as copies of TMA tiles need it."""
    return (
        f"llvm.mlir.global internal @{name}() {{addr_space = 3 : i32, alignment = 1024 : i64}}"
        f" : !llvm.array<{size} x i8>\n"
    )


def i32_constants(numbers: Iterable[int]) -> str:
    """`%c0`, `%c1`, … of some numbers."""
    return "".join(f"%c{number} = arith.constant {number} : i32\n" for number in numbers)


def thread_kernel(
    body: str,
    parameters: Sequence[str],
    threads: int,
    *,
    shared: int = 4096,
    constants: Iterable[int] = (),
    attributes: Sequence[str] = (),
) -> str:
    """
    A module with the code of one thread: `%t` is the thread as an i32, `%i` as an i64, `%s` the
    bytes of shared memory, `%c0`, `%c1`, … are constants.
    """
    start = (
        "%thread = gpu.thread_id x\n"
        "%i = arith.index_cast %thread : index to i64\n"
        "%t = arith.index_cast %thread : index to i32\n"
        "%s = llvm.mlir.addressof @shared : !llvm.ptr<3>\n"
    )
    kernel = gpu_kernel(
        start + i32_constants(constants) + body,
        parameters,
        attributes=[block_size(threads), *attributes],
    )
    return gpu_module(shared_memory(shared) + kernel)
