"""Loading and launching, with no driver at all and with one that is played."""

import ctypes
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tileiras_xdsl.backend import cuda, driver
from tileiras_xdsl.backend.arguments import pack_scalar
from tileiras_xdsl.backend.cuda import LaunchAttribute, LaunchConfig
from tileiras_xdsl.backend.driver import CudaError
from tileiras_xdsl.backend.errors import BackendError, MissingToolError
from tileiras_xdsl.backend.launch_record import (
    LaunchRecord,
    Parameter,
    Quantity,
    records_to_json,
)

from ..harness.commands import python
from .fake_driver import FakeDriver
from .kernels import RECORDS

POINTER = Parameter("ptr")


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """The driver is looked for once in a process; here once in a test."""
    yield
    driver.get_driver.cache_clear()
    cuda.Device.get.cache_clear()


def play(monkeypatch: pytest.MonkeyPatch, fake: FakeDriver) -> FakeDriver:
    monkeypatch.setattr(cuda, "get_driver", lambda: fake)
    cuda.Device.get.cache_clear()
    return fake


def load(monkeypatch: pytest.MonkeyPatch, fake: FakeDriver) -> cuda.Kernel:
    return cuda.load(b"cubin", play(monkeypatch, fake).record)


def record(*types: str, **fields: Any) -> LaunchRecord:
    return LaunchRecord("k", "sm_90a", tuple(map(Parameter, types)), (32, 1, 1), **fields)


def pointer(data: bytes) -> int:
    return int.from_bytes(data, "little")


class TestWithoutDriver:
    """What a machine without a GPU says."""

    @pytest.fixture(autouse=True)
    def no_library(self, monkeypatch: pytest.MonkeyPatch):
        def fail(name: str) -> object:
            raise OSError(f"{name}: cannot open shared object file")

        monkeypatch.setattr(ctypes, "CDLL", fail)
        driver.get_driver.cache_clear()

    def test_is_available(self):
        assert not cuda.is_available()

    def test_load(self):
        with pytest.raises(MissingToolError, match=r"the CUDA driver was not found .*libcuda"):
            cuda.load(b"", RECORDS["saxpy"])


def test_a_driver_without_a_gpu(monkeypatch: pytest.MonkeyPatch):
    class Library:
        def cuInit(self, flags: Any) -> int:
            return 100

        def cuGetErrorName(self, status: Any, text: Any) -> int:
            ctypes.cast(text, ctypes.POINTER(ctypes.c_char_p))[0] = b"CUDA_ERROR_NO_DEVICE"
            return 0

        def cuGetErrorString(self, status: Any, text: Any) -> int:
            ctypes.cast(text, ctypes.POINTER(ctypes.c_char_p))[0] = b"no device"
            return 0

    monkeypatch.setattr(driver, "load_library", Library)
    driver.get_driver.cache_clear()
    message = "has no GPU to run on: cuInit failed: no device (CUDA_ERROR_NO_DEVICE)"
    with pytest.raises(MissingToolError, match=re.escape(message)):
        driver.get_driver()


def test_import_is_harmless():
    script = "import sys, tileiras_xdsl.backend.cuda\nprint('numpy' in sys.modules)"
    assert python("-c", script).out == "False\n"


def test_arrays_are_copied_there_and_back(monkeypatch: pytest.MonkeyPatch):
    def saxpy(arguments: list[bytes]) -> None:
        a, n = np.frombuffer(arguments[0], np.float32)[0], pointer(arguments[3])
        x, y = (
            np.ctypeslib.as_array((ctypes.c_float * n).from_address(pointer(data)))
            for data in arguments[1:3]
        )
        y += a * x

    fake = FakeDriver(RECORDS["saxpy"], saxpy)
    x, y = np.arange(8, dtype=np.float32), np.ones(8, np.float32)
    with load(monkeypatch, fake) as kernel:
        kernel.launch((1,), [2.0, x, y, 8])
    assert y.tolist() == [1, 3, 5, 7, 9, 11, 13, 15]
    assert not fake.memory
    (launched,) = fake.named("cuLaunchKernel")
    assert launched[1:9] == [1, 1, 1, 128, 1, 1, 0, 0]
    assert len(fake.named("cuModuleUnload")) == 1


