"""Our launcher behind `cuda.tile.launch`, compared with cuTile's own, on a driver without a GPU."""

import time
from typing import Any

import numpy as np
import pytest

import tileiras_xdsl.cutile as open_tileiras
from tileiras_xdsl.backend.driver import CudaError
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.cutile.launcher import MAX_KEPT

from .fake_libcuda import FakeLibrary, GpuArray

A, B, C = 0x10000, 0x20000, 0x30000


def vectors() -> tuple[Any, ...]:
    """Arguments of `scale_and_add`, whose second array is not aligned."""
    return GpuArray((96,), A), GpuArray((96,), B + 4), GpuArray((96,), C), 2.5, 32


def sizes_of_last() -> list[int]:
    assert open_tileiras.last is not None
    return [parameter.size for parameter in open_tileiras.last.launch_record.parameters]


def test_a_kernel_keeps_its_code(ct: Any, kernels: Any, libcuda: FakeLibrary):
    """cuTile keeps what it has compiled for a kernel; a copy of the kernel has nothing yet."""
    kernel = kernels.scale_and_add.replace_hints()
    ct.launch(0, (3,), kernel, vectors())
    with open_tileiras.use():
        ct.launch(0, (3,), kernel, vectors())
        assert open_tileiras.last is None
        ours = kernel.replace_hints()
        ct.launch(0, (3,), ours, vectors())
        assert open_tileiras.last is not None
    made = open_tileiras.last
    ct.launch(0, (3,), ours, vectors())
    assert open_tileiras.last is made
    assert len(libcuda.launches) == 4
    assert libcuda.calls.count("cuLibraryLoadData") == 2


def test_the_same_parameters_as_cutile(ct: Any, kernels: Any, libcuda: FakeLibrary):
    kernel, shift = (each.replace_hints() for each in (kernels.scale_and_add, kernels.shift))
    with open_tileiras.use():
        # Pointer, size and stride of three arrays, and a number; those of the other are fewer.
        libcuda.sizes = [8, 4, 4] * 3 + [4]
        ct.launch(0x7000, (3, 2), kernel, vectors(), programmatic_dependent_launch=True)
        assert sizes_of_last() == libcuda.sizes
        libcuda.sizes = [8, 4, 4, 4]
        ct.launch(0, (2,), shift, (GpuArray((32,), A, "<i4"), (7, 16)))
        assert sizes_of_last() == libcuda.sizes
    theirs = list(libcuda.launches)
    libcuda.launches.clear()
    with open_tileiras.use(launcher=True):
        libcuda.sizes = [8, 4, 4] * 3 + [4]
        ct.launch(0x7000, (3, 2), kernel, vectors(), programmatic_dependent_launch=True)
        libcuda.sizes = [8, 4, 4, 4]
        ct.launch(0, (2,), shift, (GpuArray((32,), A, "<i4"), (7, 16)))
    ours = list(libcuda.launches)
    assert len(ours) == len(theirs) == 2
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.grid == other.grid
        assert mine.stream == other.stream
        assert mine.parameters == other.parameters
    assert [each.attributes for each in theirs] == [{6: 1}, {}]
    assert [each.attributes for each in ours] == [{6: 1}, {}]


