"""Programs of cuTile, unchanged, on the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tileiras_xdsl.cutile as open_tileiras
from tileiras_xdsl.cutile import KernelError
from tileiras_xdsl.cutile.startup import DEVICE_VARIABLE, VARIABLE
from tileiras_xdsl.driver.compiler.engine import InterpretedWarning

from ..harness.commands import Result, python

PROGRAM = """\
import cuda.tile as ct
import numpy as np
from cutile_kernels import scale_and_add

a, b, out = np.ones(96, np.float32), np.arange(96, dtype=np.float32), np.zeros(96, np.float32)
ct.launch(None, (3,), scale_and_add, (a, b, out, 2.5, 32))
print(out[0], out[95])
"""


class CpuTensor:
    """As torch has them: no `__array_interface__`, but DLPack, and strides in elements."""

    def __init__(self, array: np.ndarray[Any, Any]):
        self.array = array
        self.dtype = f"torch.{array.dtype.name}"
        self.shape = array.shape

    def data_ptr(self) -> int:
        return self.array.ctypes.data

    def stride(self) -> tuple[int, ...]:
        return tuple(each // self.array.itemsize for each in self.array.strides)

    def __dlpack__(self, **options: Any) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


class OnlyDlpack:
    """A tensor of which only DLPack is known."""

    def __init__(self, array: np.ndarray[Any, Any], device: int = 1):
        self.array, self.device = array, device

    def __dlpack__(self, **options: Any) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


class Bfloat16Tensor(CpuTensor):
    """One of a type that NumPy does not have, or that needs a gradient."""

    def __dlpack__(self, **options: Any) -> object:
        raise BufferError("NumPy has no such type")


@pytest.mark.filterwarnings(f"error::{InterpretedWarning.__module__}.InterpretedWarning")
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2])
def test_tensors_that_numpy_has_no_type_for(ct: Any, kernels: Any, dtype: Any):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-4, 4, shape).astype(dtype) for shape in ((64, 32), (32, 64)))
    out = np.zeros((64, 32), np.float32)
    with open_tileiras.use(device="cpu"):
        given = (*map(Bfloat16Tensor, (a.T.copy().T, b[:, ::2], out)), 32, 32)
        ct.launch(None, (2, 1), kernels.matmul, given)
    assert (out == a.astype(np.float32) @ b[:, ::2].astype(np.float32)).all()


@pytest.mark.filterwarnings(f"error::{InterpretedWarning.__module__}.InterpretedWarning")
@pytest.mark.parametrize("tensor", [np.asarray, CpuTensor, OnlyDlpack])
def test_launch(ct: Any, kernels: Any, tensor: Any):
    rng = np.random.default_rng(0)
    a, b = (rng.random(96, np.float32) for _ in range(2))
    out = np.zeros_like(a)
    with open_tileiras.use(device="cpu"):
        ct.launch(None, (3,), kernels.scale_and_add, (*map(tensor, (a, b, out)), 2.5, 32))
    np.testing.assert_allclose(out, a * 5 + b, rtol=1e-6)


@pytest.mark.filterwarnings(f"error::{InterpretedWarning.__module__}.InterpretedWarning")
def test_matmul_of_bfloat16(ct: Any, kernels: Any):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-8, 8, shape).astype(ml_dtypes.bfloat16) for shape in ((64, 96), (96, 32)))
    out = np.zeros((64, 32), np.float32)
    with open_tileiras.use(device="cpu"):
        # Any stream will do.
        ct.launch(object(), (2, 1), kernels.matmul, (a, b, out, 32, 32))
    assert (out == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_kernels_are_specialized_for_what_they_are_given(ct: Any, kernels: Any):
    out = np.zeros(32, np.int32)
    with open_tileiras.use(device="cpu"):
        for number, size in ((7, 16), (1, 16), (1, 32)):
            out[:] = 0
            ct.launch(None, (32 // size,), kernels.shift, (out, (number, size)))
            assert set(out) == {number}


def test_what_cannot_be_launched(ct: Any, kernels: Any):
    x = np.zeros(96, np.float32)
    theirs = ct.launch
    with open_tileiras.use(device="cpu"):
        with pytest.raises(KernelError, match="scale_and_add takes 5 arguments, but got 3"):
            ct.launch(None, (3,), kernels.scale_and_add, (x, x, x))
        arguments = (OnlyDlpack(x, device=2), x, x, 1.0, 32)
        with pytest.raises(
            KernelError, match="arguments are arrays, lists of arrays, numbers and tuples"
        ):
            ct.launch(None, (3,), kernels.scale_and_add, arguments)
    assert ct.launch is theirs
    with pytest.raises(KernelError, match="device= is 'cpu', or left out for GPUs, not 'gpu'"):
        open_tileiras.use(device="gpu")  # pyright: ignore[reportArgumentType]
    with pytest.raises(KernelError, match="launcher=True is for GPUs"):
        open_tileiras.use(device="cpu", launcher=True)


def test_kernels_are_tuned_on_the_cpu(ct: Any, kernels: Any, monkeypatch: Any):
    tuner = ct.tune._tune
    monkeypatch.setattr(tuner, "_MAX_REPEATS", 5)
    theirs, out = tuner._benchmark, np.zeros(96, np.float32)
    x = np.arange(96, dtype=np.float32)
    with open_tileiras.use(device="cpu"):
        found = ct.tune.exhaustive_search(
            (16, 32),
            None,
            lambda tile: (96 // tile,),  # pyright: ignore[reportUnknownLambdaType]
            kernels.scale_and_add,
            lambda tile: (x, x, out, 2.0, tile),  # pyright: ignore[reportUnknownLambdaType]
            quiet=True,
        )
    assert found.best.config in (16, 32)
    assert len(found.successes) == 2
    assert (out == 5 * x).all()
    assert tuner._benchmark is theirs


def test_other_kernels_are_launched_by_cutile(ct: Any, kernels: Any, monkeypatch: Any):
    calls: list[Any] = []

    def launch(*args: Any, **_: Any) -> None:
        calls.append(args)

    monkeypatch.setattr(ct, "launch", launch)
    with open_tileiras.use(only="shift", device="cpu"):
        ct.launch(None, (1,), kernels.transpose, ())
    assert [call[2] for call in calls] == [kernels.transpose]


@pytest.mark.parametrize("way", ["variable", "command"])
def test_unchanged_programs(ct: Any, kernels: Any, way: str, tmp_path: Any, monkeypatch: Any):
    del ct
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    (tmp_path / "cutile_kernels.py").write_text(Path(kernels.__file__).read_text())
    if way == "command":
        result = python("-m", "tileiras_xdsl.cutile", "--device", "cpu", str(path))
    else:
        monkeypatch.setenv(VARIABLE, "1")
        monkeypatch.setenv(DEVICE_VARIABLE, "cpu")
        result = python(str(path))
    assert result == Result(0, "5.0 100.0\n", "")