def test_an_overlapping_launch_that_fails(monkeypatch: pytest.MonkeyPatch):
    def fails(*arguments: object) -> int:
        del arguments
        return 1

    fake = FakeDriver(replace(RECORDS["saxpy"], programmatic=True))
    monkeypatch.setattr(fake, "raw_launch", lambda: fails)
    with load(monkeypatch, fake) as kernel:
        with pytest.raises(CudaError, match="cuLaunchKernelEx"):
            kernel.launch((2,), [2.0, 0x1000, 0x2000, 8])


def test_views_share_memory_and_keep_what_is_between(monkeypatch: pytest.MonkeyPatch):
    def kernel(arguments: list[bytes]) -> None:
        first, second = map(pointer, arguments)
        assert second - first == 4
        ctypes.c_int32.from_address(first).value = 7
        ctypes.c_int32.from_address(second).value = 8

    fake = FakeDriver(record("ptr", "ptr"), kernel)
    array = np.arange(6, dtype=np.int32)
    load(monkeypatch, fake).launch(1, [array[::2], array[1::2]])
    assert array.tolist() == [7, 8, 2, 3, 4, 5]
    assert len(fake.named("cuMemAlloc")) == 1


def test_copies_are_on_the_stream_of_the_launch(monkeypatch: pytest.MonkeyPatch):
    """A stream that does not wait for the default one has them, there and back."""

    def kernel(arguments: list[bytes]) -> None:
        number = ctypes.c_int32.from_address(pointer(arguments[0]))
        number.value += 7

    fake = FakeDriver(record("ptr"), kernel)
    array = np.array([35], np.int32)
    load(monkeypatch, fake).launch(1, [array], stream=5)
    assert array.tolist() == [42]
    assert not fake.memory
    assert not fake.pending
    names = [call[0] for call in fake.calls]
    order = ["cuMemcpyHtoDAsync", "cuLaunchKernel", "cuMemcpyDtoHAsync", "cuStreamSynchronize"]
    assert [name for name in names if name in order] == order
    assert names.index("cuStreamSynchronize") < names.index("cuMemFree")
    assert {call[4] for call in fake.calls if "Async" in call[0]} == {5}


def test_copies_end_before_memory_is_freed(monkeypatch: pytest.MonkeyPatch):
    def kernel(arguments: list[bytes]) -> None:
        raise CudaError("cuLaunchKernel failed", "CUDA_ERROR_INVALID_VALUE")

    fake = FakeDriver(record("ptr", "i32"), kernel)
    array = np.zeros(3, np.int32)
    with pytest.raises(BackendError, match="expected an integer"):
        load(monkeypatch, fake).launch(1, [array, "x"], stream=5)
    with pytest.raises(CudaError, match="cuLaunchKernel failed"):
        load(monkeypatch, fake).launch(1, [array, 1], stream=5)
    assert not fake.memory


