"""
Conversions between layouts: the code of every kind of plan, run by the interpreter of threads and
compiled by ptxas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.gpu import ModuleOp as GpuModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis import layout_conversion
from tileiras_xdsl.analysis.layout_conversion import (
    Identity,
    LocalSelect,
    Plan,
    Renaming,
    Shuffles,
    ThroughShared,
    plan_conversion,
)
from tileiras_xdsl.analysis.linear_layout import LinearLayout, blocked
from tileiras_xdsl.analysis.matrix_layouts import mma_a, mma_accumulator, mma_b
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.dialects.nvvm.fragments import FragmentLoadOp, FragmentStoreOp, element_bits
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.targets.target import target_of
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.conversion_pass import convert_module
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.exchange import (
    ElementOffsets,
    convert_value,
    emit_offsets,
    from_shared_type,
    stored_type,
    to_shared_type,
)
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.lowering_registry import LOWERINGS
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.thread_builder import (
    ThreadBuilder,
    index_pointers,
)
from tileiras_xdsl.transforms.tileas.kernel_model import layout_rules
from tileiras_xdsl.transforms.tileas.kernel_model.exchanges import Exchange, KernelModel
from tileiras_xdsl.transforms.tileas.kernel_model.requirements import exchange_bytes

from ...harness.cases import every
from ...harness.kernels import POINTER, gpu_kernel, gpu_module, num_warps
from ...harness.modules import parse, parse_type
from ...harness.passes import compile_threads

MARK = "test.op"
"""The op of level 2 that stands for the conversion under test."""

ELEMENTS = ("i1", "i8", "f16", "bf16", "i32", "f32", "f64", "i64", "!llvm.ptr<1>")


def numbers(layout: LinearLayout) -> NDArray[np.int64]:
    """The number of the element in each register of each thread."""
    registers = [layout.element(register=index) for index in range(layout.registers)]
    threads = [
        layout.element(lane=thread % 32, warp=thread // 32) for thread in range(layout.threads)
    ]
    return np.array(threads, np.int64)[:, None] ^ np.array(registers, np.int64)[None, :]


def make_module(
    source: LinearLayout, target: LinearLayout, element: str, arch: str = "sm_80"
) -> ModuleOp:
    """
    A kernel in which each thread reads its registers from one array, thread after thread,
    converts them, and writes them to another.
    """
    ty = parse_type(element)
    parameters = [f"%in: {POINTER}", f"%out: {POINTER}"]
    mark = '"test.op"() : () -> ()'
    function = gpu_kernel(mark, parameters, attributes=[num_warps(source.warps)])
    module = parse(gpu_module(function))

    def lower_mark(builder: ThreadBuilder, op: Operation) -> None:
        function = op.parent_op()
        assert isinstance(function, FuncOp)
        first, second = (builder.lookup(argument) for argument in function.body.block.args)
        addresses = registers_of_threads(builder, first, source, ty)
        read = FragmentLoadOp(
            addresses, result_type=VectorType(stored_type(ty), [source.registers])
        )
        value = from_shared_type(builder, builder.emit(read).result, ty)
        result = convert_value(builder, value, source, target)
        assert result.type == VectorType(ty, [target.registers])
        addresses = registers_of_threads(builder, second, target, ty)
        builder.emit(FragmentStoreOp(to_shared_type(builder, result), addresses))

    def exchanges(model: KernelModel, op: Operation) -> Sequence[Exchange]:
        return model.conversion(ty, source, target) if op.name == MARK else ()

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(LOWERINGS, MARK, lower_mark)
        patch.setattr(KernelModel, "exchanges", exchanges)
        for op in module.body.block.ops:
            assert isinstance(op, GpuModuleOp)
            convert_module(op, target_of(ComputeCapability.parse(arch)))
    module.verify()
    return module


def registers_of_threads(
    builder: ThreadBuilder, base: SSAValue, layout: LinearLayout, ty: Attribute
) -> SSAValue:
    """Addresses in an array that has the registers of one thread after those of another."""
    count = layout.registers
    lane = [count << bit for bit in range(5)]
    warp = [count << 5 + bit for bit in range(len(layout.warp))]
    offsets = emit_offsets(builder, ElementOffsets(lane, warp, range(count)))
    return index_pointers(builder, base, offsets, stored_type(ty))


def check(source: LinearLayout, target: LinearLayout, element: str, arch: str = "sm_80"):
    """Runs a conversion and compares."""
    module = make_module(source, target, element, arch)
    ty = stored_type(parse_type(element))
    size = element_bits(ty) // 8
    random = np.random.default_rng(source.elements)
    limit = 2 if element == "i1" else 1 << min(8 * size - 2, 30)
    values = random.integers(0, limit, source.elements).astype(f"u{size}")
    before = values[numbers(source)]
    after = np.zeros_like(values[numbers(target)])
    run(module, grid=(1,), args=[before, after], check=["races"])
    np.testing.assert_array_equal(after, values[numbers(target)])


def plan_of(source: LinearLayout, target: LinearLayout, element: str, arch: str) -> Plan:
    """What the lowering chooses."""
    plans: list[Plan] = []

    def remember(*arguments: object, **options: object) -> Plan:
        plan = plan_conversion(*arguments, **options)  # pyright: ignore[reportArgumentType]
        plans.append(plan)
        return plan

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout_rules, "plan_conversion", remember)
        layout_rules.conversion_steps.cache_clear()
        make_module(source, target, element, arch)
    return plans[0]


def within_warp() -> tuple[LinearLayout, LinearLayout]:
    source = LinearLayout.distributed((512,), [1, 2, 4], [8, 16, 32, 64, 128], [256])
    return source, source.replaced(register=[8, 2, 4], lane=[1, 32, 16, 64, 128])


def replicated() -> tuple[LinearLayout, LinearLayout]:
    source = LinearLayout.distributed((16,), [1, 2, 4, 8], [0] * 5, [0])
    return source, LinearLayout.distributed((16,), [2, 1], [0, 4, 0, 0, 0], [8])


def required(layout: LinearLayout | None) -> LinearLayout:
    assert layout is not None
    return layout


EXAMPLES: dict[str, tuple[LinearLayout, LinearLayout, type[Plan]]] = {
    "same elements": (
        blocked((64, 4), 2),
        blocked((64, 4), 2).reshape((4, 64)),
        Identity,
    ),
    "renaming": (
        blocked((32, 64), 2, vector=4),
        blocked((32, 64), 2, vector=4).replaced(register=[1024, 0, 512, 256, 2, 1]),
        Renaming,
    ),
    "selects": (*replicated(), LocalSelect),
    "shuffles": (*within_warp(), Shuffles),
    "transpose": (
        blocked((32, 32), 4, vector=4),
        blocked((32, 32), 4, vector=4, order=(0, 1)),
        ThroughShared,
    ),
    "copies": (
        blocked((64, 64), 4, vector=4).slice(1),
        blocked((64,), 4, vector=2),
        ThroughShared,
    ),
    "one element": (
        blocked((1,), 4),
        blocked((1,), 4).replaced(register=[0, 0]),
        Renaming,
    ),
}


@pytest.mark.every(4)
@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_kinds(name: str, element: str):
    source, target, kind = EXAMPLES[name]
    if element in ("i32", "f32"):
        assert isinstance(plan_of(source, target, element, "sm_80"), kind)
    check(source, target, element)


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("element", "shape", "layout"),
    [
        ("f16", (64, 64), mma_a((64, 64), 2, 2, 16)),
        ("bf16", (64, 64), mma_b((64, 64), 2, 2, 16)),
        ("i8", (64, 64), mma_a((64, 64), 2, 2, 8)),
        ("i8", (64, 64), mma_b((64, 64), 2, 2, 8)),
        ("f32", (64, 64), mma_a((64, 64), 2, 2, 32)),
        ("f64", (32, 32), mma_b((32, 32), 2, 2, 64)),
        ("f32", (64, 64), mma_accumulator((64, 64), 2, 2)),
        ("f16", (64, 64), mma_accumulator((64, 64), 2, 2)),
        ("f16", (4, 16, 64), mma_b((4, 16, 64), 1, 1, 16, warps_batch=4)),
    ],
)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_operands(element: str, shape: tuple[int, ...], layout: LinearLayout, arch: str):
    bits = 8 if element == "i8" else int(element.lstrip("bf"))
    plain = blocked(shape, 4, vector=min(8, 128 // bits))
    check(plain, layout, element, arch)
    check(layout, plain, element, arch)


def test_matrices_are_used():
    plain = blocked((64, 64), 4, vector=8)
    text = str(make_module(plain, required(mma_b((64, 64), 1, 4, 16)), "f16"))
    assert text.count("nvgpu.ldmatrix") == 4
    assert "transpose = true" in text
    back = (required(mma_b((64, 64), 1, 4, 16)), plain, "f16")
    assert str(make_module(*back, "sm_90")).count("nvvm.stmatrix") == 4
    assert "stmatrix" not in str(make_module(*back, "sm_80"))


def test_rounds():
    """A tile of 64 KB takes two rounds in 32 KB."""
    source = required(mma_accumulator((128, 128), 2, 2))
    target = blocked((128, 128), 4, vector=4)
    text = str(make_module(source, target, "f32"))
    assert text.count("nvvm.fragment.store") == 3
    assert text.count("gpu.barrier") == 3
    assert "!llvm.array<32768 x i8>" in text
    check(source, target, "f32")


@pytest.mark.part("kernels")
@pytest.mark.every(3, first=2)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_120"])
def test_transposition_of_a_large_tile(arch: str):
    """No element can wait for a later round, so it goes by way of an intermediate layout."""
    source = blocked((256, 512), 16, vector=4, order=(0, 1))
    target = blocked((256, 512), 16, vector=4)
    plan = plan_of(source, target, "f32", arch)
    assert isinstance(plan, ThroughShared)
    assert plan.bytes == 4 * 256 * 512
    check(source, target, "f32", arch)


def test_scratch_is_counted_in_whole_tma_tiles():
    """Buffers of an exchange are live together; of several exchanges the largest counts."""
    found = [Exchange((1, 1025)), Exchange((2048,)), Exchange((1024,))]
    op = ModuleOp([])
    model: Any = SimpleNamespace(exchanges={op: found}.get)
    assert exchange_bytes(model, op) == 1024 + 2048


def test_warps_that_need_no_others_do_not_wait():
    source = LinearLayout.distributed((2048,), [1, 2, 4, 8, 16], [32, 64, 128, 256, 512], [1024])
    target = source.replaced(register=source.lane, lane=source.register)
    text = str(make_module(source, target, "f32"))
    assert text.count("nvvm.bar.warp.sync") == 1
    assert "gpu.barrier" not in text
    check(source, target, "f32")


COSTS: dict[str, dict[str, float]] = {
    "as it is": {},
    "no memory": {"SHUFFLE_COST": 0.0, "BLOCK_SYNC_COST": 1e9, "WARP_SYNC_COST": 1e9},
    "memory": {"SHUFFLE_COST": 1e9, "SELECT_COST": 1e9},
}


@pytest.mark.every(12, first=7)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cost", COSTS)
def test_random_layouts(seed: int, cost: str, monkeypatch: pytest.MonkeyPatch):
    random = Random(seed)
    for name, value in COSTS[cost].items():
        monkeypatch.setattr(layout_conversion, name, value)
    plan_conversion.cache_clear()
    for _ in range(12):
        bits, warps = random.randint(0, 10), random.choice([1, 2, 4])
        source, target = (draw_layout(random, bits, warps) for _ in range(2))
        if random.random() < 0.5:
            bases = [*source.register, *source.lane]
            random.shuffle(bases)
            count = len(source.register)
            target = source.replaced(register=bases[:count], lane=bases[count:])
        if max(source.registers, target.registers) <= 64:
            check(source, target, random.choice(ELEMENTS), random.choice(["sm_80", "sm_90"]))
    plan_conversion.cache_clear()


def draw_layout(random: Random, bits: int, warps: int) -> LinearLayout:
    """A layout of single bits in random places, some of them copies."""
    base = blocked((1 << bits,), warps)
    bases = [*base.register, *base.lane, *base.warp, *[0] * random.randint(0, 2)]
    random.shuffle(bases)
    threads = 5 + len(base.warp)
    return base.replaced(register=bases[threads:], lane=bases[:5], warp=bases[5:threads])


@pytest.mark.part("kernels")
@pytest.mark.parametrize("arch", every(3, ["sm_90", "sm_80", "sm_120"]))
def test_compiles(arch: str, oracle_program: Callable[[str], Path]):
    ptxas = Ptxas(oracle_program("ptxas"))
    plain = blocked((64, 64), 4, vector=8)
    modules = [
        make_module(source, target, element, arch)
        for index, (source, target, _) in enumerate(EXAMPLES.values())
        for element in (ELEMENTS[index % len(ELEMENTS)], ELEMENTS[-1 - index])
    ]
    modules.append(make_module(plain, required(mma_b((64, 64), 2, 2, 16)), "f16", arch))
    modules.append(make_module(required(mma_b((64, 64), 1, 4, 16)), plain, "f16", arch))
    target = NvptxTarget.parse(arch)
    for module in modules:
        ptx = compile_threads(module, arch, opt=2)
        assert ptxas.compile(ptx, target).cubin.startswith(b"\x7fELF")
