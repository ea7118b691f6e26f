"""The pool of barriers, what a failure leaves behind, options, and types of tokens."""

from __future__ import annotations

import gc

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import FunctionType, IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.dialects.nv_tileaa.decisions import COMPUTE_CAPABILITY
from tileiras_xdsl.dialects.nv_tileaa.memory import (
    TOKEN_TYPES,
    CreateMemTokenOp,
    JoinMemTokenOp,
    get_scope,
    is_token,
)
from tileiras_xdsl.dialects.nv_tileaa.types import (
    MEM_TOKEN,
    MemRefType,
    MemTokenType,
    PtrType,
    TiledViewType,
)
from tileiras_xdsl.targets.machine import CapabilityOption, ComputeCapability
from tileiras_xdsl.targets.target import target_of
from tileiras_xdsl.transforms.common.kernel_spec import get_target
from tileiras_xdsl.transforms.tileas.convert_tileaa_to_tileas import (
    ConvertTileaaToTileasPass,
)
from tileiras_xdsl.transforms.tileas.kernel_model.requirements import available

from ..harness.modules import count, parse
from ..harness.passes import apply

TOKEN = "!nv_tileaa.mem_token"


def function(name: str, tokens: int) -> str:
    creates = "\n".join(
        f"  %t{number} = nv_tileaa.create_mem_token : {TOKEN}" for number in range(tokens)
    )
    return f"func.func @{name}() {{\n{creates}\n  func.return\n}}\n"


# The pool


@pytest.mark.requirement("E-21")
def test_every_token_takes_a_slot():
    module = parse(function("f", 32) + function("g", 32))
    apply(module, ConvertTileaaToTileasPass())
    assert count(module, "nvvm.mbarrier.init.shared") == 64
    assert count(module, "llvm.mlir.global") == 2
    texts = [str(op) for op in module.walk() if op.name == "llvm.getelementptr"]
    for slot in range(32):
        assert sum(f"[0, {slot}]" in text for text in texts) == 2


@pytest.mark.requirement("E-22", "I-18")
def test_a_token_too_many_fails():
    module = parse(function("f", 2) + function("g", 33))
    before = module.clone()
    with pytest.raises(PassFailedException) as failure:
        apply(module, ConvertTileaaToTileasPass())
    message = str(failure.value)
    assert "'nv_tileaa.create_mem_token' op needs a barrier for its token '%t32'" in message
    assert "but @g has taken all 32" in message
    assert module.is_structurally_equivalent(before)
    module.verify()


@pytest.mark.requirement("E-22")
def test_tokens_of_accesses_count():
    store = f"nv_tileaa.store %p, %v : !llvm.ptr<1>, i32 -> {TOKEN}"
    module = parse(
        "func.func @f(%p: !llvm.ptr<1>, %v: i32) {\n"
        + "\n".join(f"%t{number} = nv_tileaa.create_mem_token : {TOKEN}" for number in range(32))
        + f"\n%s = {store}\n%j = nv_tileaa.join_mem_token [%s] : {TOKEN}\nfunc.return\n}}"
    )
    with pytest.raises(PassFailedException, match=r"'nv_tileaa.store' op .* token '%s', but @f"):
        apply(module, ConvertTileaaToTileasPass())


@pytest.mark.requirement("I-18")
def test_a_shortage_of_shared_memory_fails():
    module = parse(
        function("f", 1)
        + '"nv_tileaa.execute"() {max_registers = 64 : i32, named_barriers = 1 : i32, '
        "shared_memory_bytes = 232449 : i64, tensor_memory_bytes = 0 : i64, "
        "input_layouts = [], output_layouts = []} : () -> ()"
    )
    before = module.clone()
    text = "'nv_tileaa.execute' op needs 232449 bytes of shared memory, but sm_90a has 232448"
    with pytest.raises(PassFailedException, match=text):
        apply(module, ConvertTileaaToTileasPass("sm_90a"))
    assert module.is_structurally_equivalent(before)


def test_a_module_without_tokens_stays():
    module = parse("func.func @f(%x: i32) -> i32 {\n  func.return %x : i32\n}")
    before = module.clone()
    apply(module, ConvertTileaaToTileasPass())
    assert module.is_structurally_equivalent(before)