def test_big_endian_arrays(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(BackendError, match="elements of type '>i4', not little-endian"):
        load(monkeypatch, FakeDriver(record("ptr"))).launch(1, [np.zeros(3, ">i4")])


def test_read_only_and_empty_arrays(monkeypatch: pytest.MonkeyPatch):
    def kernel(arguments: list[bytes]) -> None:
        ctypes.c_int32.from_address(pointer(arguments[0])).value = 7

    fake = FakeDriver(record("ptr", "ptr"), kernel)
    array = np.zeros(2, np.int32)
    array.flags.writeable = False
    with pytest.raises(BackendError, match="k has written to argument 0, a NumPy array that is re"):
        load(monkeypatch, fake).launch(1, [array, np.zeros(0, np.float32)])
    assert array.tolist() == [0, 0]
    assert not fake.memory
    fake = FakeDriver(record("ptr", "ptr"), lambda arguments: None)
    load(monkeypatch, fake).launch(1, [array, np.zeros(0, np.float32)])
    assert not fake.memory


def test_other_pointers(monkeypatch: pytest.MonkeyPatch):
    class OnGpu:
        __cuda_array_interface__ = {"data": (0x1000, False), "version": 3, "stream": 5}

    seen: list[int] = []
    fake = FakeDriver(
        record("ptr", "ptr", "ptr"), lambda arguments: seen.extend(map(pointer, arguments))
    )
    load(monkeypatch, fake).launch(1, [OnGpu(), None, 0x2000])
    assert seen == [0x1000, 0, 0x2000]
    # That of the array, which is not ours; no NumPy array is waited for.
    assert fake.named("cuStreamSynchronize") == [[5]]


def test_dlpack_on_the_host(monkeypatch: pytest.MonkeyPatch):
    class OnHost:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    kernel = load(monkeypatch, FakeDriver(record("ptr")))
    with pytest.raises(BackendError, match="the OnHost is not on the GPU"):
        kernel.launch(1, [OnHost()])


def test_dlpack_on_the_gpu(monkeypatch: pytest.MonkeyPatch):
    host = np.arange(4, dtype=np.int32)

    class OnGpu:
        """Memory of the host that says it is that of a GPU."""

        def __dlpack_device__(self) -> tuple[int, int]:
            return (2, 0)

        def __dlpack__(self, stream: int) -> object:
            assert stream == 1
            return host.__dlpack__()

    seen: list[int] = []
    fake = FakeDriver(record("ptr"), lambda arguments: seen.extend(map(pointer, arguments)))
    load(monkeypatch, fake).launch(1, [OnGpu()])
    assert seen == [host.ctypes.data]


@pytest.mark.parametrize(
    ("ty", "value", "data"),
    [
        ("i1", True, b"\x01"),
        ("i8", -1, b"\xff"),
        ("i16", 0xFFFF, b"\xff\xff"),
        ("i32", np.int64(-2), b"\xfe\xff\xff\xff"),
        ("i64", 1 << 63, b"\0\0\0\0\0\0\0\x80"),
        ("f16", 1, b"\x00\x3c"),
        ("bf16", 1.0, b"\x80\x3f"),
        ("f32", np.float64(1), b"\x00\x00\x80\x3f"),
        ("f64", 1.0, b"\0\0\0\0\0\0\xf0\x3f"),
        ("f8E4M3FN", 1.0, b"\x38"),
    ],
)
def test_scalars(ty: str, value: object, data: bytes):
    assert pack_scalar(ty, value) == data


@pytest.mark.parametrize(
    ("types", "values", "message"),
    [
        (("i32",), [], "k takes 1 arguments, not 0"),
        (("i32",), [1 << 32], r"argument 0 of k \(i32\): 4294967296 is not from -2147483648 to"),
        (("i32",), [1.5], r"argument 0 of k \(i32\): expected an integer, not a float"),
        (("f32",), ["x"], r"argument 0 of k \(f32\): expected a number, not a str"),
        (("ptr",), ["x"], r"argument 0 of k \(ptr\): expected a NumPy array, .* not a str"),
        (("tensor-map",), [b""], r"expected the 128 bytes of a tensor map"),
    ],
)
def test_wrong_arguments(
    types: tuple[str, ...], values: list[object], message: str, monkeypatch: pytest.MonkeyPatch
):
    fake = FakeDriver(record(*types))
    with pytest.raises(BackendError, match=message):
        load(monkeypatch, fake).launch(1, values)
    assert not fake.named("cuLaunchKernel")
    assert not fake.memory


@pytest.mark.parametrize("grid", [(), (0,), (1, 2, 3, 4), -1])
def test_wrong_grids(grid: Any, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(BackendError, match="a grid is one to three positive numbers"):
        load(monkeypatch, FakeDriver(record())).launch(grid, [])


def test_a_grid_has_whole_clusters(monkeypatch: pytest.MonkeyPatch):
    kernel = load(monkeypatch, FakeDriver(record(cluster=(2, 1, 1))))
    kernel.launch(4, [])
    with pytest.raises(BackendError, match=r"\(3, 1, 1\) is no multiple of the cluster"):
        kernel.launch(3, [])


@pytest.mark.parametrize(
    ("arch", "capability", "is_ptx", "runs"),
    [
        ("sm_90a", (9, 0), False, True),
        ("sm_90a", (10, 0), True, False),
        ("sm_80", (8, 6), False, True),
        ("sm_80", (9, 0), False, False),
        ("sm_80", (9, 0), True, True),
        ("sm_89", (8, 6), True, False),
        ("sm_100f", (10, 3), False, True),
        ("sm_100f", (12, 0), True, False),
        ("sm_103f", (10, 0), False, False),
    ],
)
def test_code_for_another_gpu(
    arch: str,
    capability: tuple[int, int],
    is_ptx: bool,
    runs: bool,
    monkeypatch: pytest.MonkeyPatch,
):
    fake = play(monkeypatch, FakeDriver(replace(record(), arch=arch), capability=capability))
    image = "ptx" if is_ptx else b"cubin"
    if runs:
        cuda.load(image, fake.record).close()
        return
    with pytest.raises(BackendError, match=f"code for {arch} does not run on this GPU"):
        cuda.load(image, fake.record)


def test_a_kernel_that_is_not_there(monkeypatch: pytest.MonkeyPatch):
    fake = play(monkeypatch, FakeDriver(record()))
    with pytest.raises(BackendError, match="the code has no kernel 'other'"):
        cuda.load(b"cubin", replace(record(), entry="other"))
    assert len(fake.named("cuModuleUnload")) == 1


def test_large_shared_memory_is_asked_for(monkeypatch: pytest.MonkeyPatch):
    fake = FakeDriver(record(shared=64 * 1024))
    load(monkeypatch, fake).launch(1, [])
    assert fake.named("cuFuncSetAttribute") == [[7, 8, 64 * 1024]]
    assert fake.named("cuLaunchKernel")[0][7] == 64 * 1024


def test_a_grid_of_clusters(monkeypatch: pytest.MonkeyPatch):
    fake = FakeDriver(record(cluster=(2, 1, 1), blocks_are_clusters=True))
    load(monkeypatch, fake).launch(3, [])
    assert fake.named("cuLaunchKernel")[0][1:4] == [3, 1, 1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"threads": None}, "how many threads a CTA has: set its field 'threads'"),
        ({"shared": None}, "bytes of dynamic shared memory a CTA has: set its field 'shared'"),
    ],
)
def test_a_record_that_leaves_something_open(
    changes: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
):
    fake = play(monkeypatch, FakeDriver(replace(record(), **changes)))
    with pytest.raises(BackendError, match=message):
        cuda.load(b"cubin", fake.record)
    assert not fake.calls


