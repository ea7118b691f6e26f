"""
`nv_tileaa` and `arith` as Python objects.

The text of their ops is tested in `tests/filecheck/dialects/nv_tileaa`, and these files are the
samples here: every op is in them, every constructor rebuilds what they hold, and effects decide
what dead code elimination leaves of them.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith as xdsl_arith
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    VectorType,
    bf16,
    f8E4M3FN,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.traits import (
    IsTerminator,
    MemoryEffectKind,
    Pure,
    get_effects,
    is_side_effect_free,
    only_has_effect,
)
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import (
    CommonSubexpressionElimination,
)
from xdsl.transforms.dead_code_elimination import DeadCodeElimination
from xdsl.utils.exceptions import ParseError, VerifyException

from tileiras_xdsl import load
from tileiras_xdsl.dialects import arith
from tileiras_xdsl.dialects.building import operations_in
from tileiras_xdsl.dialects.cuda_tile.types import fnv8E5M3FNU
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa import (
    NvTileaa,
    aggregate,
    elementwise,
    matmul,
    memory,
    queues,
    shape,
    views,
)
from tileiras_xdsl.dialects.nv_tileaa import memory as tokens
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    BoundedAttr,
    DivByAttr,
    Elementwise,
    KernelSpecAttr,
    SameElementsAttr,
    get_element,
    get_shape,
    with_element,
    with_shape,
)
from tileiras_xdsl.dialects.nv_tileaa.types import (
    MEM_TOKEN,
    PADDINGS,
    MemRefType,
    MemTokenType,
    ProgramIdType,
    PtrType,
    QueueType,
    TiledViewType,
)
from tileiras_xdsl.frontend.text import TextParser
from tileiras_xdsl.transforms.tileaa.canonicalize_tileaa import CanonicalizeTileaaPass
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
    ConvertCudaTileToTileaaPass,
)

from ..harness.cases import every
from ..harness.modules import context
from ..harness.passes import applied, apply

SAMPLES = Path(__file__).parents[2] / "filecheck" / "dialects" / "nv_tileaa"
FAMILIES = (
    *("aggregate", "attributes", "elementwise", "matmul", "memory"),
    *("queues", "shape", "tokens", "types", "views"),
)


@cache
def sample(family: str) -> ModuleOp:
    return load(SAMPLES / f"{family}.mlir")


def own_ops(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if op.dialect_name() == NvTileaa.name]


def sample_ops() -> list[Operation]:
    return [op for family in FAMILIES for op in own_ops(sample(family))]


def run(module: ModuleOp, *passes: ModulePass) -> list[str]:
    """Runs passes on a copy; the names of the ops that are left."""
    return [op.name for op in own_ops(applied(module, *passes))]


# Samples


def test_samples_hold_every_op():
    missing = {op.name for op in NvTileaa.operations} - {op.name for op in sample_ops()}
    assert missing == set()


def test_every_family_has_samples_of_its_own_ops_and_faults():
    modules = (aggregate, elementwise, matmul, memory, queues, shape, tokens, views)
    registered = {op for op in operations_in(*modules)}
    assert registered == set(NvTileaa.operations)
    files = {path.stem for path in SAMPLES.glob("*.mlir")}
    assert set(FAMILIES) <= files
    assert files - set(FAMILIES) == {
        f"{family}_invalid" for family in FAMILIES if family not in ("tokens", "types")
    } | {"parse_invalid"}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("is_generic", [False, True])
def test_samples_round_trip(family: str, is_generic: bool):
    output = StringIO()
    Printer(stream=output, print_generic_format=is_generic).print_op(sample(family))
    parsed = load(output.getvalue())
    assert parsed.is_structurally_equivalent(sample(family))
    assert str(parsed) == str(sample(family))


# Constructors


def _rebuild_unary(op: elementwise.UnaryOperation) -> Operation:
    return type(op)(op.operands[0], op.properties)


def _rebuild_conversion(op: elementwise.ConversionOperation) -> Operation:
    return type(op)(op.operands[0], op.results[0].type, op.properties)


def _rebuild_binary(
    op: elementwise.BinaryOperation | elementwise.ComparisonOperation,
) -> Operation:
    lhs, rhs = op.operands
    return type(op)(lhs, rhs, op.properties)


def _without_segments(op: Operation) -> dict[str, Attribute]:
    return {key: value for key, value in op.properties.items() if key != "operandSegmentSizes"}


def rebuild(op: Operation) -> Operation | None:
    """The op as its constructor makes it, or none if it has no constructor of its own."""
    properties = _without_segments(op)
    match op:
        case elementwise.UnaryOperation():
            return _rebuild_unary(op)
        case elementwise.BinaryOperation() | elementwise.ComparisonOperation():
            return _rebuild_binary(op)
        case elementwise.ConversionOperation():
            return _rebuild_conversion(op)
        case elementwise.FmaOp():
            return elementwise.FmaOp(op.lhs, op.rhs, op.acc, properties)
        case elementwise.FPowIOp():
            return elementwise.FPowIOp(op.source, op.exponent)
        case shape.SplatOp() | shape.ViewOp() | shape.BroadcastOp():
            return type(op)(op.source, op.result.type)
        case shape.ExpandDimsOp():
            return shape.ExpandDimsOp(op.source, op.get_axis())
        case shape.PermuteOp():
            return shape.PermuteOp(op.source, op.get_permutation())
        case shape.CatOp():
            return shape.CatOp(op.lhs, op.rhs, op.result.type, op.dim.value.data)
        case shape.ExtractOp():
            return shape.ExtractOp(op.source, op.indices, op.result.type)
        case shape.InsertOp():
            return shape.InsertOp(op.source, op.destination, op.indices)
        case shape.MakeRangeOp():
            return shape.MakeRangeOp(op.start, op.end, op.result.type)
        case shape.AssumeOp():
            return shape.AssumeOp(op.value, op.predicate)
        case matmul.DotOp():
            return matmul.DotOp(op.a, op.b, op.accumulator, properties)
        case aggregate.AggregateOperation():
            return type(op)(op.operands, op.result_types, op.body.clone(), dict(properties))
        case aggregate.YieldOp() | queues.QueueYieldOp():
            return type(op)(*op.operands)
        case tokens.CreateMemTokenOp():
            producers = None if op.num_producers is None else op.get_num_producers()
            return tokens.CreateMemTokenOp(op.scope, num_producers=producers)
        case tokens.JoinMemTokenOp():
            return tokens.JoinMemTokenOp(*op.tokens)
        case _:
            return rebuild_access(op)


def rebuild_access(op: Operation) -> Operation | None:
    """The same for memory, views and queues."""
    properties = _without_segments(op)
    match op:
        case memory.AddPtrOp():
            return memory.AddPtrOp(op.base, op.offset, op.elem_type)
        case memory.LoadOp():
            return memory.LoadOp(
                op.pointer, op.mask, op.other, op.token, op.result.type, properties
            )
        case memory.StoreOp() | memory.AtomicRMWOp():
            return type(op)(op.pointer, op.value, op.mask, op.token, properties)
        case memory.AtomicCASOp():
            return memory.AtomicCASOp(
                op.pointer, op.compare, op.replacement, op.mask, op.token, properties
            )
        case memory.TokenOperation():
            return type(op)(op.token)
        case memory.GetGlobalOp():
            return memory.GetGlobalOp(op.result.type, op.global_name)
        case memory.PrintOp():
            with_token = op.result_token is not None
            return memory.PrintOp(op.str_, op.arguments, op.token, with_token=with_token)
        case memory.AssertOp():
            return memory.AssertOp(op.condition, op.message)
        case views.MakeMemrefOp() if op.offset is None:
            return views.MakeMemrefOp(op.base, op.sizes, op.strides, op.result.type)
        case views.BlockTileOp(result=SSAValue(type=TiledViewType() as view)):
            return views.BlockTileOp(op.memref, view)
        case views.TileLoad():
            return type(op)(op.view, op.indices, op.token, op.result.type, properties)
        case views.TileStore():
            return type(op)(op.value, op.view, op.indices, op.mask, op.token, properties)
        case views.TiledAtomicRMWOp():
            return views.TiledAtomicRMWOp(op.view, op.indices, op.value, op.token, properties)
        case views.GetTensorShapeOp() | views.GetIndexSpaceShapeOp():
            return type(op)(op.source, op.result_types)
        case queues.CreateQueueOp(result=SSAValue(type=QueueType() as queue)):
            return queues.CreateQueueOp(queue)
        case queues.QueueGetOp() if op.consumer_idx is None:
            return queues.QueueGetOp(op.queue, op.result_types, op.body.clone())
        case queues.QueuePutOp():
            return queues.QueuePutOp(op.queue, op.values)
        case queues.PragmaOp() if op.payload_results is None:
            return queues.PragmaOp(op.arguments, op.result_types, op.body.clone())
        case _:
            return None


HAS_NO_CONSTRUCTOR = {
    *(memory.AllocaOp, memory.GlobalOp, matmul.MmaFScaledOp, matmul.PackOp, matmul.UnpackOp),
    *(queues.MarkForReuseOp, queues.ExecuteOp, queues.PluginOp),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_constructors_build_what_the_parser_parses(family: str):
    for op in own_ops(sample(family)):
        built = rebuild(op)
        if built is None:
            continue
        # Accesses are built with a token, which lowered ones have not.
        built.attributes = dict(op.attributes)
        if len(built.results) == len(op.results):
            assert built.is_structurally_equivalent(op), op
        else:
            assert built.result_types == (*op.result_types, MEM_TOKEN)
        built.erase()


def test_every_other_op_has_a_constructor():
    rebuilt = {type(op) for op in sample_ops() if rebuild(op) is not None}
    assert set(NvTileaa.operations) - rebuilt == HAS_NO_CONSTRUCTOR


def values(*types: Attribute) -> tuple[SSAValue, ...]:
    return test.TestOp(result_types=types).results


def test_constructors_infer_result_types():
    scalar, tile = values(f32, TensorType(i32, [8, 4]))
    assert elementwise.CmpFOp(scalar, scalar).result.type == i1
    assert elementwise.CmpIOp(tile, tile).result.type == TensorType(i1, [8, 4])
    assert shape.ExpandDimsOp(tile, 1).result.type == TensorType(i32, [8, 1, 4])
    assert shape.ExpandDimsOp(scalar, 0).result.type == TensorType(f32, [1])
    assert shape.PermuteOp(tile, (1, 0)).result.type == TensorType(i32, [4, 8])


def test_one_function_has_one_token_type():
    first, second = tokens.CreateMemTokenOp(), tokens.CreateMemTokenOp()
    assert first.result.type is second.result.type is MEM_TOKEN


# Helpers


def test_helpers_treat_scalars_as_elements():
    tile = TensorType(f32, [8, 4])
    assert (get_element(f32), get_shape(f32)) == (f32, ())
    assert (get_element(tile), get_shape(tile)) == (f32, (8, 4))
    assert (with_element(f32, i1), with_element(tile, i1)) == (i1, TensorType(i1, [8, 4]))
    assert (with_shape(tile, ()), with_shape(f32, (2,))) == (f32, TensorType(f32, [2]))


# Traits and effects


def test_elementwise_ops_are_pure():
    marked = {op for op in NvTileaa.operations if op.has_trait(Elementwise)}
    assert marked == set(operations_in(elementwise))
    assert all(op.has_trait(Pure) for op in marked)


def test_ops_without_effects():
    effects = {op for op in NvTileaa.operations if not op.has_trait(Pure)}
    assert effects == {
        *(aggregate.ReduceOp, aggregate.ScanOp),
        *operations_in(memory),
        *(views.TiledLoadOp, views.TiledStoreOp, views.GatherLoadOp, views.ScatterStoreOp),
        views.TiledAtomicRMWOp,
        *operations_in(queues),
    } - {
        *(memory.AddPtrOp, memory.GetGlobalOp, queues.QueueYieldOp),
        *(memory.CreateMemTokenOp, memory.JoinMemTokenOp),
    }


def test_weak_loads_read_and_all_else_is_ordered():
    loads = (memory.LoadOp, views.TiledLoadOp, views.GatherLoadOp)
    seen: set[tuple[bool, str]] = set()
    for op in sample_ops():
        if is_side_effect_free(op) or isinstance(op, memory.GlobalOp):
            continue
        semantic = op.properties.get("mem_semantic")
        is_weak = semantic is None or '"weak"' in str(semantic)
        is_plain = isinstance(op, loads) and is_weak and "volatile" not in op.properties
        seen.add((is_plain, op.name))
        assert is_plain_load(op) == is_plain, op
        assert only_has_effect(op, MemoryEffectKind.READ) == is_plain, op
        assert is_ordered(op) != is_plain, op
    # A load that synchronises or is volatile is in the samples, too.
    assert {(True, "nv_tileaa.load"), (False, "nv_tileaa.load")} <= seen
    assert {(True, "nv_tileaa.tiled_load"), (False, "nv_tileaa.tiled_load")} <= seen


@pytest.mark.parametrize("family", FAMILIES)
def test_dead_code_elimination_leaves_what_has_an_effect(family: str):
    module = sample(family).clone()
    ordered = [op for op in own_ops(module) if is_ordered(op)]
    DeadCodeElimination().apply(context(), module)
    left = own_ops(module)
    assert [op for op in left if is_ordered(op)] == ordered
    assert all(
        is_ordered(op) or any(result.uses for result in op.results) or op.has_trait(IsTerminator)
        for op in left
    )


def is_ordered(op: Operation) -> bool:
    """Whether an op must stay even if nobody uses its results."""
    effects = get_effects(op)
    return effects is None or MemoryEffectKind.WRITE in {effect.kind for effect in effects}


LOADS = """
%p, %t = "test.op"() : () -> (!llvm.ptr<1>, !nv_tileaa.mem_token)
%a, %t1 = nv_tileaa.load %p token(%t) {ATTRIBUTES} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token
BETWEEN
%b, %t2 = nv_tileaa.load %p token(%t) {ATTRIBUTES} : !llvm.ptr<1> -> f32, !nv_tileaa.mem_token
"test.op"(%a, %b) : (f32, f32) -> ()
"""


@pytest.mark.parametrize(
    ("attributes", "between", "count"),
    [
        ("", "", 1),
        ("", "%s = nv_tileaa.store %p, %a : !llvm.ptr<1>, f32 -> !nv_tileaa.mem_token", 2),
        ("volatile", "", 2),
        ('mem_semantic = "weak"', "", 1),
        ('mem_semantic = "relaxed", mem_scope = "gpu"', "", 2),
        ('mem_semantic = "acquire", mem_scope = "gpu"', "", 2),
    ],
)
def test_only_plain_loads_are_merged(attributes: str, between: str, count: int):
    module = load(LOADS.replace("ATTRIBUTES", attributes).replace("BETWEEN", between))
    left = run(module, CommonSubexpressionElimination())
    assert left.count("nv_tileaa.load") == count


# Types and attributes

elements = st.sampled_from(
    [i1, IntegerType(4), i8, i32, i64, f16, bf16, f32, f64, f8E4M3FN, fnv8E5M3FNU]
)
sizes = st.one_of(st.none(), st.integers(1, 2**63 - 1))
powers = st.integers(0, 6).map(lambda exponent: 2**exponent)
spaces = st.sampled_from([0, 1, 3, 101])


@st.composite
def memrefs(draw: st.DrawFn, min_rank: int = 0) -> MemRefType:
    rank = draw(st.integers(min_rank, 4))
    dims = st.lists(sizes, min_size=rank, max_size=rank)
    scope = draw(st.one_of(st.just(0), st.integers(0, 2**32 - 1)))
    return MemRefType(draw(elements), draw(dims), draw(dims), draw(spaces), scope)


@st.composite
def tiled_views(draw: st.DrawFn) -> TiledViewType:
    memref = draw(memrefs(min_rank=1))
    rank = memref.rank
    tile = draw(st.lists(powers, min_size=rank, max_size=rank))
    is_float = not isinstance(memref.element_type, IntegerType)
    steps = st.lists(st.integers(1, 2**31), min_size=rank, max_size=rank)
    return TiledViewType(
        tile,
        memref,
        draw(st.one_of(st.none(), st.permutations(range(rank)))),
        draw(st.one_of(st.none(), steps)),
        draw(st.one_of(st.none(), st.sampled_from([*PADDINGS] if is_float else ["zero"]))),
        draw(st.one_of(st.none(), st.integers(0, rank - 1))),
    )


plain_types = st.one_of(
    elements,
    st.sampled_from([MEM_TOKEN, ProgramIdType(), LLVMPointerType(), TensorType(f32, [8, 4])]),
)
types = st.one_of(
    memrefs(),
    tiled_views(),
    st.builds(PtrType, plain_types, spaces),
    st.builds(QueueType, st.lists(plain_types, max_size=3), isolated=st.booleans()),
)
optional_numbers = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))
counts = st.one_of(st.none(), st.integers(1, 2**31 - 1))
numbers = st.integers(-(2**63), 2**63 - 1)
attributes = st.one_of(
    st.tuples(st.integers(0, 2**63), optional_numbers, optional_numbers).map(DivByAttr),
    st.tuples(optional_numbers, optional_numbers).map(BoundedAttr),
    st.lists(numbers, max_size=4).map(lambda dims: SameElementsAttr(tuple(dims))),
    st.builds(KernelSpecAttr, counts, counts, counts),
)


JUNK_TYPES = (
    *(i1, i8, i32, i64, f16, f32, f64, IndexType(), IntegerType(32, Signedness.SIGNED)),
    *(TensorType(f32, [8]), TensorType(i1, [8]), TensorType(i32, [8, 4]), TensorType(f32, [])),
    *(TensorType(f32, [DYNAMIC_INDEX]), TensorType(f32, [0]), VectorType(f32, [4])),
    *(LLVMPointerType(), TensorType(LLVMPointerType(), [8]), PtrType(f16), MEM_TOKEN, QueueType()),
    MEMREF := MemRefType(f32, [None, 64], [64, 1]),
    *(TiledViewType([8, 16], MEMREF), TiledViewType([8, 16], MEMREF, sparse_dim=0)),
)
JUNK_ATTRIBUTES = (
    *(StringAttr("x"), StringAttr("add"), UnitAttr(), FloatAttr(1.0, f32), DictionaryAttr({}), f32),
    *(IntegerAttr(-1, i32), IntegerAttr(5, i32), IntegerAttr(5, i64), IntegerAttr(5, IndexType())),
    *(ArrayAttr(()), ArrayAttr([ArrayAttr([IntegerAttr(9, i64)])]), SymbolRefAttr("g", ["h"])),
    *(DenseArrayBase.from_list(i32, [1, 1]), DenseArrayBase.from_list(i64, [])),
    *(DivByAttr((4, 4, None)), BoundedAttr((1, 0)), SameElementsAttr((9,)), KernelSpecAttr()),
)


def damage(op: Operation, random: Random) -> ModuleOp:
    """A module with the op, of which some operands, results or properties are others."""
    operands = [operand.type for operand in op.operands]
    results, properties = list(op.result_types), dict(op.properties)
    for _ in range(random.choice((1, 1, 2, 3))):
        types = random.choice((operands, results))
        position = random.randrange(len(types) + 1)
        match random.choice(("type", "fewer", "more", "property", "missing")):
            case "type":
                types[position : position + 1] = [random.choice(JUNK_TYPES)]
            case "fewer":
                del types[position : position + 1]
            case "more":
                types.insert(position, random.choice(JUNK_TYPES))
            case "property" if properties:
                properties[random.choice(list(properties))] = random.choice(JUNK_ATTRIBUTES)
            case "missing" if properties:
                del properties[random.choice(list(properties))]
            case _:
                pass
    regions = [region.clone() for region in op.regions]
    source = test.TestOp(result_types=operands)
    damaged = type(op).create(
        operands=source.results, result_types=results, properties=properties, regions=regions
    )
    return ModuleOp([source, damaged])


@pytest.mark.part("sweeps")
@pytest.mark.parametrize("count", every(2, [1000, 3000]))
def test_verifiers_never_crash_and_what_verifies_round_trips(count: int):
    random = Random(0)
    ops = [op for op in sample_ops() if isinstance(op.parent_op(), ModuleOp)]
    kept = 0
    for _ in range(count):
        module = damage(random.choice(ops), random)
        with suppress(VerifyException):
            module.verify()
            kept += 1
            text = str(module)
            assert str(load(text)) == text
    assert count // 30 < kept < count // 2


def print_attribute(attribute: Attribute) -> str:
    output = StringIO()
    Printer(stream=output).print_attribute(attribute)
    return output.getvalue()


@settings(max_examples=150, deadline=None)
@given(st.one_of(types, attributes))
def test_types_and_attributes_round_trip(attribute: Attribute):
    text = print_attribute(attribute)
    for parser in (Parser, TextParser):
        parsed = parser(context(), text).parse_attribute()
        assert parsed == attribute
        assert print_attribute(parsed) == text


@pytest.mark.part("sweeps")
@settings(max_examples=150, deadline=None)
@given(st.one_of(types, attributes), st.data())
def test_damaged_text_is_diagnosed(attribute: Attribute, data: st.DataObject):
    """Whatever is taken out or put in, what is wrong is a `ParseError`."""
    text = print_attribute(attribute)
    start = data.draw(st.integers(1, len(text)))
    end = data.draw(st.integers(start, min(start + 6, len(text))))
    junk = data.draw(st.sampled_from(["", "?", "-1", "x", ",", "<", ">", "[", "0x", "99", "a ="]))
    damaged = f'"test.op"() {{a = {text[:start]}{junk}{text[end:]}}} : () -> ()\n'
    with suppress(ParseError):
        load(damaged)


@pytest.mark.parametrize("ty", [MemTokenType(), ProgramIdType()])
def test_types_without_parameters_are_equal(ty: Attribute):
    assert TextParser(context(), str(ty)).parse_type() == ty


def test_views_say_how_they_cut():
    memref = MemRefType(f32, [None, 64], [64, 1])
    view = TiledViewType([8, 16], memref)
    assert (memref.rank, view.rank, view.element_type) == (2, 2, f32)
    assert (view.get_dim_map(), view.get_steps()) == ((0, 1), (8, 16))
    assert (view.get_padding(), view.get_sparse_dim()) == (None, None)
    other = TiledViewType([8, 16], memref, [1, 0], [4, 4], "nan", 1)
    assert (other.get_dim_map(), other.get_steps()) == ((1, 0), (4, 4))
    assert (other.get_padding(), other.get_sparse_dim()) == ("nan", 1)


# The guide


def test_the_guide_shows_what_the_compiler_does():
    guide = (Path(__file__).parents[3] / "docs" / "nv_tileaa.md").read_text()
    before, after, forms = map(load, re.findall(r"```mlir\n(.*?)```", guide, re.DOTALL))
    convert = ConvertCudaTileToTileaaPass(compute_capability="sm_90")
    apply(before, convert, CanonicalizeTileaaPass())
    assert before.is_structurally_equivalent(after)
    _, custom, generic = forms.body.block.ops
    assert custom.is_structurally_equivalent(generic.clone())


# `arith`


def test_arith_replaces_ops_by_subclasses():
    ours = {op.name: op for op in arith.Arith.operations}
    theirs = {op.name: op for op in xdsl_arith.Arith.operations}
    # xDSL lacks one op of upstream's.
    assert ours.keys() - theirs.keys() == {"arith.index_castui", "arith.remf"}
    assert theirs.keys() <= ours.keys()
    replaced = {name for name, op in theirs.items() if op is not ours[name]}
    assert replaced == set(arith.REPLACEMENTS)
    assert all(issubclass(ours[name], theirs[name]) for name in replaced)
    assert all(ours[name].has_trait(Pure) for name in replaced)


def test_patterns_of_xdsl_apply_to_select():
    module = load(
        """
        %a, %b, %t = "test.op"() : () -> (f32, f32, tensor<8xf32>)
        %true = arith.constant true
        %c = "test.op"() : () -> tensor<8xi1>
        %0 = arith.select %true, %a, %b : f32
        %1 = arith.select %c, %t, %t : tensor<8xi1>, tensor<8xf32>
        "test.op"(%0, %1) : (f32, tensor<8xf32>) -> ()
        """
    )
    CanonicalizePass().apply(context(), module)
    assert not any(isinstance(op, xdsl_arith.SelectOp) for op in module.walk())


def test_arith_constructors():
    condition, mask, scalar, tile = values(i1, TensorType(i1, [8]), i32, TensorType(i32, [8]))
    assert arith.SelectOp(condition, tile, tile).result.type == tile.type
    for op in (
        arith.SelectOp(mask, tile, tile),
        arith.ExtSIOp(tile, TensorType(i64, [8])),
        arith.ExtUIOp(scalar, i64),
        arith.SIToFPOp(tile, TensorType(f32, [8])),
        arith.UIToFPOp(scalar, f32),
    ):
        op.verify()
    with pytest.raises(VerifyException, match="different shapes"):
        arith.ExtSIOp(tile, i64).verify()