def test_launches_again(ct: Any, kernels: Any, libcuda: FakeLibrary):
    """
    What was launched before with such arguments is one call of the driver, besides questions where
    it is launched.
    """
    kernel = kernels.scale_and_add.replace_hints()
    use = open_tileiras.use(launcher=True)
    ct.launch(0, (3,), kernel, vectors())
    first = open_tileiras.last
    assert first is not None
    assert first.options.abi == "host-maps"
    libcuda.calls.clear()
    ct.launch(0, (3,), kernel, vectors())
    assert libcuda.calls == ["cuCtxGetDevice", "cuStreamIsCapturing", "cuLaunchKernelEx"]
    # Another place, the same facts: the same code.
    a, b, c, factor, tile = vectors()
    ct.launch(0, (3,), kernel, (c, b, a, factor, tile))
    assert open_tileiras.last is first
    assert "cuModuleLoadData" not in libcuda.calls
    # Equal numbers of another type are other facts.
    ct.launch(0, (3,), kernel, (a, b, c, 2, tile))
    second = open_tileiras.last
    assert second is not first
    ct.launch(0, (3,), kernel, (a, b, c, 2.0, tile))
    assert open_tileiras.last is first
    assert open_tileiras.compiled(kernel) == (first, second)
    # So are zeros to the launch, though not to the code.
    libcuda.launches.clear()
    libcuda.sizes = [8, 4, 4] * 3 + [4]
    for zero in (0.0, -0.0):
        ct.launch(0, (3,), kernel, (a, b, c, zero, tile))
    assert [each.parameters[-1] for each in libcuda.launches] == [bytes(4), b"\0\0\0\x80"]
    use.restore()
    assert ct.launch.__name__ == "launch"
    assert type(ct.launch).__name__ == "builtin_function_or_method"


def test_launches_on_two_gpus(ct: Any, kernels: Any, libcuda: FakeLibrary):
    """An address may belong to another GPU now, whose default stream has the same handle."""
    kernel = kernels.scale_and_add.replace_hints()
    open_tileiras.use(launcher=True)
    loads: list[int] = []
    for device in (0, 1, 0, 1):
        libcuda.device = device
        ct.launch(0, (3,), kernel, vectors())
        loads.append(libcuda.calls.count("cuModuleLoadData"))
    assert loads == [1, 2, 2, 2]


def test_launches_are_kept_within_limits(ct: Any, kernels: Any, libcuda: FakeLibrary):
    kernel = kernels.scale_and_add.replace_hints()
    open_tileiras.use(launcher=True)
    launcher: Any = ct.launch.__self__
    for grid in range(1, MAX_KEPT + 3):
        ct.launch(0, (grid,), kernel, vectors())
    assert len(launcher._kernels[kernel].kept) == MAX_KEPT
    assert len(libcuda.launches) == MAX_KEPT + 2


def test_tensor_maps(ct: Any, kernels: Any, libcuda: FakeLibrary):
    kernel = kernels.matmul.replace_hints()
    arguments = (*(GpuArray((256, 256), place, "<f2") for place in (A, B, C)), 128, 64)
    open_tileiras.use(launcher=True)
    launch = open_tileiras.prepare(0, (2, 2), kernel, arguments)
    assert open_tileiras.last is not None
    record = open_tileiras.last.launch_record
    assert record.abi == "host-maps"
    assert record.tensor_maps
    assert libcuda.calls.count("cuTensorMapEncodeTiled") == len(record.tensor_maps)
    libcuda.sizes = [parameter.size for parameter in record.parameters]
    libcuda.sizes += [4] * 3 if record.persistent else []
    libcuda.sizes += [128] * len(record.tensor_maps)
    libcuda.calls.clear()
    launch()
    ct.launch(0, (2, 2), kernel, arguments)
    assert libcuda.calls.count("cuTensorMapEncodeTiled") == len(record.tensor_maps)
    for found in libcuda.launches:
        assert found.threads == record.threads
        assert found.parameters[-1] == b"\x5a" * 128


def test_prepared(kernels: Any, libcuda: FakeLibrary):
    """It needs no `use`, and a launch is one call of the driver, but for whether it is captured."""
    launch = open_tileiras.prepare(0x7000, (3,), kernels.scale_and_add, vectors())
    elsewhere = launch.on(0x8000)
    libcuda.calls.clear()
    launch()
    elsewhere()
    launch()
    assert libcuda.calls == ["cuStreamIsCapturing", "cuLaunchKernelEx"] * 3
    assert [each.stream for each in libcuda.launches] == [0x7000, 0x8000, 0x7000]
    assert {each.grid for each in libcuda.launches} == {(3, 1, 1)}