def test_parameters_as_bytes(monkeypatch: pytest.MonkeyPatch):
    launches: list[list[bytes]] = []
    wide = replace(record(), parameters=(Parameter("bytes", "s", 12),))
    kernel = load(monkeypatch, FakeDriver(wide, launches.append))
    kernel.launch(1, [b"0123456789ab"])
    assert launches == [[b"0123456789ab"]]
    for value in (b"0123", 1):
        with pytest.raises(BackendError, match=r"argument 0 's' of k \(bytes\): expected 12 bytes"):
            kernel.launch(1, [value])


def test_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    own, other = record("i32"), replace(record(), entry="other")
    fake = play(monkeypatch, FakeDriver(own))
    path = tmp_path / "k.cubin"
    path.write_bytes(b"cubin")
    (tmp_path / "k.cubin.json").write_text(records_to_json([own]))
    with cuda.load_file(path) as kernel:
        assert kernel.record == own
    (tmp_path / "k.cubin.json").write_text(records_to_json([other, own]))
    with cuda.load_file(str(path), "k") as kernel:
        kernel.launch(2, [3])
    assert len(fake.named("cuLaunchKernel")) == 1
    with pytest.raises(BackendError, match="there are 2 kernels, name one of them: other, k"):
        cuda.load_file(path)


def test_closed(monkeypatch: pytest.MonkeyPatch):
    kernel = load(monkeypatch, FakeDriver(record()))
    kernel.close()
    kernel.close()
    with pytest.raises(BackendError, match="the kernel k is closed"):
        kernel.launch(1, [])


