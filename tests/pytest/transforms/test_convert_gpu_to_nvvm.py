"""The tables of `convert-gpu-to-nvvm` are complete and have no duplicates."""

import pytest
from xdsl.dialects import gpu as xdsl_gpu
from xdsl.dialects import math
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.libdevice import find_libdevice
from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects.nvvm import SPECIAL_REGISTERS
from tileiras_xdsl.targets.machine import RegisterFile
from tileiras_xdsl.transforms.nvvm.convert_gpu_to_nvvm.conversion_pass import (
    DIMENSION_REGISTERS,
    REGISTERS,
    ConvertGpuToNvvmPass,
    get_register_limit,
    make_patterns,
)
from tileiras_xdsl.transforms.nvvm.convert_gpu_to_nvvm.math import (
    APPROXIMATIONS,
    COUNTERPARTS,
    FAST,
    LIBDEVICE,
)

from ..harness.modules import context, context_of, ops_named, parse_unverified

LIBDEVICE_FAST = (
    *("__nv_fast_cosf", "__nv_fast_exp10f", "__nv_fast_expf", "__nv_fast_fdividef"),
    *("__nv_fast_log10f", "__nv_fast_log2f", "__nv_fast_logf", "__nv_fast_powf"),
    *("__nv_fast_sincosf", "__nv_fast_sinf", "__nv_fast_tanf", "__nv_fast_tanhf"),
)
"""All functions of libdevice that begin with `__nv_fast_`."""

NATIVE: tuple[type[Operation], ...] = (
    *(math.AbsFOp, math.AbsIOp, math.CopySignOp, math.FmaOp),
    *(math.CeilOp, math.FloorOp, math.RoundOp, math.RoundEvenOp, math.TruncOp),
    *(math.CountLeadingZerosOp, math.CountTrailingZerosOp, math.CtPopOp, math.IPowIOp),
)
"""Ops of `math` that are instructions of LLVM, for `convert-to-llvm`."""

HOST_OPS = (
    *("alloc", "dealloc", "host_register", "host_unregister", "launch", "launch_func"),
    *("memcpy", "set_default_device", "terminator", "wait"),
)
"""Ops of `gpu` that no kernel has."""


@pytest.mark.requirement("G-15")
def test_special_registers_are_distinct():
    names = [f"{name}.{axis}" for name in DIMENSION_REGISTERS.values() for axis in "xyz"]
    documented = names[: 7 * 3]
    assert len(set(documented)) == 21
    assert len({*names, *REGISTERS.values()}) == 8 * 3 + 2
    assert {*names, *REGISTERS.values()} <= set(SPECIAL_REGISTERS)


@pytest.mark.parametrize("op", list(gpu.GPU.operations), ids=lambda op: op.name)
@pytest.mark.requirement("G-04")
def test_every_op_of_a_kernel_has_a_pattern(op: type[Operation]):
    name = op.name.removeprefix("gpu.")
    assert (op in make_patterns()) == (name not in (*HOST_OPS, "module", "yield"))


@pytest.mark.requirement("G-26")
def test_every_math_op_has_a_function_or_an_instruction():
    assert {*LIBDEVICE, *NATIVE} == set(math.Math.operations)
    assert not set(LIBDEVICE) & set(NATIVE)
    assert len(set(LIBDEVICE.values())) == len(LIBDEVICE)


@pytest.mark.requirement("G-31")
def test_fast_functions_exist():
    chosen = {COUNTERPARTS.get(name, name) for name in FAST.values()}
    precise = {f"__nv_{name}f" for name in LIBDEVICE.values()}
    assert chosen <= {*LIBDEVICE_FAST, *precise}
    assert "__nv_fast_sinf" in chosen
    assert {"__nv_unsafe_divf"} <= set(FAST.values())
    assert set(COUNTERPARTS) <= set(FAST.values())


@pytest.mark.requirement("G-26", "G-31")
def test_libdevice_has_every_function():
    binding = pytest.importorskip("llvmlite.binding")
    try:
        path = find_libdevice()
    except BackendError as error:
        pytest.skip(str(error))
    defined = {function.name for function in binding.parse_bitcode(path.read_bytes()).functions}
    for name in LIBDEVICE.values():
        assert {f"__nv_{name}", f"__nv_{name}f"} <= defined
    assert {COUNTERPARTS.get(name, name) for name in FAST.values()} <= defined
    assert not set(COUNTERPARTS) & defined
    fast = {name for name in defined if name.startswith("__nv_fast_")}
    assert fast == set(LIBDEVICE_FAST)


def test_approximations_have_distinct_instructions():
    assert len(set(APPROXIMATIONS.values())) == len(APPROXIMATIONS)


@pytest.mark.parametrize(
    ("threads", "occupancy", "registers"),
    [(128, 1, 255), (128, 2, 255), (128, 4, 128), (384, 1, 168), (256, 3, 80), (1024, 8, 24)],
)
def test_registers_of_an_occupancy(threads: int, occupancy: int, registers: int):
    assert get_register_limit([threads, 1, 1], occupancy, RegisterFile()) == registers


@pytest.mark.requirement("I-05")
def test_a_failure_leaves_the_module():
    module = parse_unverified(
        """
        func.func @f(%x: f32) {
          %i = "gpu.thread_id"() {dimension = #gpu<dim x>} : () -> index
          cf.br ^bb1
        ^bb1:
          "gpu.terminator"() : () -> ()
        }
        """
    )
    before = str(module)
    with pytest.raises(PassFailedException, match=r"'gpu\.terminator' op has no conversion"):
        ConvertGpuToNvvmPass().apply(context(), module)
    assert str(module) == before


@pytest.mark.parametrize("name", ["thread_id", "block_id", "block_dim", "grid_dim", "global_id"])
def test_queries_of_xdsl_become_what_ours_do(name: str):
    """Who knows xDSL's own `gpu` only, whose ops ours extend, gets the same code."""
    text = f"""
        func.func @f() -> index {{
          %i = "gpu.{name}"() <{{dimension = #gpu<dim y>}}> : () -> index
          func.return %i : index
        }}
        """
    plain = parse_unverified(text, ctx=context_of(Builtin, Func, xdsl_gpu.GPU))
    (query,) = ops_named(plain, f"gpu.{name}")
    assert type(query) not in make_patterns()
    own = parse_unverified(text)
    assert {type(op) for op in ops_named(own, f"gpu.{name}")} <= set(gpu.GPU.operations)
    for module in (plain, own):
        ConvertGpuToNvvmPass().apply(context(), module)
    assert "nvvm.read.ptx.sreg" in str(plain)
    assert str(plain) == str(own)
