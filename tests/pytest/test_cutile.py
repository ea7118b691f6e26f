"""Kernels of cuTile, handed over as functions."""

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException

import tileiras_xdsl as tx
from tileiras_xdsl.cutile import KernelError, array, export, is_kernel
from tileiras_xdsl.explore.exploration import Exploration
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
    compiled = tx.compile(kernels.scale_and_add, "sm_90", arguments=arguments)
    types = [parameter.type for parameter in compiled.launch_record.parameters]
    assert types == [*["ptr", "i32", "i32"] * 3, "f32"]
    assert compiled.launch_record.entry == "scale_and_add"
    a, b, out = vectors()
    assert compiled.function is not None
    flat = compiled.function.flatten([a, b, out, 2.5, 64])
    assert [value for value in flat if not isinstance(value, np.ndarray)] == [*[96, 1] * 3, 2.5]


def test_explore(kernels: Any):
    a, b, out = vectors()
    explored: Exploration = tx.explore(kernels.scale_and_add, arguments=[a, b, out, 2.5, 32])
    assert explored.title == "scale_and_add"
    for stage in MODULE_STAGES:
        out[:] = 0
        explored.run(stage, 3)
        np.testing.assert_allclose(out, a * 5 + b, rtol=1e-6)
    other = np.zeros_like(a)
    explored.run("tileas", 3, [a, b, other, 1.0, 32])
    np.testing.assert_allclose(other, a * 2 + b, rtol=1e-6)


def test_source(kernels: Any):
    explored: Exploration = tx.explore(kernels.shift, arguments=[array("int32", 1), (1, 16)])
    source = explored.source
    assert source is not None
    assert source.lines[0] == "@ct.kernel"
    last = [place.text for mark in source.marks[-1] for place in explored.origins(mark)]
    assert any("store_view_tko" in text for text in last)
    assert explored.to_data()["texts"][0]["name"] == "python"


def test_source_of_functions_that_are_called(kernels: Any):
    arguments = [*[array("float32", 1)] * 3, 1.0, 64]
    explored: Exploration = tx.explore(kernels.scale_and_add, arguments=arguments)
    assert explored.source is not None
    assert "def double(x):" in explored.source.lines
    marks = explored.source.marks[explored.source.lines.index("    return x + x")]
    assert any("addf" in place.text for mark in marks for place in explored.origins(mark))


def test_facts_come_from_arguments(kernels: Any):
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
    views = [memory[:32].reshape(4, 8), memory[16:48].reshape(4, 8), 4]
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


def test_wrong_arguments(kernels: Any):
    vector = np.zeros(8, np.float32)
    with pytest.raises(KernelError, match="say what transpose is to be made for"):
        tx.explore(kernels.transpose)
    with pytest.raises(KernelError, match="transpose takes 3 arguments, but got 1"):
        tx.compile(kernels.transpose, "sm_90", arguments=[vector])
    with pytest.raises(KernelError, match="cuTile has no type 'complex64'"):
        export(kernels.transpose, [array("complex64", 2)] * 2 + [8])
    with pytest.raises(KernelError, match="arguments are arrays, numbers and tuples, not str"):
        export(kernels.transpose, ["x", vector, 8])
    with pytest.raises(KernelError, match="expected a tuple of 2, but got 1"):
        export(kernels.shift, [vector, (1,)])
    with pytest.raises(KernelError, match="expected a tuple, but got int"):
        export(kernels.shift, [vector, 1])
    with pytest.raises(KernelError, match="has no elements, so nothing can be run on it"):
        tx.run(kernels.transpose, grid=1, args=[array("float32", 2)] * 2 + [8])


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