def test_time(monkeypatch: pytest.MonkeyPatch):
    fake = FakeDriver(record())
    assert load(monkeypatch, fake).time(1, [], repeat=4, warmup=2) == [0.5] * 4
    assert len(fake.named("cuLaunchKernel")) == 6
    assert len(fake.named("cuEventCreate")) == len(fake.named("cuEventDestroy")) == 8


def test_time_with_other_data_in_l2(monkeypatch: pytest.MonkeyPatch):
    fake = FakeDriver(record())
    kernel = load(monkeypatch, fake)
    fake.calls.clear()
    assert kernel.time(1, [], repeat=2, warmup=1, flush_l2=True) == [0.5] * 2
    # Twice as much as L2 has, before what is measured.
    assert [words for _, _, words, _ in fake.named("cuMemsetD32Async")] == [2048] * 2
    names = [name for name, *_ in fake.calls]
    first = names.index("cuMemsetD32Async")
    measured = ["cuMemsetD32Async", "cuEventRecord", "cuLaunchKernel", "cuEventRecord"]
    assert names[first : first + 8] == measured * 2
    assert not fake.memory


def test_what_a_gpu_is(monkeypatch: pytest.MonkeyPatch):
    device = load(monkeypatch, FakeDriver(record())).device
    assert (device.name, device.driver_version, device.l2_bytes) == ("a GPU", "13.1", 4096)


def test_streams(monkeypatch: pytest.MonkeyPatch):
    class Torch:
        cuda_stream = 3

    class CuPy:
        ptr = 4

    class Protocol:
        def __cuda_stream__(self) -> tuple[int, int]:
            return (0, 5)

    fake = FakeDriver(record())
    kernel = load(monkeypatch, fake)
    for stream in (None, 2, Torch(), CuPy(), Protocol()):
        kernel.launch(1, [], stream)
    assert [call[8] for call in fake.named("cuLaunchKernel")] == [0, 2, 3, 4, 5]
    with pytest.raises(BackendError, match="a str is no CUDA stream"):
        kernel.launch(1, [], "x")


PERSISTENT = record("ptr", "i32", abi="host-maps", persistent=2)


@pytest.mark.parametrize(
    ("grid", "launched"),
    [
        (1, 1),
        ((3, 2), 6),
        ((4, 2), 8),
        ((3, 3, 1), 8),
        ((5, 7, 11), 8),
        (2**31 - 9, 8),
        ((1, 65535, 32767), 8),
    ],
)
def test_persistent_kernels(monkeypatch: pytest.MonkeyPatch, grid: Any, launched: int):
    found: list[bytes] = []
    fake = FakeDriver(PERSISTENT, found.extend)
    load(monkeypatch, fake).launch(grid, [0x1000, 7])
    sizes = (grid,) if isinstance(grid, int) else grid
    assert [pointer(data) for data in found] == [0x1000, 7, *(*sizes, 1, 1)[:3]]
    assert fake.named("cuLaunchKernel")[0][1:4] == [launched, 1, 1]


def test_persistent_kernels_are_timed(monkeypatch: pytest.MonkeyPatch):
    fake = FakeDriver(PERSISTENT)
    load(monkeypatch, fake).time((9, 9), [0x1000, 7], repeat=1, warmup=0)
    assert fake.named("cuLaunchKernel")[0][1:4] == [8, 1, 1]


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        (2**31 - 8, "has 2147483640 tile blocks, but k cannot do more than 2147483639"),
        ((1, 65535, 65535), "has 4294836225 tile blocks, but k cannot do more than 2147483639"),
        ((1, 65536), r"is larger than \(2147483647, 65535, 65535\)"),
        (2**31, "is larger than"),
        ((1, 0), "a grid is one to three positive numbers"),
    ],
)
def test_grids_that_blocks_cannot_count(monkeypatch: pytest.MonkeyPatch, grid: Any, message: str):
    fake = FakeDriver(PERSISTENT)
    with pytest.raises(BackendError, match=message):
        load(monkeypatch, fake).launch(grid, [0x1000, 7])
    assert not fake.named("cuLaunchKernel")