def test_prepared_launches_are_cheap(
    kernels: Any, libcuda: FakeLibrary, monkeypatch: pytest.MonkeyPatch
):
    """Without the driver, most of the 10 µs are left; the benchmark measures them with it."""

    def do_nothing(*_: object) -> int:
        return 0

    launch: Any = open_tileiras.prepare(0, (3,), kernels.scale_and_add, vectors())
    launch._launch = do_nothing
    monkeypatch.setattr(libcuda, "cuStreamIsCapturing", do_nothing, raising=False)
    times: list[float] = []
    for _ in range(20):
        start = time.process_time()
        for _ in range(1000):
            launch()
        times.append((time.process_time() - start) * 1e3)
    assert min(times) < 3


def test_a_thread_without_a_context(kernels: Any, libcuda: FakeLibrary):
    launch = open_tileiras.prepare(0, (3,), kernels.scale_and_add, vectors())
    libcuda.calls.clear()
    libcuda.failures = [201]
    launch()
    attempt = ["cuStreamIsCapturing", "cuLaunchKernelEx"]
    assert libcuda.calls == [*attempt, "cuCtxSetCurrent", *attempt]
    libcuda.failures = [700]
    with pytest.raises(CudaError, match="cuLaunchKernelEx failed"):
        launch()
    libcuda.failures = [201, 201]
    with pytest.raises(CudaError, match="cuLaunchKernelEx failed"):
        launch()


def test_other_kernels_are_launched_as_before(ct: Any, kernels: Any, libcuda: FakeLibrary):
    kernel, shift = (each.replace_hints() for each in (kernels.scale_and_add, kernels.shift))
    open_tileiras.use()
    open_tileiras.use(only=kernel, launcher=True)
    ct.launch(0, (2,), shift, (GpuArray((32,), A, "<i4"), (7, 16)))
    assert open_tileiras.last is not None
    assert open_tileiras.last.options.abi == "driver-maps"
    assert "cuLibraryLoadData" in libcuda.calls
    ct.launch(0, (3,), kernel, vectors())
    assert open_tileiras.last.options.abi == "host-maps"
    # The newest call decides.
    open_tileiras.use(only=kernel)
    ct.launch(0, (3,), kernel, vectors())
    assert open_tileiras.last.options.abi == "driver-maps"


def test_lists_are_left_to_cutile(ct: Any, kernels: Any, libcuda: FakeLibrary):
    arguments = ([GpuArray((32,), A), GpuArray((32,), B)], GpuArray((32,), C), 32)
    with pytest.raises(TypeError, match="cannot be prepared: a list is not known"):
        open_tileiras.prepare(0, (1,), kernels.add_all, arguments)
    with open_tileiras.use(launcher=True):
        ct.launch(0, (1,), kernels.add_all.replace_hints(), arguments)
    assert open_tileiras.last is not None
    assert open_tileiras.last.options.abi == "driver-maps"


def test_wrong_arguments(ct: Any, kernels: Any, libcuda: FakeLibrary):
    """What is wrong with arguments cuTile says, whoever launches."""
    x = np.zeros(96, np.float32)
    for use in (open_tileiras.use, lambda: open_tileiras.use(launcher=True)):
        with use(), pytest.raises(RuntimeError, match="NumPy only supports"):
            ct.launch(0, (3,), kernels.scale_and_add, (x, x, x, 2.5, 32))
    with open_tileiras.use(launcher=True):
        with pytest.raises(TypeError, match="kernel"):
            ct.launch(0, (3,), 7, ())
        large = GpuArray((1 << 31,), A)
        with pytest.raises(ValueError, match="do not all fit into int32: annotate the parameter"):
            ct.launch(0, (3,), kernels.scale_and_add, (large, large, large, 2.5, 32))
        with pytest.raises(BackendError, match="is no CUDA stream"):
            ct.launch("stream", (3,), kernels.scale_and_add, vectors())
