"""Kernels of cuTile, handed over as functions."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException

import tileiras_xdsl as tx
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.cutile import (
    ArrayPromise,
    KernelError,
    PromiseMaker,
    array,
    export,
    is_kernel,
)
from tileiras_xdsl.inspection.exploration.exploration import Exploration
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.pipeline import MODULE_STAGES


@pytest.fixture
def kernels(oracle_module: Callable[[str], ModuleType]) -> Any:
    oracle_module("cuda.tile")
    return import_module(".cutile_kernels", __package__)


def vectors(size: int = 96) -> list[Any]:
    a, b = np.random.default_rng(0).random((2, size), np.float32)
    return [a, b, np.zeros_like(a)]


def entry_of(bytecode: bytes) -> str:
    """The lines of a program up to the body's first op that is no fact."""
    return str(tx.load(bytecode)).partition("make_tensor_view")[0]


def test_run(kernels: Any):
    a, b, out = vectors()
    tx.run(kernels.scale_and_add, grid=3, args=[a, b, out, 2.5, 32], check=True)
    np.testing.assert_allclose(out, a * 5 + b, rtol=1e-6)


def test_run_with_strides(kernels: Any):
    x = np.arange(48 * 32, dtype=ml_dtypes.bfloat16).reshape(48, 32)
    out = np.zeros((32, 48), ml_dtypes.bfloat16)
    tx.run(kernels.transpose, grid=(3, 2), args=[x, out, 16])
    np.testing.assert_array_equal(out, x.T)
    tx.run(kernels.transpose, grid=(3, 2), args=[out.T, out, 16])


def test_run_with_tuples(kernels: Any):
    out = np.zeros(32, np.int32)
    tx.run(kernels.shift, grid=2, args=[out, (7, 16)])
    assert set(out) == {7}


def test_compile(kernels: Any):
    arguments = [*[tx.array("float32", 1)] * 3, 1.0, 64]
    compiled = tx.compile(kernels.scale_and_add, "sm_90", args=arguments)
    types = [parameter.type for parameter in compiled.launch_record.parameters]
    assert types == [*["ptr", "i32", "i32"] * 3, "f32"]
    assert compiled.launch_record.entry == "scale_and_add"
    a, b, out = vectors()
    assert compiled.function is not None
    flat = compiled.function.flatten([a, b, out, 2.5, 64])
    assert [value for value in flat if not isinstance(value, np.ndarray)] == [*[96, 1] * 3, 2.5]


def test_explore(kernels: Any):
    a, b, out = vectors()
    explored: Exploration = tx.explore(kernels.scale_and_add, args=[a, b, out, 2.5, 32])
    assert explored.title == "scale_and_add"
    for stage in MODULE_STAGES:
        out[:] = 0
        explored.run(3, step=stage)
        np.testing.assert_allclose(out, a * 5 + b, rtol=1e-6)
    other = np.zeros_like(a)
    explored.run(3, [a, b, other, 1.0, 32], step="tileas")
    np.testing.assert_allclose(other, a * 2 + b, rtol=1e-6)


@pytest.mark.part("processes")
def test_source(kernels: Any):
    explored: Exploration = tx.explore(kernels.shift, args=[array("int32", 1), (1, 16)])
    source = explored.source
    assert source is not None
    assert source.lines[0] == "@ct.kernel"
    last = [place.text for mark in source.marks[-1] for place in explored.origins(mark)]
    assert any("store_view_tko" in text for text in last)
    assert explored.to_data()["texts"][0]["name"] == "python"


def test_source_of_functions_that_are_called(kernels: Any):
    arguments = [*[array("float32", 1)] * 3, 1.0, 64]
    explored: Exploration = tx.explore(kernels.scale_and_add, args=arguments)
    assert explored.source is not None
    assert "def double(x):" in explored.source.lines
    marks = explored.source.marks[explored.source.lines.index("    return x + x")]
    assert any("addf" in place.text for mark in marks for place in explored.origins(mark))


def test_assumptions_come_from_arguments(kernels: Any):
    known = entry_of(export(kernels.transpose, [array("float16", 2)] * 2 + [16]).bytecode)
    assert "assume div_by<16>, %1 " in known
    odd = np.zeros((3, 5), np.float16)
    unknown = entry_of(export(kernels.transpose, [odd, odd.T.copy(), 16]).bytecode)
    assert "assume div_by<16>, %0 " in unknown
    assert "assume div_by<16>, %1 " not in unknown
    columns = str(tx.load(export(kernels.transpose, [odd.T, odd, 16]).bytecode))
    assert "strides=[1,?]" in columns


