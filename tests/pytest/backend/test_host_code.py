"""Code for the CPU by which the driver encodes tensor maps."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    Float64Type,
    IntegerType,
    ModuleOp,
    UnitAttr,
    bf16,
    f16,
    f32,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.dialects.llvm import FuncOp, LLVMFunctionType, LLVMPointerType, LLVMVoidType
from xdsl.ir import Attribute

import tileiras_xdsl
from tileiras_xdsl import load
from tileiras_xdsl.backend.host_code import CALLBACKS, ON_LOAD, make_host_code
from tileiras_xdsl.backend.nvptx import hide_parameters
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.dialects.nvgpu.types import (
    HIDDEN_PARAMETER,
    HostMap,
    LaunchNumber,
    set_host_maps,
)
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import ModuleStage, select_steps
from tileiras_xdsl.targets.hopper import SM_90A
from tileiras_xdsl.targets.target import all_targets
from tileiras_xdsl.transforms.common import abi as abis
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import pipelines

from ..harness.passes import run_steps
from ..transforms.test_tileas_dynamic_persistent import COLUMNS, ROWS, product

TYPES: dict[str, Attribute] = {
    **{"i8": i8, "i16": i16, "i32": i32, "i64": i64, "tf32": IntegerType(32)},
    **{"f16": f16, "bf16": bf16, "f32": f32, "f64": Float64Type()},
}
POISON = 0xAB
binding: Any = import_module("llvmlite.binding")
RECORDED = Path(__file__).with_name("encoded_maps.json")


@dataclass(frozen=True)
class Encoded:
    """A tensor map as `cuTensorMapEncodeTiled` makes it (H200, driver 580.159)."""

    element: str
    base: int
    sizes: Sequence[int]
    strides: Sequence[int]
    box: Sequence[int]
    element_strides: Sequence[int]
    swizzle: int
    words: Sequence[str]
    """The first eight of 64 bits, in hexadecimal digits."""


ENCODED = [Encoded(**each) for each in json.loads(RECORDED.read_text())]


def make_kernel(maps: Sequence[HostMap], types: Sequence[Attribute], name: str = "k") -> FuncOp:
    """A kernel that has parameters, and maps behind them."""
    inputs = [*types, *[LLVMPointerType()] * len(maps)]
    function = FuncOp(name, LLVMFunctionType(inputs, LLVMVoidType()))
    set_host_maps(function, maps)
    hidden = DictionaryAttr({HIDDEN_PARAMETER: UnitAttr()})
    attributes = [*[DictionaryAttr({})] * len(types), *[hidden] * len(maps)]
    function.properties["arg_attrs"] = ArrayAttr(attributes)
    return function


def head(name: str, parameters: Sequence[str], maps: int) -> str:
    lines = [*parameters, *[".hidden .param .align 64 .b8 m[128]"] * maps]
    return f".visible .entry {name}({', '.join(lines)})\n{{\n}}\n"


class Loaded:
    """Object code in this process, as the driver loads it."""

    def __init__(self, code: bytes):
        library = binding.JITLibraryBuilder().add_object_img(code).add_current_process()
        library.export_symbol(ON_LOAD).export_symbol(CALLBACKS)
        self._tracker = library.link(binding.create_lljit_compiler(), f"host{id(code)}")
        arguments = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
        self.on_load = ctypes.CFUNCTYPE(ctypes.c_int, *arguments)(self._tracker[ON_LOAD])

    def callbacks(self) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """The nine words of the copy that the driver gets."""
        result = ctypes.c_void_p()
        assert self.on_load(None, None, 2, ctypes.addressof(result)) == 0
        assert result.value not in (None, self._tracker[CALLBACKS])
        return np.ctypeslib.as_array((ctypes.c_uint64 * 9).from_address(result.value or 0))

    def change(self, name: str, parameters: bytearray) -> None:
        """Calls the function of a kernel."""
        _, _, _, _, size, functions, count, _, _ = map(int, self.callbacks())
        for number in range(count):
            words = (ctypes.c_uint64 * 8).from_address(functions + size * number)
            if ctypes.string_at(words[0]).decode() == name:
                kind = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)
                memory = (ctypes.c_char * len(parameters)).from_buffer(parameters)
                assert kind(words[5])(None, None, None, ctypes.addressof(memory)) == 0
                return
        raise AssertionError(f"no function of {name}")


@pytest.fixture(autouse=True)
def native_target() -> None:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()


@pytest.mark.parametrize("are_known", [False, True], ids=["arguments", "constants"])
@pytest.mark.parametrize("case", ENCODED)
def test_maps_are_those_of_the_driver(case: Encoded, are_known: bool):
    numbers = (*case.sizes, *case.strides)
    known: list[LaunchNumber] = [(each, None) for each in numbers]
    passed: list[LaunchNumber] = [(1, 1 + place) for place in range(len(numbers))]
    chosen = known if are_known else passed
    rank = len(case.sizes)
    tensor_map = HostMap(
        TYPES[case.element] if case.element != "tf32" else _tf32(),
        0,
        tuple(chosen[:rank]),
        tuple(chosen[rank:]),
        tuple(case.box),
        case.swizzle,
        tuple(case.element_strides),
    )
    types = [LLVMPointerType(), *[i64] * len(numbers)]
    module = ModuleOp([make_kernel([tensor_map], types)])
    ptx = head("k", [".param .u64 p"] * len(types), 1)
    code = make_host_code(module, ptx, SM_90A)
    assert code is not None
    place = -(-(SM_90A.parameter_base + 8 * len(types)) // 64) * 64 - SM_90A.parameter_base
    parameters = bytearray([POISON]) * (place + 128)
    values = np.array([case.base, *numbers], np.uint64)
    parameters[: values.nbytes] = values.tobytes()
    Loaded(code).change("k", parameters)
    words = np.frombuffer(bytes(parameters[place : place + 64]), np.uint64)
    assert [f"{int(word):x}" for word in words] == case.words
    assert parameters[: values.nbytes] == values.tobytes()


def _tf32() -> Attribute:
    from tileiras_xdsl.dialects.cuda_tile.types import FloatTF32Type

    return FloatTF32Type()


def test_narrow_arguments_multiples_and_several_kernels():
    first = HostMap(f16, 0, ((1, 1), (1, 2)), ((2, 3),), (64, 32), 128)
    second = HostMap(f32, 1, ((3, 0),), (), (32,), 128)
    one = make_kernel([first, first], [LLVMPointerType(), i32, i8, i16], "one")
    two = make_kernel([second], [i32, LLVMPointerType()], "two")
    other = FuncOp("other", LLVMFunctionType([], LLVMVoidType()))
    numbers = [f".param .u{bits} b" for bits in (32, 8, 16)]
    ptx = head("one", [".param .u64 .ptr .global .align 1 a", *numbers], 2)
    ptx += head("two", [".param .u32 n", ".param .u64 a"], 1)
    code = make_host_code(ModuleOp([one, other, two]), ptx, SM_90A)
    assert code is not None
    loaded = Loaded(code)
    # The pointer is at 0, the integers at 8, 12 and 14; the maps begin at 0x240 of constant memory.
    parameters = bytearray(0x30 + 256)
    parameters[:8] = (0x7F0000001000).to_bytes(8, "little")
    parameters[8:12] = (1000).to_bytes(4, "little")
    parameters[12:13] = (100).to_bytes(1, "little")
    parameters[14:16] = (1008).to_bytes(2, "little")
    loaded.change("one", parameters)
    words = np.frombuffer(bytes(parameters[0x30:]), np.uint64).reshape(2, 16)
    assert (words[0] == words[1]).all()
    assert words[0, 0] == 0x7F0000001000
    assert words[0, 1] >> 32 == 2016 // 16
    assert words[0, 4] == 999 | 99 << 32
    parameters = bytearray(0x30 + 128)
    parameters[:4] = (7).to_bytes(4, "little")
    loaded.change("two", parameters)
    assert np.frombuffer(bytes(parameters[0x30:]), np.uint64)[4] == 20


def test_the_first_version_of_the_interface_is_the_least():
    code = make_host_code(
        ModuleOp([make_kernel([HostMap(f16, 0, ((8, None),), (), (8,), 0)], [LLVMPointerType()])]),
        head("k", [".param .u64 a"], 1),
        SM_90A,
    )
    assert code is not None
    loaded = Loaded(code)
    assert loaded.on_load(None, None, 0, None) == 1
    version, _, _, _, size, _, count, _, on_load = map(int, loaded.callbacks())
    assert (version, size, count) == (2, 64, 1)
    assert on_load == ctypes.cast(loaded.on_load, ctypes.c_void_p).value


def test_no_code_without_maps():
    function = FuncOp("other", LLVMFunctionType([], LLVMVoidType()))
    assert make_host_code(ModuleOp([function]), "", SM_90A) is None


def test_hidden_parameters():
    source = (
        'define ptx_kernel void @"a"(i32 %0, ptr "nvvm.hidden" %1, ptr "nvvm.hidden" %2) {\n}\n'
        "define ptx_kernel void @b(i32 %0, ptr byval([128 x i8]) %1) {\n}\n"
    )
    ptx = ".visible .entry a(\n\t.param .u32 x,\n\t.param .b8 y[128],\n\t.param .b8 z[128]\n)\n{}\n"
    other = ".visible .entry b(\n\t.param .u32 x,\n\t.param .b8 y[128]\n)\n{}\n"
    hidden = hide_parameters(ptx + other, source)
    assert hidden == ptx.replace("\t.param .b8", "\t.hidden .param .b8") + other
    assert hide_parameters(ptx, "define void @a() {}") == ptx


@pytest.mark.parametrize(
    ("cpu", "system", "abi"),
    [
        (None, None, "driver-maps"),
        (None, "windows", "device-maps"),
        ("riscv64", "linux", "device-maps"),
    ],
)
def test_who_encodes_maps_of_cubins(cpu: str | None, system: str | None, abi: str):
    assert abis.abi_of_cubins(cpu, system) == abi


def test_machines_without_code(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    kernel = make_kernel([HostMap(f16, 0, ((8, None),), (), (8,), 0)], [LLVMPointerType()])
    with pytest.raises(Exception, match="driver-maps needs Linux on x86_64 or aarch64"):
        make_host_code(ModuleOp([kernel]), "", SM_90A)


def matmul(abi: abis.Abi) -> Any:
    return tileiras_xdsl.compile(product(), "sm_90a", abi=abi, cache=False)


def bank_of(cubin: bytes, kernel: str) -> tuple[int, int]:
    """Where the parameters of a kernel begin in constant memory, and their bytes."""
    (table,) = np.frombuffer(cubin[0x28:0x30], np.uint64)
    size, number, names = map(int, np.frombuffer(cubin[0x3A:0x40], np.uint16))
    headers = [cubin[int(table) + size * each :][:size] for each in range(number)]

    def content(header: bytes) -> bytes:
        start, length = map(int, np.frombuffer(header[0x18:0x28], np.uint64))
        return cubin[start : start + length]

    texts = content(headers[names])
    for header in headers:
        name = texts[int.from_bytes(header[:4], "little") :].split(b"\0")[0]
        if name == b".nv.info." + kernel.encode():
            data = content(header)
            # Attribute 0x0a in the form 4: eight bytes, of which the last four say it.
            place = data.index(bytes([4, 0x0A, 8, 0]))
            found = np.frombuffer(data[place + 8 : place + 12], np.uint16)
            return int(found[0]), int(found[1])
    raise AssertionError("the cubin does not have the kernel")


@pytest.mark.oracle
@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a"])
def test_maps_are_where_ptxas_has_them(arch: str, oracle_program: Callable[[str], Path]):
    kernel = make_kernel([HostMap(f16, 0, ((8, None),), (), (8,), 0)] * 2, [LLVMPointerType(), i8])
    target = all_targets()[arch]
    ptx = f".version 9.0\n.target {arch}\n.address_size 64\n"
    ptx += head("k", [".param .u64 a", ".param .u8 b"], 2).replace("m[128]", "m1[128]", 1)
    ptx = ptx.replace("{\n}", "{\nret;\n}")
    code = make_host_code(ModuleOp([kernel]), ptx, target)
    from tileiras_xdsl.backend.target import NvptxTarget

    ptxas = Ptxas(oracle_program("ptxas"))
    cubin = ptxas.compile(ptx, NvptxTarget.parse(arch), host_code=code).cubin
    assert code is not None
    assert code in cubin
    # The bank ends with the second map.
    start = -(-(target.parameter_base + 9) // 64) * 64
    assert bank_of(cubin, "k") == (target.parameter_base, start + 256 - target.parameter_base)


@pytest.mark.oracle
def test_launches_pass_no_maps(oracle_program: Callable[[str], Path]):
    oracle_program("ptxas")
    given = matmul("driver-maps")
    plain = matmul("device-maps")
    assert b".nv.host\0" in given.cubin
    assert b".nv.host\0" not in plain.cubin
    assert given.launch_record.parameters == plain.launch_record.parameters
    assert (given.launch_record.abi, given.launch_record.tensor_maps) == ("driver-maps", ())
    assert "tensormap.replace" in plain.ptx
    assert "tensormap.replace" not in given.ptx
    assert given.ptx.count(".hidden .param .align 64 .b8") == 3


def lower(stage: ModuleStage) -> ModuleOp:
    """A program whose CTAs load a tile of each matrix, also if there is none."""
    module = load(product(end="%one"))
    run_steps(module, select_steps(to=stage), "sm_90a", "driver-maps")
    module.verify()
    return module


def compute(module: ModuleOp, m: int, n: int, k: int) -> None:
    generator = np.random.default_rng(m + n + k)
    a, b = (generator.integers(-4, 5, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.full((m, n), 7, np.float32)
    run(module, grid=(-(-max(m, 1) // ROWS), -(-max(n, 1) // COLUMNS)), args=[a, b, c, m, n, k])
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("stage", ["nvgpu", "nvvm"])
def test_empty_tensors_read_as_zeros(stage: ModuleStage):
    module = lower(stage)
    for sizes in ((ROWS + 8, COLUMNS, 24), (ROWS, COLUMNS, 0), (0, COLUMNS, 16), (ROWS, 0, 16)):
        compute(module, *sizes)


def test_loads_of_empty_tensors_have_to_be_out_of_bounds(monkeypatch: pytest.MonkeyPatch):
    def nothing(*_: object) -> None:
        return None

    monkeypatch.setattr(pipelines, "loads_from_nowhere", nothing)
    with pytest.raises(ExecutionError):
        compute(lower("nvgpu"), ROWS, COLUMNS, 0)