def test_maps_follow_the_grid(monkeypatch: pytest.MonkeyPatch):
    (map_,) = RECORDS["tma"].tensor_maps
    wide = replace(map_, sizes=(Quantity(64, 4), map_.sizes[1]), strides=(Quantity(128, 5),))
    found: list[bytes] = []
    kernel = replace(RECORDS["tma"], persistent=1, tensor_maps=(wide,))
    fake = FakeDriver(kernel, found.extend)
    load(monkeypatch, fake).launch((2, 3), [0x1000, 0x2000, 48, 12])
    assert [pointer(data) for data in found[4:7]] == [2, 3, 1]
    assert found[7] == bytes(range(128))
    (encoded,) = fake.maps
    assert (encoded.sizes[0], encoded.strides) == (128, [384])


def test_tensor_maps(monkeypatch: pytest.MonkeyPatch):
    seen: list[bytes] = []
    fake = FakeDriver(RECORDS["tma"], seen.extend)
    load(monkeypatch, fake).launch((2, 2), [0x1000, 0x2000, 48, 12])
    (map_,) = fake.maps
    assert (map_.data_type, map_.base, map_.swizzle, map_.fill) == (7, 0x1000, 0, 0)
    assert (list(map_.sizes), list(map_.strides), list(map_.box)) == ([48, 12], [192], [32, 8])
    assert seen[4] == bytes(range(128))


def test_maps_of_empty_tensors_are_of_a_zero_elsewhere(monkeypatch: pytest.MonkeyPatch):
    fake = FakeDriver(RECORDS["tma"])
    load(monkeypatch, fake).launch(1, [0, 0x2000, 48, 0])
    (map_,) = fake.maps
    assert (list(map_.sizes), list(map_.strides), list(map_.box)) == ([1, 1], [192], [32, 8])
    # It stays, for other launches.
    assert [(address, bytes(zeros)) for address, zeros in fake.memory.items()] == [
        (map_.base, bytes(16))
    ]
    assert not fake.pending


def test_maps_of_vectors_have_strides_all_the_same():
    """The driver takes no null pointer, which an empty list would be."""
    seen: list[Any] = []

    class Library:
        def cuTensorMapEncodeTiled(self, *arguments: Any) -> int:
            seen.extend(arguments)
            return 0

    arguments = driver.TensorMapArguments(7, 0x1000, (64,), (), (32,), (1,), 0, 0, 0)
    assert driver.Driver(Library()).encode_tensor_map(arguments) == bytes(128)
    assert [seen[2].value, seen[3].value] == [1, 0x1000]
    assert [list(each) for each in seen[4:8]] == [[64], [0], [32], [1]]


@pytest.mark.parametrize(
    ("arguments", "changes", "message"),
    [
        ((0x1008, 48, 12), {}, "the address 0x1008 is no multiple of 16"),
        ((0x1000, 49, 12), {}, "stride 0 is 196 bytes, no multiple of 16"),
        ((0x1000, 48, -1), {}, "size 1 is -1, not 1 to"),
        (
            (0x1000, 48, 12),
            {"box": (2, 8)},
            "the innermost extent of the TMA tile is 8 bytes, no multiple of 16",
        ),
        ((0x1000, 48, 12), {"box": (4, 257)}, "box size 1 is 257, not 1 to 256"),
        (
            (0x1000, 48, 12),
            {"swizzle": "64"},
            "the innermost extent of the TMA tile is 128 bytes, the swizzle 64",
        ),
        ((0x1000, 48, 12), {"box": (256, 256)}, "more than shared memory has"),
        ((0x1000, 48, 12), {"element": "i7"}, "no tensor map has elements i7"),
        ((0x1000, 48, 12), {"element": "i32", "nan_fill": True}, "i32 has no NaN"),
        ((0x1000, 48, 12), {"element_strides": (1, 9)}, "element stride 1 is 9, not 1 to 8"),
    ],
)
def test_tensor_maps_that_cannot_be(
    arguments: tuple[int, int, int],
    changes: dict[str, Any],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
):
    base, width, height = arguments
    (map_,) = RECORDS["tma"].tensor_maps
    fake = FakeDriver(replace(RECORDS["tma"], tensor_maps=(replace(map_, **changes),)))
    with pytest.raises(BackendError, match=message):
        load(monkeypatch, fake).launch(1, [base, 0x2000, width, height])