def test_arrays_that_share_memory(kernels: Any):
    memory = np.zeros(64, np.float32)
    apart = entry_of(
        export(kernels.transpose, [memory.reshape(8, 8), np.zeros((8, 8)), 8]).bytecode
    )
    assert apart.count("div_by<16>, %0 ") == 1
    views = [memory[17:49].reshape(4, 8), memory[:32].reshape(4, 8), 4]
    assert "div_by<16>, %0 " not in entry_of(export(kernels.transpose, views).bytecode)


def test_arrays_of_other_libraries(kernels: Any):
    class OnGpu:
        def __init__(self, strides: tuple[int, ...] | None):
            self.__cuda_array_interface__ = {
                "shape": (32, 64),
                "typestr": "<f4",
                "strides": strides,
                "data": (1 << 20, False),
                "version": 3,
            }

    class Tensor:
        shape = (64, 32)
        dtype = "torch.float32"

        def stride(self) -> tuple[int, ...]:
            return (32, 1)

        def data_ptr(self) -> int:
            return 1 << 20

    wanted = export(kernels.transpose, [array("float32", 2), array(np.float32, 2), 16]).bytecode
    for first in (OnGpu(None), OnGpu((256, 4))):
        exported = export(kernels.transpose, [first, Tensor(), 16])
        assert entry_of(exported.bytecode) == entry_of(wanted)
        assert exported.flatten([first, Tensor(), 16])[1:5] == [32, 64, 64, 1]


def test_arrays_on_a_gpu_that_share_memory(kernels: Any):
    class OnGpu:
        def __init__(self, address: int):
            self.__cuda_array_interface__ = {
                "shape": (32, 32),
                "typestr": "<f4",
                "data": (address, False),
                "version": 3,
            }

    def text(*addresses: int) -> str:
        arrays = [OnGpu(address) for address in addresses]
        return str(tx.load(export(kernels.read_again, [*arrays, 16]).bytecode))

    apart = text(1 << 20, (1 << 20) + 32 * 32 * 4)
    assert text(1 << 20, 1 << 21) == apart
    assert text(1 << 20, 1 << 20) != apart
    assert text(1 << 20, (1 << 20) + 16) == text(1 << 20, 1 << 20)


def test_a_kernel_without_a_file():
    """As one that was typed into Python, whose source cuTile cannot read."""
    code = "import cuda.tile as ct\n\n@ct.kernel\ndef typed(x):\n    ct.bid(0)\n"
    scope: dict[str, Any] = {}
    exec(code, scope)
    with pytest.raises(KernelError, match="the source of kernel 'typed' cannot be read: cuTile"):
        tx.compile(scope["typed"], "sm_90", args=[np.zeros(8, np.float32)])


def test_constants_may_be_numbers_of_numpy(kernels: Any):
    matrix = np.arange(64, dtype=np.float32).reshape(8, 8)
    arguments = [matrix, np.zeros_like(matrix)]
    for number in (np.int64(8), np.uint8(8)):
        made = export(kernels.transpose, [*arguments, number])
        assert made.bytecode == export(kernels.transpose, [*arguments, 8]).bytecode
        for same in (8, number):
            assert made.flatten([*arguments, same])
        with pytest.raises(KernelError, match="'tile' is 4, but the kernel was compiled for 8"):
            made.flatten([*arguments, np.int64(4)])


def test_wrong_arguments(kernels: Any):
    vector = np.zeros(8, np.float32)
    with pytest.raises(KernelError, match="say what transpose is to be made for"):
        tx.explore(kernels.transpose)
    with pytest.raises(KernelError, match="takes 3 arguments, but got 1: it is transpose"):
        tx.compile(kernels.transpose, "sm_90", args=[vector])
    with pytest.raises(KernelError, match="cuTile has no type 'complex64'"):
        export(kernels.transpose, [array("complex64", 2)] * 2 + [8])
    assert array("f16", 2) == array("float16", 2)
    with pytest.raises(KernelError, match="but 'x' is of type str"):
        export(kernels.transpose, ["x", vector, 8])
    with pytest.raises(KernelError, match=r"argument 'x' has elements of type 'str.*no numbers"):
        export(kernels.transpose, [np.array([["a"]]), vector, 8])
    with pytest.raises(KernelError, match="is a constant of the kernel, not an array"):
        export(kernels.transpose, [vector, vector, vector])
    with pytest.raises(KernelError, match="expected a tuple of 2, but got 1"):
        export(kernels.shift, [vector, (1,)])
    with pytest.raises(KernelError, match="expected a tuple, but got int"):
        export(kernels.shift, [vector, 1])
    with pytest.raises(KernelError, match="has no elements, so nothing can be run on it"):
        tx.run(kernels.transpose, grid=1, args=[array("float32", 2)] * 2 + [8])


