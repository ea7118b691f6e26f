"""
Launches the kernels of a bundle and compares them with what the interpreter said: see
README.md. After an error of the GPU the rest runs in a new process.

    python run_bundle.py FOLDER [--serial]

`--serial` runs all in this process, for `compute-sanitizer`.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import multiprocessing
import os
import struct
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty
from types import ModuleType
from typing import Any

import numpy as np

TORCH_TYPES = {
    "f64": "float64",
    "f32": "float32",
    "tf32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
    "i1": "uint8",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
}
MARGIN = int(os.environ.get("BUNDLE_MARGIN", 1 << 22))
"""Zeros around each array, so that a wild read has a defined value; 0 to find such reads."""
MULTIPROCESSORS = 16
"""What the driver calls the number of multiprocessors."""
TENSOR_MAP_ALIGNMENT = 64
TIMEOUT = 60
CLOSE, FAR = "rounding", "different"
EPSILONS = {"f64": 2.0**-52, "f32": 2.0**-23, "tf32": 2.0**-10, "f16": 2.0**-10, "bf16": 2.0**-7}
TERMS = 64
"""
How many epsilons of the largest number in an array its elements may be off. The interpreter adds
and multiplies in another order, and rounds functions correctly where CUDA is off by a few units.
An element is a sum of at most 4096 terms, which are not larger than their sum in the same array by
more than what random numbers of both signs cancel; the error of a tree of additions is its depth,
12 at most, times the sum of magnitudes, which is below 5 times the largest result here.
"""
CHUNK = 32
"""Kernels for one process."""


class Driver:
    """The few functions of the CUDA driver that are needed."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)
        self.zero = 0

    def call(self, name: str, *arguments: Any) -> None:
        code = getattr(self.library, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")

    def sm_count(self) -> int:
        count = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(count), MULTIPROCESSORS, self.device)
        return count.value

    def get_zero(self) -> int:
        """The address of zeros, which stay."""
        self.zero = self.zero or self.upload(np.zeros(16, np.uint8))
        return self.zero

    def upload(self, data: np.ndarray) -> int:
        address, size = ctypes.c_uint64(), ctypes.c_size_t(len(data) + 2 * MARGIN)
        self.call("cuMemAlloc_v2", ctypes.byref(address), size)
        self.call("cuMemsetD8_v2", address, 0, size)
        start = ctypes.c_uint64(address.value + MARGIN)
        pointer = data.ctypes.data_as(ctypes.c_void_p)
        self.call("cuMemcpyHtoD_v2", start, pointer, ctypes.c_size_t(len(data)))
        return start.value

    def free(self, address: int) -> None:
        self.call("cuMemFree_v2", ctypes.c_uint64(address - MARGIN))

    def download(self, address: int, size: int) -> np.ndarray:
        data = np.empty(size, np.uint8)
        pointer = data.ctypes.data_as(ctypes.c_void_p)
        self.call("cuMemcpyDtoH_v2", pointer, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data


def decode(data: np.ndarray, element: str) -> np.ndarray:
    import torch

    ty = getattr(torch, TORCH_TYPES.get(element, "uint8"))
    values = torch.from_numpy(data.copy()).view(ty)
    return values.to(torch.float64).numpy()


def describe(found: np.ndarray, expected: np.ndarray, element: str) -> str | None:
    """How two arrays differ; `None` if they do not."""
    if np.array_equal(found, expected):
        return None
    a, b = decode(found, element), decode(expected, element)
    differs = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if not differs.any():
        return None
    finite = differs & np.isfinite(a) & np.isfinite(b)
    distance = np.abs(np.where(finite, a - b, 0.0))
    relative = distance / np.maximum(np.abs(np.where(finite, b, 1.0)), 1e-30)
    first = int(np.flatnonzero(differs)[0])
    scale = np.abs(b[np.isfinite(b)]).max(initial=0.0)
    is_close = not (differs & ~finite).any() and bool(
        distance.max() <= TERMS * EPSILONS.get(element, 0.0) * scale
    )
    return f"{CLOSE if is_close else FAR}: " + (
        f"{element}: {int(differs.sum())} of {len(a)} differ, by at most {distance.max():.2e} "
        f"({relative.max():.1e} of the value), {int((differs & ~finite).sum())} not finite; "
        f"element {first} is {a[first]:.9g} instead of {b[first]:.9g}"
    )


def describe_bounded(
    found: np.ndarray, value: np.ndarray, error: np.ndarray, element: str
) -> str | None:
    """How an array differs from numbers by more than it may; `None` if it does not."""
    a = decode(found, element)
    value, error = value.astype(np.float64), error.astype(np.float64)
    distance = np.abs(a - value)
    is_right = (distance <= error * (1 + 1e-6)) | (a == value) | (np.isnan(a) & np.isnan(value))
    if is_right.all():
        return None
    wrong = np.flatnonzero(~is_right)
    first = int(wrong[0])
    worst = np.nan_to_num(distance[wrong] / np.maximum(error[wrong], 1e-30), nan=np.inf).max()
    return (
        f"{FAR}: {element}: {len(wrong)} of {len(a)} are off by more than rounding can be, by up "
        f"to {worst:.1e} times that; {int(np.isnan(a[wrong]).sum())} are no numbers; element "
        f"{first} is {a[first]:.9g} instead of {value[first]:.9g} ± {error[first]:.1e}"
    )


def import_launcher() -> None:
    """Makes the part of this package importable that encodes tensor maps, without xDSL too."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
    if "xdsl" in sys.modules or importlib.util.find_spec("xdsl") is not None:
        return
    names = ("xdsl", "xdsl.utils", "xdsl.utils.exceptions")
    modules = {name: ModuleType(name) for name in names}
    vars(modules[names[-1]])["DiagnosticException"] = type("DiagnosticException", (Exception,), {})
    sys.modules.update(modules)


def prepare(
    driver: Driver, launch: dict[str, Any] | None, grid: list[int], packed: list[bytes]
) -> tuple[tuple[int, ...], list[bytes]]:
    """The grid of a launch, and its arguments with those that the launcher adds."""
    if launch is None:
        return tuple(grid), packed
    import_launcher()
    from tileiras_xdsl.backend.arguments import encode_tensor_map
    from tileiras_xdsl.backend.driver import get_driver
    from tileiras_xdsl.backend.launch_record import LaunchRecord

    record = LaunchRecord.from_dict(launch)
    sizes = [struct.pack("<i", size) for size in grid] if record.persistent else []
    known = [*packed, *sizes]
    numbers = [int.from_bytes(data, "little", signed=True) for data in known]
    maps = [
        encode_tensor_map(
            get_driver(), each, numbers[each.base], numbers.__getitem__, driver.get_zero
        )
        for each in record.tensor_maps
    ]
    x, y, z = grid
    return record.launched_grid((x, y, z), driver.sm_count()), [*known, *maps]


def launch(driver: Driver, record: dict[str, Any], folder: Path) -> list[str]:
    """Runs one kernel; returns how it differs from what is expected."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    code = (folder / record["cubin"]).read_bytes()
    driver.call("cuModuleLoadData", ctypes.byref(module), code)
    entry = record["entry"].encode()
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, entry)
    arrays = np.load(folder / record["data"])
    packed: list[bytes] = []
    addresses: dict[int, int] = {}
    for number, argument in enumerate(record["args"]):
        if argument["kind"] == "array":
            addresses[number] = driver.upload(arrays[f"in{number}"])
            packed.append(struct.pack("<Q", addresses[number]))
        else:
            packed.append(bytes.fromhex(argument["bytes"]))
    grid, packed = prepare(driver, record.get("launch"), record["grid"], packed)
    buffers = [ctypes.create_string_buffer(len(data) + TENSOR_MAP_ALIGNMENT) for data in packed]
    pointers = [
        -(-ctypes.addressof(buffer) // TENSOR_MAP_ALIGNMENT) * TENSOR_MAP_ALIGNMENT
        for buffer in buffers
    ]
    for pointer, data in zip(pointers, packed, strict=True):
        ctypes.memmove(pointer, data, len(data))
    parameters = (ctypes.c_void_p * max(len(pointers), 1))(*pointers)
    # A kernel that requires a number of threads gets them with a block of one.
    driver.call("cuLaunchKernel", function, *grid, 1, 1, 1, 0, None, parameters, None)
    driver.call("cuCtxSynchronize")
    differences: list[str] = []
    for number, address in addresses.items():
        before = arrays[f"in{number}"]
        found = driver.download(address, len(before))
        element = record["args"][number]["element"]
        if f"value{number}" in arrays:
            value, error = arrays[f"value{number}"], arrays[f"error{number}"]
            text = describe_bounded(found, value, error, element)
        else:
            # What is not there is as it was before.
            expected = arrays[f"out{number}"] if f"out{number}" in arrays else before
            text = describe(found, expected, element)
        if text is not None:
            differences.append(f"argument {number}, {text}")
        driver.free(address)
    driver.call("cuModuleUnload", module)
    return differences


def launch_all(records: list[dict[str, Any]], folder: Path, answers: Any) -> None:
    """Runs kernels until one fails; puts what is found of each into `answers`."""
    driver = Driver()
    for record in records:
        try:
            answers.put(launch(driver, record, folder))
        except (OSError, RuntimeError, KeyError) as error:
            answers.put([f"error: {error}"])
            return


def run(records: list[dict[str, Any]], folder: Path) -> list[list[str]]:
    """Runs kernels in a process, and in another one those behind one that fails."""
    context = multiprocessing.get_context("spawn")
    results: list[list[str]] = []
    while len(results) < len(records):
        answers = context.Queue()
        process = context.Process(
            target=launch_all, args=(records[len(results) :], folder, answers)
        )
        process.start()
        while len(results) < len(records):
            try:
                results.append(answers.get(timeout=TIMEOUT))
            except Empty:
                results.append(["error: no answer"])
            if results[-1] and results[-1][0].startswith("error"):
                break
        process.join(1)
        process.kill()
    return results


def main() -> None:
    folder = Path(sys.argv[1])
    records = json.loads((folder / "records.json").read_text())
    if "--serial" in sys.argv:
        driver = Driver()
        results = [launch(driver, record, folder) for record in records]
        report(records, results)
        return
    chunks = [records[start : start + CHUNK] for start in range(0, len(records), CHUNK)]
    with ThreadPoolExecutor(8) as executor:
        found = list(executor.map(lambda chunk: run(chunk, folder), chunks))
    report(records, [differences for chunk in found for differences in chunk])


def report(records: list[dict[str, Any]], results: list[list[str]]) -> None:
    """Prints every difference, and how many kernels have none."""
    same = sum(not differences for differences in results)
    close = sum(
        bool(differences) and all(f" {CLOSE}: " in text for text in differences)
        for differences in results
    )
    print()
    for record, differences in zip(records, results, strict=True):
        for text in differences:
            print(f"{record['name']}: {text}")
    print(
        f"{same} of {len(records)} kernels give what they must, {close} differ by rounding, "
        f"{len(records) - same - close} otherwise"
    )


if __name__ == "__main__":
    main()