# Prepared launches


def test_prepared_launches(monkeypatch: pytest.MonkeyPatch):
    class OnGpu:
        __cuda_array_interface__ = {"data": (0x1000, False), "version": 3}

    seen: list[int] = []
    fake = FakeDriver(
        record("ptr", "i32", shared=64), lambda arguments: seen.extend(map(pointer, arguments))
    )
    kernel = load(monkeypatch, fake)
    launch = kernel.prepare((2, 3), [OnGpu(), 7], stream=5)
    fake.calls.clear()
    launch()
    launch()
    assert fake.calls == [("cuLaunchKernelEx", 7, 2, 3, 1, 32, 1, 1, 64)] * 2
    assert seen == [0x1000, 7] * 2
    with pytest.raises(BackendError, match="argument 0 of k is a NumPy array, which would have"):
        kernel.prepare(1, [np.zeros(3, np.int32), 7])
    with pytest.raises(BackendError, match="k takes 2 arguments, not 1"):
        kernel.prepare(1, [0x1000])
    kernel.close()
    with pytest.raises(BackendError, match="the kernel k is closed"):
        kernel.prepare(1, [0x1000, 7])


def test_prepared_launches_of_empty_tensors(monkeypatch: pytest.MonkeyPatch):
    """The zero that takes their place stays, and is made once."""
    fake = FakeDriver(RECORDS["tma"])
    kernel = load(monkeypatch, fake)
    launches = [kernel.prepare(1, [0, 0x2000, 48, 0], stream=5) for _ in range(2)]
    fake.calls.clear()
    for launch in launches:
        launch()
    assert {call[0] for call in fake.calls} == {"cuLaunchKernelEx"}
    first, second = fake.maps
    assert first.base == second.base
    (zeros,) = fake.memory.values()
    assert bytes(zeros) == bytes(16)


def test_structures_of_prepared_launches():
    """The sizes that the header of the driver has, on 64 bits."""
    assert ctypes.sizeof(LaunchConfig) == 56
    assert LaunchConfig.stream.offset == 32
    assert ctypes.sizeof(LaunchAttribute) == 72
    assert LaunchAttribute.value.offset == 8


def test_capture_modes():
    """The driver swaps the mode of the thread with a number, which is put back."""

    class Library:
        mode = 0

        def cuThreadExchangeStreamCaptureMode(self, given: Any) -> int:
            number = given._obj
            self.mode, number.value = number.value, self.mode
            return 0

    library = Library()
    with driver.Driver(library).relaxed_capture():
        assert library.mode == 2
    assert library.mode == 0


def test_streams_that_are_captured():
    """The driver fails for the default stream, while others are captured that wait for it."""

    class Library:
        def cuStreamIsCapturing(self, stream: Any, found: Any) -> int:
            found._obj.value = 1 if stream.value is None or stream.value == 5 else 0
            return 906 if stream.value is None else 0

    used = driver.Driver(Library())
    assert [used.is_capturing(stream) for stream in (0, 5, 6)] == [False, True, False]


def test_statuses_of_raw_launches():
    class Library:
        def cuGetErrorName(self, status: Any, text: Any) -> int:
            text._obj.value = b"CUDA_ERROR_LAUNCH_FAILED" if status.value == 719 else b""
            return 0

        def cuGetErrorString(self, status: Any, text: Any) -> int:
            text._obj.value = b"a launch failed"
            return 0

    error = driver.Driver(Library()).error("cuLaunchKernelEx", 719)
    assert error.name == "CUDA_ERROR_LAUNCH_FAILED"
    assert str(error).startswith("cuLaunchKernelEx failed: a launch failed")


@pytest.mark.parametrize(("said", "found"), [("sm_100\n", "sm_100"), ("", "sm_90")])
def test_the_architecture_of_this_machine(said: str, found: str, monkeypatch: pytest.MonkeyPatch):
    """Another process asks the driver; where there is none, it says nothing."""

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0 if said else 1, said, "")

    monkeypatch.setattr(subprocess, "run", run)
    assert cuda.find_architecture("sm_90") == found