class OnGpu:
    """An array on a GPU, as far as it is described."""

    def __init__(self, address: int, **changes: Any):
        described = {"shape": (64,), "typestr": "<f4", "data": (address, False), "version": 3}
        self.__cuda_array_interface__ = described | changes


def test_arguments_that_the_kernel_was_not_compiled_for(kernels: Any):
    x, y, z = (np.zeros(96, np.float32) for _ in range(3))
    exported = export(kernels.scale_and_add, [x, y, z, 2.5, 32])
    assert len(exported.flatten([x, y, z, 7, 32])) == 10
    larger = np.zeros(128, np.float32)
    assert exported.flatten([larger, larger.copy(), z, 1.0, 32])[1] == 128
    far = np.lib.stride_tricks.as_strided(x, (1 << 32,), (4,))
    for name, arguments, reason in [
        ("tile", [x, y, z, 2.5, 64], "is 64, but the kernel was compiled for 32"),
        ("a", [x.astype(np.float16), y, z, 2.5, 32], "has elements of float16, but .* float32"),
        ("b", [x, y.reshape(8, 12), z, 2.5, 32], "has 2 dimensions, but .* 1"),
        ("a", [x[::2], y, z, 2.5, 32], "has a stride 0 of 2, but .* 1"),
        ("a", [x[::-1], y, z, 2.5, 32], "has a stride 0 of -1, but .* 1"),
        ("out", [x, y, z[:90], 2.5, 32], "has a size 0 of 90, but .* multiples of 16"),
        ("a", [far, y, z, 2.5, 32], "has a size 0 of 4294967296, but .* int32"),
        ("out", [x, larger, larger[:96], 2.5, 32], "has memory in common with 'b'"),
        ("b", [OnGpu(1 << 20), OnGpu((1 << 20) + 16), z, 2.5, 32], "has memory in common with 'a'"),
        ("a", [OnGpu((1 << 20) + 4), y, z, 2.5, 32], "is not aligned to 16 bytes"),
        ("a", [3, y, z, 2.5, 32], "is no array of float32"),
        ("factor", [x, y, z, np.float64(2.5), 32], "is a number of float64, but .* float32"),
        ("factor", [x, y, z, x, 32], "is an array"),
    ]:
        with pytest.raises(KernelError, match=f"argument '{name}' {reason}.*: compile the kernel"):
            exported.flatten(arguments)


def test_a_launch_is_refused(kernels: Any, monkeypatch: pytest.MonkeyPatch):
    arguments = [*[tx.array("float32", 1)] * 3, 1.0, 64]
    compiled = tx.compile(kernels.scale_and_add, "sm_90", args=arguments)
    launched: list[Sequence[object]] = []

    class Kernel:
        def launch(self, grid: int, arguments: Sequence[object], stream: Any) -> None:
            launched.append(arguments)

    def load(*_: object) -> Kernel:
        return Kernel()

    monkeypatch.setattr(type(compiled), "kernel", load)
    a, b, out = vectors()
    compiled.launch(2, [a, b, out, 1.0, 64])
    with pytest.raises(KernelError, match="argument 'tile' is 32"):
        compiled.launch(2, [a, b, out, 1.0, 32])
    with pytest.raises(KernelError, match="argument 'b' has a size 0 of 95"):
        compiled.launch(2, [a, b[:95], out, 1.0, 64])
    assert len(launched) == 1


def test_more_may_be_allowed_than_is_asked_for(kernels: Any):
    """Arrays that may share memory need not, and so on."""
    memory = np.zeros(99, np.float32)
    exported = export(kernels.scale_and_add, [memory, memory[1:], memory[:0], 1.0, 16])
    exported.flatten([np.zeros(32, np.float32), np.zeros(6, np.float32), memory[:0], 1.0, 16])
    wide = np.broadcast_to(np.zeros(16, np.float32), (16, 16))
    apart = np.zeros((16, 16), np.float32)
    with pytest.raises(KernelError, match="argument 'x' has several elements in one place"):
        export(kernels.transpose, [apart, apart.copy(), 16]).flatten([wide, apart, 16])
    export(kernels.transpose, [wide, apart, 16]).flatten([apart, apart.copy(), 16])
    # Rows that begin before the last one ends.
    windows = np.lib.stride_tricks.as_strided(np.zeros(512, np.float32), (16, 32), (64, 4))
    exported = export(kernels.transpose, [apart, apart.copy(), 16])
    with pytest.raises(KernelError, match="argument 'x' has several elements in one place"):
        exported.flatten([windows, apart, 16])
    export(kernels.transpose, [windows, apart, 16]).flatten([windows, apart, 16])