def test_the_second_run_changes_nothing():
    module = parse(function("f", 3))
    apply(module, ConvertTileaaToTileasPass())
    before = module.clone()
    apply(module, ConvertTileaaToTileasPass())
    assert module.is_structurally_equivalent(before)


# Options


@pytest.mark.parametrize(
    ("option", "name"),
    [("sm_90", "sm_90"), ("sm_90a", "sm_90a"), (90, "sm_90"), (9.0, "sm_90"), (None, "sm_80")],
)
def test_capability(option: CapabilityOption, name: str):
    assert get_target(ModuleOp([]), option).name == name


@pytest.mark.parametrize("attribute", [IntegerAttr(120, i32), StringAttr("sm_120")])
def test_capability_of_module(attribute: IntegerAttr | StringAttr):
    module = ModuleOp([], {COMPUTE_CAPABILITY.name: attribute})
    assert get_target(module, None).name == "sm_120"
    assert get_target(module, "sm_100f").name == "sm_100f"


@pytest.mark.parametrize("option", ["", "banana", "sm_", 5, "9.0.0"])
def test_malformed_capability(option: CapabilityOption):
    with pytest.raises(PassFailedException, match="'compute-capability' is invalid or missing"):
        get_target(ModuleOp([]), option)


@pytest.mark.parametrize(
    ("names", "shared", "tensor"),
    [
        (("sm_80", "sm_87"), 166912, 0),
        (("sm_86", "sm_89", "sm_120", "sm_121"), 101376, 0),
        (("sm_90",), 232448, 0),
        (("sm_100", "sm_103", "sm_110"), 232448, 262144),
    ],
)
def test_resources(names: tuple[str, ...], shared: int, tensor: int):
    for name in names:
        resources = available(target_of(ComputeCapability.parse(name)))
        assert tuple(resources.values()) == (255, 16, shared, tensor)


# Types of tokens


def make_function() -> tuple[FuncOp, test.TestOp]:
    pointers = test.TestOp(result_types=[LLVMPointerType(), MemRefType(i32, [4], [1], 1, 7)])
    body = Region(Block([pointers, ReturnOp()]))
    return FuncOp("f", FunctionType.from_lists([], []), body), pointers


@pytest.mark.requirement("E-11")
def test_a_token_carries_no_data():
    assert MEM_TOKEN.parameters == ()
    assert isinstance(
        JoinMemTokenOp(CreateMemTokenOp(), CreateMemTokenOp()).result.type, type(MEM_TOKEN)
    )


@pytest.mark.requirement("E-24")
def test_the_type_is_inferred_from_the_scope():
    func, pointers = make_function()
    first = CreateMemTokenOp(pointers.results)
    assert first.result.type is TOKEN_TYPES.get(func, pointers.results)
    explicit = MemTokenType()
    assert CreateMemTokenOp(pointers.results, explicit).result.type is explicit


@pytest.mark.requirement("E-25")
def test_one_scope_has_one_type_object():
    func, pointers = make_function()
    block = func.body.block
    types = {
        id(CreateMemTokenOp(scope, function=func).result.type)
        for scope in ((), pointers.results, pointers.results[:1], pointers.results[::-1])
        for _ in range(3)
    }
    assert len(types) == 1
    inner = CreateMemTokenOp(pointers.results)
    block.insert_op_after(inner, pointers)
    assert id(inner.result.type) in types


@pytest.mark.requirement("E-26")
def test_tokens_are_recognised_by_type():
    assert is_token(MEM_TOKEN)
    assert is_token(MemTokenType())
    assert not is_token(i32)
    assert not is_token(StringAttr(str(MEM_TOKEN)))


def test_scopes_are_alias_sets():
    memref = MemRefType(i32, [4], [1], 1, 7)
    values = test.TestOp(
        result_types=[memref, TiledViewType([4], memref), PtrType(i32, 3), i32]
    ).results
    assert get_scope(values) == {(1, 7), (3, 0)}
    assert get_scope(values[:2]) == get_scope(values[:1])
    assert get_scope(()) == frozenset()


def test_types_of_a_function_that_is_gone_are_gone():
    # Collections of all that earlier tests have left take a second.
    gc.freeze()
    before = len(TOKEN_TYPES)
    func, pointers = make_function()
    CreateMemTokenOp(pointers.results)
    assert len(TOKEN_TYPES) == before + 1
    del func, pointers
    gc.collect()
    assert len(TOKEN_TYPES) == before
