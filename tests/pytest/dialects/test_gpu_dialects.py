"""
`nvvm`, `nvgpu`, and what was added to `gpu`, `llvm` and `vector`, as Python objects.

The text of their ops is tested in `tests/filecheck/dialects`, and these files are the samples
here: every op is in them, is read back from its generic form, and is rebuilt by its constructor.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import gpu as xdsl_gpu
from xdsl.dialects import llvm as xdsl_llvm
from xdsl.dialects import test
from xdsl.dialects import vector as xdsl_vector
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    VectorType,
    f16,
    f32,
    i1,
    i16,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.traits import MemoryEffectKind, get_effects, is_side_effect_free
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects import gpu, llvm, nvgpu, nvvm, vector

from ..harness.modules import print_module

FILES = Path(__file__).parents[2] / "filecheck" / "dialects"

NEW_OPERATIONS: dict[str, tuple[type[Operation], ...]] = {
    "nvvm": (*nvvm.Nvvm.operations,),
    "nvgpu": (*nvgpu.Nvgpu.operations,),
    "gpu": (*gpu.ADDITIONS, *gpu.REPLACEMENTS.values()),
    "llvm": (*llvm.ADDITIONS, *llvm.REPLACEMENTS.values()),
    "vector": (*vector.ADDITIONS, *vector.REPLACEMENTS.values()),
}

OPERATIONS = [op for ops in NEW_OPERATIONS.values() for op in ops]


def context() -> Context:
    """What plain `xdsl-opt` has."""
    ctx = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        ctx.register_dialect(name, factory)
    return ctx


def parse_plain(text: str) -> ModuleOp:
    module = Parser(context(), text).parse_module()
    module.verify()
    return module


SAMPLES = [
    (dialect, name)
    for dialect in NEW_OPERATIONS
    for name in ("ops.mlir", "tcgen05.mlir")
    if (FILES / dialect / name).exists()
]


@cache
def sample_file(dialect: str, name: str) -> ModuleOp:
    return parse_plain((FILES / dialect / name).read_text())


@cache
def samples() -> dict[type[Operation], list[Operation]]:
    found: dict[type[Operation], list[Operation]] = {}
    for dialect, name in SAMPLES:
        for op in sample_file(dialect, name).walk():
            found.setdefault(type(op), []).append(op)
    return found


def value(ty: Attribute) -> SSAValue:
    return test.TestOp(result_types=[ty]).results[0]


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_every_op_has_a_sample(op: type[Operation]):
    assert op in samples(), f"add {op.name} to {FILES / op.dialect_name() / 'ops.mlir'}"


@pytest.mark.parametrize(("dialect", "name"), SAMPLES)
def test_samples_survive_every_form(dialect: str, name: str):
    module = sample_file(dialect, name)
    generic = print_module(module, generic=True)
    custom = print_module(module, generic=False)
    assert print_module(parse_plain(generic), generic=False) == custom
    assert print_module(parse_plain(custom), generic=True) == generic


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_every_op_is_documented(op: type[Operation]):
    """The docstring of an op shows its form; ops of several ranks share that of one of them."""
    doc = inspect.getdoc(op) or ""
    assert re.sub(r"\.\dd\.", ".2d.", op.name) in doc


@pytest.mark.parametrize(
    ("replacements", "dialect"),
    [
        (gpu.REPLACEMENTS, xdsl_gpu.GPU),
        (llvm.REPLACEMENTS, xdsl_llvm.LLVM),
        (vector.REPLACEMENTS, xdsl_vector.Vector),
    ],
    ids=["gpu", "llvm", "vector"],
)
def test_patterns_of_xdsl_find_what_replaces_its_ops(
    replacements: dict[str, type[Operation]], dialect: Dialect
):
    originals = {op.name: op for op in dialect.operations}
    for name, op in replacements.items():
        assert issubclass(op, originals[name])


@pytest.mark.parametrize("ours", [gpu.GPU, llvm.LLVM, vector.Vector], ids=lambda d: d.name)
def test_nothing_of_xdsl_is_lost(ours: Dialect):
    theirs = {"gpu": xdsl_gpu.GPU, "llvm": xdsl_llvm.LLVM, "vector": xdsl_vector.Vector}[ours.name]
    assert {op.name for op in theirs.operations} <= {op.name for op in ours.operations}
    assert {attr.name for attr in theirs.attributes} <= {attr.name for attr in ours.attributes}
    names = [op.name for op in ours.operations]
    assert len(names) == len(set(names))


def test_what_orders_threads_or_memory_is_never_dead():
    for op in nvvm.Nvvm.operations:
        sample = samples()[op][0]
        orders = any(
            word in op.name
            for word in ("bar", "fence", "cp.async", "wgmma", "shfl", "vote", "match", "redux")
        )
        if orders:
            assert not is_side_effect_free(sample), op.name


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize(
    "register", ["tid", "ctaid", "ntid", "nctaid", "clusterid", "cluster.ctaid"]
)
def test_registers_have_distinct_ops(register: str, axis: str):
    op = nvvm.read_register(f"{register}.{axis}")
    assert op.name == f"nvvm.read.ptx.sreg.{register}.{axis}"
    assert op.result.type == i32
    assert is_side_effect_free(op)


@pytest.mark.parametrize("rank", range(1, 6))
@pytest.mark.parametrize("has_mask", [False, True])
@pytest.mark.parametrize("has_hint", [False, True])
def test_slots_of_tensor_loads(rank: int, has_mask: bool, has_hint: bool):
    shared, tensor_map = value(nvvm.SHARED_POINTER), value(LLVMPointerType())
    coordinates = [value(i32) for _ in range(rank)]
    mask, hint = value(i16), value(i64)
    op = nvvm.BULK_TENSOR_LOADS[rank](
        *(shared, tensor_map, *coordinates, shared),
        multicast_mask=mask if has_mask else None,
        cache_hint=hint if has_hint else None,
    )
    op.verify()
    assert op.name == f"nvvm.cp.async.bulk.tensor.{rank}d.shared.cluster.global.tile"
    assert len(op.operands) == rank + 3 + has_mask + has_hint
    assert (op.dst, op.tensor_map, op.barrier) == (shared, tensor_map, shared)
    assert list(op.coordinates) == coordinates
    assert op.multicast_mask is (mask if has_mask else None)
    assert op.cache_hint is (hint if has_hint else None)
    assert ("multicastEnable" in op.properties) == has_mask
    assert ("cacheHintEnable" in op.properties) == has_hint


@pytest.mark.parametrize("rank", range(1, 6))
@pytest.mark.parametrize("has_hint", [False, True])
def test_slots_of_tensor_stores(rank: int, has_hint: bool):
    shared, tensor_map = value(nvvm.SHARED_POINTER), value(LLVMPointerType())
    coordinates = [value(i32) for _ in range(rank)]
    hint = value(i64)
    op = nvvm.BULK_TENSOR_STORES[rank](
        tensor_map, *coordinates, shared, cache_hint=hint if has_hint else None
    )
    op.verify()
    assert (op.tensor_map, list(op.coordinates), op.src) == (tensor_map, coordinates, shared)
    assert op.cache_hint is (hint if has_hint else None)


def test_types_keep_their_parameters():
    text = (
        "!nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3 : i64>, swizzle = swizzle_128b, "
        "l2promo = l2promo_none, oob = zero, interleave = none>"
    )
    ty = Parser(context(), text).parse_type()
    assert isinstance(ty, nvgpu.TensorMapDescriptorType)
    assert str(ty) == text
    assert ty.get("swizzle") == StringAttr("swizzle_128b")
    assert ty.get("nonsense") is None
    assert str(nvgpu.TensorMapDescriptorType()) == "!nvgpu.tensormap.descriptor"
    group = Parser(context(), "!nvgpu.mbarrier.group<num_barriers = 4>").parse_type()
    assert isinstance(group, nvgpu.MBarrierGroupType)
    assert group.num_barriers == 4
    assert nvgpu.MBarrierGroupType().num_barriers == 1


def test_orderings_have_the_numbers_of_llvm():
    numbers = {ordering.value: ordering.attr.value.data for ordering in llvm.AtomicOrdering}
    assert numbers == {
        **{"not_atomic": 0, "unordered": 1, "monotonic": 2},
        **{"acquire": 4, "release": 5, "acq_rel": 6, "seq_cst": 7},
    }
    assert all(
        llvm.AtomicOrdering.of(ordering.attr) is ordering for ordering in llvm.AtomicOrdering
    )
    assert all(llvm.AtomicBinOp.of(bin_op.attr) is bin_op for bin_op in llvm.AtomicBinOp)


def test_volatile_and_atomic_loads_keep_their_place():
    address = value(nvvm.GLOBAL_POINTER)
    read, write = MemoryEffectKind.READ, MemoryEffectKind.WRITE
    for op, kinds in (
        (llvm.LoadOp(address, i32), {read}),
        (llvm.LoadOp(address, i32, volatile=True), {read, write}),
        (llvm.LoadOp(address, i32, ordering=llvm.AtomicOrdering.MONOTONIC.attr), {read, write}),
        (llvm.StoreOp(value(i32), address), {write}),
        (
            llvm.StoreOp(value(i32), address, ordering=llvm.AtomicOrdering.RELEASE.attr),
            {read, write},
        ),
    ):
        effects = get_effects(op)
        assert effects is not None
        assert {effect.kind for effect in effects} == kinds


def test_constructors():
    """Constructors make valid ops, with the types of results that follow from the operands."""
    x, v4, h2 = value(f32), value(VectorType(f32, [4])), value(VectorType(f16, [2]))
    b, n, wide = value(i1), value(i32), value(i64)
    shared, glob = value(nvvm.SHARED_POINTER), value(nvvm.GLOBAL_POINTER)
    bar = nvgpu.MBarrierCreateOp()
    shape = nvvm.MatrixShapeAttr.of(64, 8, 16)
    types = ["f32", "f16", "f16"]
    ops: list[Operation] = [
        nvvm.BarrierOp(n, n, unaligned=True),
        nvvm.BarrierOp(reduction=nvvm.BarrierReduction.POPC, predicate=b),
        nvvm.WgmmaMmaAsyncOp(wide, wide, v4, shape=shape, types=types, scale_d=False, k_steps=2),
        nvvm.WgmmaWaitGroupOp([v4, x], 1),
        nvvm.LdMatrixOp(shared, 4, trans=True),
        nvvm.ShflOp(nvvm.ShuffleKind.BFLY, n, x, n, n, return_value_and_is_valid=True),
        nvvm.VoteSyncOp(n, b, nvvm.VoteKind.BALLOT),
        nvvm.MatchSyncOp(n, n, nvvm.MatchKind.ALL),
        nvvm.Ex2ApproxOp(v4, ftz=True),
        nvvm.AddOp(x, x, nvvm.RoundingMode.RZ, ftz=True),
        nvvm.CvtFpextX2Op(h2, VectorType(f32, [2])),
        nvgpu.WarpgroupMmaOp(wide, wide, v4, shape=(64, 8, 16), types=types, is_async=True),
        nvgpu.WarpgroupWaitOp([v4], IntegerAttr(1, i32)),
        nvgpu.LdMatrixOp(shared, 2),
        nvgpu.MBarrierArriveOp(bar),
        nvgpu.RcpOp(v4),
        gpu.ShuffleOp(x, n, n, gpu.ShuffleMode.XOR),
        gpu.SubgroupReduceOp(x, gpu.Reduction.ADD, uniform=True),
        gpu.PrintfOp("%f", [x]),
        llvm.AtomicRMWOp(glob, x, llvm.AtomicBinOp.FADD.attr, llvm.AtomicOrdering.MONOTONIC.attr),
        llvm.LoadOp(
            glob, f32, 16, llvm.AtomicOrdering.ACQUIRE.attr, syncscope="device", volatile=True
        ),
        llvm.FCmpOp(v4, v4, "olt"),
        llvm.IntToPtrOp(wide, nvvm.SHARED_POINTER),
        llvm.ExtractElementOp(v4, n),
        vector.FromElementsOp([x, x]),
        vector.ExtractOp(v4, [1]),
        vector.ExtractStridedSliceOp(v4, [2], [2]),
    ]
    for op in ops:
        op.verify()


WRONG_TYPES = (i1, f16, VectorType(f32, [2, 3]), VectorType(i32, []), LLVMPointerType())
WRONG_ATTRIBUTES = (StringAttr("nonsense"), UnitAttr(), IntegerAttr(-7, 32), ArrayAttr(()))


def corrupted(op: Operation) -> Iterator[Operation]:
    """The op with one thing of it wrong."""
    for index in range(len(op.operands)):
        fewer = op.clone()
        fewer.operands = [*op.operands[:index], *op.operands[index + 1 :]]
        yield fewer
        for ty in WRONG_TYPES:
            other = op.clone()
            other.operands[index] = value(ty)
            yield other
    for index in range(len(op.results)):
        for ty in WRONG_TYPES:
            types = [*op.result_types[:index], ty, *op.result_types[index + 1 :]]
            yield op.create(
                operands=op.operands,
                result_types=types,
                properties=op.properties,
                successors=op.successors,
            )
    for name in op.properties:
        for attribute in (None, *WRONG_ATTRIBUTES):
            other = op.clone()
            if attribute is None:
                del other.properties[name]
            else:
                other.properties[name] = attribute
            yield other


@pytest.mark.every(3)
@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_verifiers_and_printers_never_crash(op: type[Operation]):
    """What is wrong is refused by a diagnostic; what is not refused can be printed."""
    for sample in samples()[op]:
        for other in corrupted(sample):
            try:
                other.verify_()
            except VerifyException:
                continue
            str(other)