def test_tuples_that_the_kernel_was_not_compiled_for(kernels: Any):
    out = np.zeros(32, np.int32)
    exported = export(kernels.shift, [out, (7, 16)])
    assert exported.flatten([out, (8, 16)])[3:] == [8]
    for numbers, reason in [
        ((7, 32), r"argument 'numbers\[1\]' is 32, but the kernel was compiled for 16"),
        ((7, 16.0), r"argument 'numbers\[1\]' is 16.0"),
        ((1 << 31, 16), r"argument 'numbers\[0\]' is 2147483648, but .* int32"),
        ((0.5, 16), r"argument 'numbers\[0\]' is 0.5, but .* int32"),
        ((7, 16, 3), "argument 'numbers' is no tuple of 2"),
    ]:
        with pytest.raises(KernelError, match=reason):
            exported.flatten([out, numbers])


def test_copies_of_reversed_arrays_are_not_aligned():
    """They are copied as a whole, so that the element at 0 is somewhere inside."""
    x = np.zeros((6, 6), np.float32)
    leaf = SimpleNamespace(KIND="leaf", constant=False, array=None, scalar=None)
    for argument, alignment in [(x, 16), (x[::-1, ::-1], 4), (x[::-1], 8)]:
        promise = PromiseMaker({"x": argument}).make("x", argument, leaf)
        assert isinstance(promise, ArrayPromise)
        assert promise.alignment == alignment


@pytest.mark.parametrize(
    "argument",
    [
        np.zeros(10, dtype=[("x", "f4"), ("y", "i2")])["x"],
        OnGpu(4096, strides=(6,)),
    ],
)
def test_strides_between_elements_are_refused(kernels: Any, argument: object):
    message = r"argument 'a' has strides of \(6,\) bytes, no multiples of its elements of float32"
    with pytest.raises(KernelError, match=message):
        export(kernels.scale_and_add, [argument, *vectors()[:2], 1.0, 32])
    exported = export(kernels.scale_and_add, [*vectors(), 1.0, 32])
    with pytest.raises(KernelError, match=message):
        exported.flatten([argument, *vectors()[:2], 1.0, 32])


@pytest.mark.parametrize("argument", [np.zeros(96, ">f4"), OnGpu(4096, typestr=">f4")])
def test_big_endian_arrays_are_refused(kernels: Any, argument: object):
    message = "argument 'a' has elements of type '>f4', which are not little-endian"
    with pytest.raises(KernelError, match=message):
        export(kernels.scale_and_add, [argument, *vectors()[:2], 1.0, 32])
    exported = export(kernels.scale_and_add, [*vectors(), 1.0, 32])
    with pytest.raises(KernelError, match=message):
        exported.flatten([argument, *vectors()[:2], 1.0, 32])


def test_functions_that_are_no_kernels(kernels: Any):
    del kernels
    message = "'double' is no kernel: decorate it with cuda.tile.kernel"
    with pytest.raises(DiagnosticException, match=message):
        tx.explore(double)
    with pytest.raises(DiagnosticException, match=message):
        tx.compile(double, "sm_90")
    assert not is_kernel(3)


def double(x: Any) -> Any:
    return x + x


def test_without_cutile(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "cuda.tile", raising=False)
    with pytest.raises(KernelError, match="of the package cuda-tile"):
        tx.run(double, grid=1, args=[])


def test_one_array_as_several_arguments_stays_aligned(kernels: Any):
    """Arrays are copied with all that is between the bytes of arrays that they overlap with."""
    x = np.zeros(256, np.float32)
    for arrays, alignments in [
        ([x, x, np.zeros_like(x)], [16, 16, 16]),
        ([x, x[1:65], x[4:]], [16, 4, 16]),
        # These have no elements in common, but are copied together.
        ([x[::2], x[1::2], np.zeros_like(x)], [16, 4, 16]),
    ]:
        exported = export(kernels.scale_and_add, [*arrays, 1.0, 16])
        promises = exported.promises[:3]
        assert [getattr(each, "alignment") for each in promises] == alignments
        exported.flatten([*arrays, 1.0, 16])
    exported = export(kernels.scale_and_add, [x, x, x, 1.0, 16])
    with pytest.raises(KernelError, match="argument 'b' is not aligned to 16 bytes"):
        exported.flatten([x, x[1:241], x, 1.0, 16])


def test_parameters_have_names(kernels: Any):
    arguments = [tx.array("float32", 1)] * 3
    explored = tx.explore(kernels.scale_and_add, args=[*arguments, 1.0, 64])
    assert "@scale_and_add(%a: " in str(explored["cuda-tile"])
    compiled = tx.compile(kernels.scale_and_add, 90, args=[*arguments, 1.0, 64])
    names = [parameter.name for parameter in compiled.launch_record.parameters]
    assert names[:4] == ["a", "a_shape0", "a_stride0", "b"]
    assert names[-1] == "factor"


def test_errors_of_cutile_come_without_frames(kernels: Any):
    args = [np.zeros(4, np.float32), np.zeros(4), 16]
    calls: list[Callable[[], object]] = [
        lambda: tx.compile(kernels.transpose, 90, args=args),
        lambda: tx.run(kernels.transpose, grid=1, args=args),
    ]
    for call in calls:
        with pytest.raises(Exception, match="rank") as caught:
            call()
        assert type(caught.value).__module__.startswith("cuda.tile")
        assert [entry.name for entry in caught.traceback][2:] == ["call"]


def rows_of(*sizes: int) -> list[np.ndarray[Any, Any]]:
    return [np.arange(size, dtype=np.float32) for size in sizes]


@pytest.mark.parametrize("engine", ["jit", "interpreter"])
def test_lists_of_arrays(kernels: Any, engine: Any):
    arrays, out = rows_of(64, 40, 64), np.zeros(64, np.float32)
    tx.run(kernels.add_all, 1, [[*arrays, arrays[0]], out, 64], engine=engine)
    assert (out == sum(np.pad(each, (0, 64 - len(each))) for each in (*arrays, arrays[0]))).all()


def test_lists_that_the_kernel_was_not_compiled_for(kernels: Any):
    """Any number of arrays will do, each of which is as all of them were."""
    out = np.zeros(64, np.float32)
    kernel = tx.compile(kernels.add_all, "cpu", args=[rows_of(64, 32), out, 64])
    kernel.launch(1, [rows_of(64, 32, 16), out, 64])
    assert (out[:32] == np.r_[np.arange(16) * 3, np.arange(16, 32) * 2]).all()
    same = rows_of(64)
    for given, name, reason in (
        (same + same, r"arrays\[1\]", r"has memory in common with 'arrays\[0\]'"),
        ([out], "out", r"has memory in common with 'arrays\[0\]'"),
        ([out.astype(np.float16)], r"arrays\[0\]", "has elements of float16"),
        (rows_of(64, 40), r"arrays\[1\]", "has a size 0 of 40, but .* multiples of 16"),
        (out, "arrays", "is not a list of arrays"),
        ([], "arrays", "is not a list of arrays"),
    ):
        with pytest.raises(KernelError, match=f"argument '{name}' {reason}"):
            kernel.launch(1, [given, out, 64])


def test_lists_that_no_kernel_is_made_for(kernels: Any, tmp_path: Path):
    out = np.zeros(64, np.float32)
    for given, reason in (
        ([], "argument 'arrays' is a list of no arrays"),
        ([1], r"lists have arrays only, but 'arrays\[0\]' is not one"),
        ([out, out[:, None]], r"'arrays\[1\]' is of float32 with 2, and 'arrays\[0\]' of float32"),
    ):
        with pytest.raises(KernelError, match=reason):
            tx.run(kernels.add_all, 1, [given, out, 64])
    with pytest.raises(BackendError, match="'arrays' is a list of arrays; these are not"):
        tx.export(kernels.add_all, [[[out], out, 64]], gpus=["sm_90"], out=tmp_path)
    validated = tx.validate(kernels.add_all, 1, [[out], out, 64])
    assert not validated.ok
    assert "it takes a list of arrays" in str(validated)


def test_arrays_of_lists_that_are_read_only(kernels: Any):
    arrays = rows_of(8, 8)
    arrays[1].flags.writeable = False
    out = np.zeros(8, np.float32)
    tx.run(kernels.add_all, 1, [arrays, out, 8], engine="jit")
    with pytest.raises(ExecutionError, match=r"may write to 'outs\[1\]', which is read-only"):
        tx.run(kernels.fill_all, 1, [arrays, 8], engine="jit")
    tx.run(kernels.fill_all, 1, [arrays[:1], 8], engine="jit")
    assert (arrays[0] == 1).all()
