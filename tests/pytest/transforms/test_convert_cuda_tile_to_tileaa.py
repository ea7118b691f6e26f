"""
What `convert-cuda-tile-to-tileaa` must hold for every op and attribute, by going through all of
them; FileCheck tests show what becomes of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from io import StringIO
from pathlib import Path
from random import Random
from typing import cast

import pytest
from xdsl.dialects import arith, func, gpu
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnrealizedConversionCastOp,
    UnregisteredOp,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, OptPropertyDef, PropertyDef
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from tileiras_xdsl import load
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileiras_xdsl.dialects.cuda_tile.elements import (
    DenseElementsAttr,
    element_bit_width,
    float_to_bits,
)
from tileiras_xdsl.dialects.cuda_tile.enums import CodedEnumAttr
from tileiras_xdsl.dialects.cuda_tile.types import FloatNV8E5M3FNUType, StringType, TileType
from tileiras_xdsl.dialects.nv_tileaa import elementwise as aa
from tileiras_xdsl.dialects.nv_tileaa import memory, views
from tileiras_xdsl.dialects.nv_tileaa.shape import SplatOp
from tileiras_xdsl.frontend import bytecode
from tileiras_xdsl.frontend.targets import CudaTilePublicTarget
from tileiras_xdsl.targets.machine import CapabilityOption, ComputeCapability
from tileiras_xdsl.transforms.common.kernel_spec import BAD_OPTION
from tileiras_xdsl.transforms.cuda_tile.verify_cuda_tile_input import VerifyCudaTileInputPass
from tileiras_xdsl.transforms.tileaa.canonicalize_tileaa import CanonicalizeTileaaPass
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
    FAILURE,
    LEGAL_DIALECTS,
    SINGLETON_ADDERS,
    ConvertCudaTileToTileaaPass,
    add_rsqrt_pattern,
    make_patterns,
    make_target,
    populate_aggregates,
    populate_arithmetic,
    populate_functions_and_views,
)
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.types import CONVERSIONS
from tileiras_xdsl.transforms.tileaa.verify_no_cuda_tile import VerifyNoCudaTilePass
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionTarget,
    PatternSet,
    TypeConverter,
    apply_partial_conversion,
)
from tileiras_xdsl.xdsl_extras.dominance import verify_dominance

from ..harness.modules import context
from ..strategies.modules import random_module

CORPUS = Path(__file__).parents[2] / "corpus"
SM_90 = ComputeCapability(9, 0)

VIEW = "partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>"

RARE_OPS = f"""
cuda_tile.module @rare attributes {{producer = "tests"}} {{
  testing$func @f(%x: tile<f32>, %p: tile<ptr<f32>>, %i: tile<i32>, %t: token) -> tile<f32> {{
    print "%f", %x : tile<f32>
    %none = cuda_tile.token.join [] : !cuda_tile.token
    %x_id, %y_id, %z_id = get_tile_block_id : tile<i32>
    %x_dim, %y_dim, %z_dim = get_num_tile_blocks : tile<i32>
    %sum = addi %y_id, %z_dim : tile<i32>
    %tensor = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %view = make_partition_view %tensor : {VIEW}
    %a, %t1 = load_view_tko weak %view[%i] token=%t addr_space = 1 align = 16 : {VIEW}
      -> tile<8xf32>, token
    %t2 = store_view_tko weak %view[%i], %a addr_space = 1 align = 16 : {VIEW}, tile<8xf32>
      -> token
    return %x : tile<f32>
  }}
}}
"""


def convert(module: ModuleOp, capability: CapabilityOption = "sm_90", version: str = "13.4"):
    """The converted module; the given one stays."""
    converted = module.clone()
    ConvertCudaTileToTileaaPass(capability, version).apply(context(), converted)
    return converted


def verify(module: ModuleOp) -> None:
    module.verify()
    verify_dominance(module)


@cache
def corpus() -> tuple[ModuleOp, ...]:
    """One op of every kind and more."""
    paths = sorted((CORPUS / "ops").glob("*.mlir"))
    return (*(load(path) for path in paths), load(RARE_OPS))


@cache
def samples() -> dict[type[Operation], tuple[Operation, ...]]:
    """The ops of the corpus by class, in modules with nothing but the function they are in."""
    found: dict[type[Operation], list[Operation]] = {}
    for program in corpus():
        for module in program.walk():
            if not isinstance(module, ct.ModuleOp):
                continue
            shared = [op for op in module.body.block.ops if isinstance(op, ct.GlobalOp)]
            found.setdefault(ct.ModuleOp, []).append(module)
            for function in module.body.block.ops:
                ops = [op.clone() for op in shared if op is not function]
                alone = ct.ModuleOp.create(
                    properties=dict(module.properties),
                    regions=[Region(Block([*ops, function.clone()]))],
                )
                ModuleOp([alone])
                last = alone.body.block.last_op
                assert last is not None
                for op in last.walk():
                    found.setdefault(type(op), []).append(op)
    return {op_class: tuple(ops) for op_class, ops in found.items()}


def op_name(op_class: type[Operation]) -> str:
    return op_class.name


OP_CLASSES = tuple(ct.CudaTile.operations)
STRUCTURE = ("function_type", "operandSegmentSizes", "arg_attrs", "res_attrs")
"""What follows from operands, types and regions."""


def root_of(op: Operation) -> ModuleOp:
    while (parent := op.parent_op()) is not None:
        op = parent
    assert isinstance(op, ModuleOp)
    return op


def definitions_of(op_class: type[Operation]) -> dict[str, PropertyDef]:
    return cast("type[IRDLOperation]", op_class).get_irdl_definition().properties


PROPERTIES = [
    pytest.param(op_class, name, id=f"{op_class.name}-{name}")
    for op_class in OP_CLASSES
    for name in definitions_of(op_class)
    if name not in STRUCTURE
]

Key = tuple[str, type[Attribute], Attribute | None]


def key_of(name: str, attribute: Attribute) -> Key:
    """What can stand for one another: properties of one name and type."""
    return name, type(attribute), attribute.type if isinstance(attribute, IntegerAttr) else None


@cache
def values_of_properties() -> dict[Key, tuple[Attribute, ...]]:
    """All values that properties have in the corpus."""
    values: dict[Key, dict[Attribute, None]] = {}
    for ops in samples().values():
        for op in ops:
            for name, attribute in op.properties.items():
                if attribute != OptimizationHintsAttr(DictionaryAttr({})):
                    values.setdefault(key_of(name, attribute), {})[attribute] = None
    return {key: tuple(known) for key, known in values.items()}


def alternatives(op: Operation, name: str) -> set[Attribute | None]:
    """Values of a property of an op, some of which the op may not take."""
    values: set[Attribute | None] = set()
    if isinstance(definitions_of(type(op))[name], OptPropertyDef):
        values.add(None)
    match op.properties.get(name):
        case None:
            known = (seen for (key, *_), seen in values_of_properties().items() if key == name)
            values |= set(next(known, ())[:4])
        case CodedEnumAttr() as attribute:
            values |= {type(attribute)(word) for word in attribute.enum_type}
        case StringAttr():
            values |= {StringAttr("one"), StringAttr("another")}
        case SymbolRefAttr():
            values |= {SymbolRefAttr("one"), SymbolRefAttr("another")}
        case DenseElementsAttr(type=tile):
            values |= {DenseElementsAttr.from_bits(tile, [bits]) for bits in (0, 1, 2)}
        case attribute:
            values |= set(values_of_properties()[key_of(name, attribute)][:12])
    return values


def texts_by_value(op: Operation, name: str) -> dict[Attribute | None, str]:
    """What the function of an op is converted to, by the value of a property."""
    texts: dict[Attribute | None, str] = {}
    before = op.properties.get(name)
    for value in alternatives(op, name):
        if value is None:
            op.properties.pop(name, None)
        else:
            op.properties[name] = value
        texts[value] = str(convert(root_of(op)))
    if before is not None:
        op.properties[name] = before
    else:
        op.properties.pop(name, None)
    return texts


@pytest.mark.every(4)
@pytest.mark.parametrize(("op_class", "name"), PROPERTIES)
@pytest.mark.requirement("C-37")
def test_every_property_arrives(op_class: type[Operation], name: str):
    """Whatever a property says makes a difference, and another one for each value."""
    ops = samples()[op_class]
    op = next((op for op in ops if name in op.properties), ops[0])
    texts = texts_by_value(op, name)
    assert len(texts) > 1
    assert len(set(texts.values())) == len(texts), sorted(map(str, texts))


GONE = (ct.YieldOp, ct.BreakOp, ct.ContinueOp, ct.ReturnOp, ct.PtrToPtrOp, ct.FPowFOp)
"""Ops that leave none behind, or only the end of a block; `fpowf` is read as `pow`."""


@pytest.mark.every(4)
@pytest.mark.parametrize("op_class", [c for c in OP_CLASSES if c not in GONE], ids=op_name)
@pytest.mark.requirement("C-37", "C-46")
def test_discardable_attributes_are_kept(op_class: type[Operation]):
    for op in samples()[op_class]:
        op.attributes["tests.mark"] = UnitAttr()
        text = str(convert(root_of(op)))
        del op.attributes["tests.mark"]
        if "tests.mark" in text:
            return
    pytest.fail("an attribute of the dictionary is dropped")


def roster(*names: str) -> tuple[type[Operation], ...]:
    """The op classes that some groups have patterns for, in order."""
    patterns = PatternSet()
    if "A" in names:
        populate_arithmetic(patterns)
    if "B" in names:
        populate_functions_and_views(patterns, SM_90)
    if "C" in names:
        populate_aggregates(patterns)
    return patterns.op_classes


def added_by(add_pattern: Callable[[PatternSet], None]) -> tuple[type[Operation], ...]:
    patterns = PatternSet()
    add_pattern(patterns)
    return patterns.op_classes


@pytest.mark.requirement("C-11", "C-15")
def test_groups_are_registered_in_order():
    singletons = [op_class for add in SINGLETON_ADDERS for op_class in added_by(add)]
    expected = (*roster("A"), *roster("B"), *roster("C"), *singletons)
    assert make_patterns(SM_90).op_classes == expected
    assert make_patterns(SM_90).op_classes == make_patterns(SM_90).op_classes


@pytest.mark.requirement("C-12")
def test_the_first_group_has_arithmetic_and_control_flow():
    assert {ct.AddIOp, ct.CmpFOp, ct.ExtIOp, ct.ExtractOp, ct.IfOp, ct.ForOp} <= set(roster("A"))


@pytest.mark.requirement("C-13")
def test_the_second_group_has_memory_tokens_and_views():
    names = {ct.LoadPtrOp, ct.OffsetOp, ct.MakeTokenOp, ct.MakeTensorViewOp, ct.EntryOp}
    assert names | {ct.MakePartitionViewOp} <= set(roster("B"))


@pytest.mark.requirement("C-14")
def test_the_third_group_has_mma_aggregates_and_transcendentals():
    transcendental = (ct.Exp2Op, ct.Log2Op, ct.SinOp, ct.CosOp, ct.TanHOp)
    assert roster("C") == (ct.MmaFOp, ct.MmaIOp, ct.ReduceOp, ct.ScanOp, *transcendental)


SINGLETONS = (
    ct.TruncIOp,
    ct.RsqrtOp,
    ct.MaxIOp,
    ct.IToFOp,
    ct.GlobalOp,
    ct.FmaOp,
    ct.ConstantOp,
    ct.AssumeOp,
)


@pytest.mark.requirement("C-26")
def test_singletons_add_one_pattern_each():
    assert [added_by(add) for add in SINGLETON_ADDERS] == [(op_class,) for op_class in SINGLETONS]


@pytest.mark.requirement("C-27")
def test_singletons_are_in_no_group():
    assert not set(SINGLETONS) & set(roster("A", "B", "C"))
    patterns = make_patterns(SM_90)
    for add_pattern in SINGLETON_ADDERS:
        with pytest.raises(ValueError, match="has a pattern already"):
            add_pattern(patterns)


@pytest.mark.requirement("C-26")
def test_a_singleton_works_on_its_own():
    module = load(
        "cuda_tile.module @m { entry @k(%x: tile<f32>) {"
        " %0 = rsqrt %x : tile<f32>\n %1 = negf %0 : tile<f32>\n return } }"
    )
    target = ConversionTarget()
    target.add_illegal_op(ct.RsqrtOp)
    patterns = PatternSet()
    add_rsqrt_pattern(patterns)
    apply_partial_conversion(module, target, TypeConverter(CONVERSIONS), patterns)
    verify(module)
    names = [op.name for op in module.walk()]
    cast = "builtin.unrealized_conversion_cast"
    assert names[3:6] == [cast, "nv_tileaa.rsqrt", cast]
    assert names[6:] == ["cuda_tile.negf", "cuda_tile.return"]


@pytest.mark.parametrize("op_class", OP_CLASSES, ids=op_name)
@pytest.mark.requirement("J-07")
def test_every_op_has_a_pattern(op_class: type[Operation]):
    assert op_class in make_patterns(SM_90)


@cache
def converted_corpus() -> tuple[ModuleOp, ...]:
    return tuple(convert(module) for module in corpus())


def values_in(module: ModuleOp) -> Iterator[SSAValue]:
    for op in module.walk():
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


@pytest.mark.requirement("C-01", "C-02", "C-04")
def test_only_six_dialects_are_left():
    allowed = {*LEGAL_DIALECTS, "builtin", "ub"}
    for module in converted_corpus():
        verify(module)
        VerifyNoCudaTilePass().apply(context(), module)
        assert {op.name.split(".")[0] for op in module.walk()} <= allowed


@pytest.mark.requirement("C-28", "C-33", "C-36")
def test_no_value_has_a_type_of_cuda_tile():
    for module in converted_corpus():
        for value in values_in(module):
            assert "cuda_tile." not in str(value.type).replace("!cuda_tile.fnv8E5M3FNU", "")


@pytest.mark.requirement("C-31", "I-21")
def test_no_cast_is_left():
    for module in converted_corpus():
        assert not [op for op in module.walk() if isinstance(op, UnrealizedConversionCastOp)]


@pytest.mark.requirement("C-03")
def test_converting_again_changes_nothing():
    for module in converted_corpus():
        assert str(convert(module)) == str(module)


@pytest.mark.requirement("C-02")
def test_what_is_printed_is_read_again():
    for module in converted_corpus():
        text = str(module)
        assert str(load(text)) == text


@pytest.mark.every(3)
@pytest.mark.parametrize("chunk", range(3))
@pytest.mark.requirement("C-01", "C-08")
def test_random_modules_are_converted_or_left_alone(chunk: int):
    """Those with strings cannot be converted; nothing else may fail."""
    for seed in range(12 * chunk, 12 * (chunk + 1)):
        module = random_module(seed)
        original = module.clone()
        conversion = ConvertCudaTileToTileaaPass("sm_90")
        if any(isinstance(value.type, StringType) for value in values_in(module)):
            with pytest.raises(PassFailedException, match=r"type '!cuda_tile\.string' cannot be"):
                conversion.apply(context(), module)
            assert module.is_structurally_equivalent(original), seed
            continue
        conversion.apply(context(), module)
        verify(module)
        VerifyNoCudaTilePass().apply(context(), module)
        assert not [op for op in module.walk() if isinstance(op, UnrealizedConversionCastOp)]
        assert str(load(str(module))) == str(module), seed


KEPT = (memory.StoreOp, memory.AtomicCASOp, memory.AtomicRMWOp)
KEPT_ON_VIEWS = (views.TiledStoreOp, views.ScatterStoreOp, views.TiledAtomicRMWOp)


@pytest.mark.parametrize("name", ["memory", "views"])
@pytest.mark.requirement("J-15")
def test_accesses_keep_views_and_tokens(name: str):
    """What stands between the first pass and layouts removes none of them."""

    def accesses(module: ModuleOp) -> list[tuple[str, tuple[Attribute, ...]]]:
        ops = (op for op in module.walk() if isinstance(op, KEPT + KEPT_ON_VIEWS))
        return [(op.name, (*op.operand_types, *op.result_types)) for op in ops]

    module = convert(load(CORPUS / "ops" / f"{name}.mlir"))
    before = accesses(module)
    CanonicalizeTileaaPass().apply(context(), module)
    assert before
    assert accesses(module) == before


@pytest.mark.requirement("E-07")
def test_nothing_claims_a_barrier():
    for module in converted_corpus():
        assert "mbarrier" not in str(module)


@pytest.mark.requirement("C-22", "C-34")
def test_fastmath_is_the_same_object():
    module = load("""
cuda_tile.module @m {
  testing$func @f(%x: tile<8xf32>) -> tile<8xf32> {
    %0 = fma %x, %x, %x {fastmath = #arith.fastmath<contract>} : tile<8xf32>
    %1 = sin %0 {fastmath = "contract"} : tile<8xf32>
    return %1 : tile<8xf32>
  }
}
""")
    sources = [op for op in module.walk() if isinstance(op, ct.FmaOp | ct.SinOp)]
    targets = [op for op in convert(module).walk() if isinstance(op, aa.FmaOp | aa.SinOp)]
    assert len(sources) == len(targets) == 2
    for source, target in zip(sources, targets, strict=True):
        assert target.attributes["fastmath"] is source.attributes["fastmath"]


@pytest.mark.requirement("C-34")
def test_fastmath_is_not_invented():
    for before, after in zip(corpus(), converted_corpus(), strict=True):
        assert "fastmath" not in str(before) + str(after)


SMALL = "cuda_tile.module @m { entry @k(%x: tile<f32>) { %0 = negf %x : tile<f32>\n return } }"

MALFORMED = ["", "banana", "sm_", "sm_9", "sm_90b", "sm90", "SM_90", "9", "9.00", "sm_90 ", "-90"]


@pytest.mark.parametrize("option", [None, *MALFORMED, 9, -90, 9.05, True])
@pytest.mark.requirement("C-06", "C-07", "I-01")
def test_wrong_capabilities_change_nothing(option: CapabilityOption):
    module = load(SMALL)
    before = str(module)
    with pytest.raises(PassFailedException, match=f"^{BAD_OPTION}, as in "):
        ConvertCudaTileToTileaaPass(option).apply(context(), module)
    assert str(module) == before


CAPABILITIES: dict[str | int | float, tuple[int, str]] = {
    "sm_80": (80, "sm_80"),
    "sm_90": (90, "sm_90"),
    "sm_90a": (90, "sm_90a"),
    "sm_100f": (100, "sm_100f"),
    "120": (120, "sm_120"),
    90: (90, "sm_90"),
    100: (100, "sm_100"),
    9.0: (90, "sm_90"),
    12.1: (121, "sm_121"),
}


@pytest.mark.parametrize("option", CAPABILITIES)
@pytest.mark.requirement("C-06")
def test_right_capabilities_are_recorded(option: CapabilityOption):
    number, name = CAPABILITIES[option]  # pyright: ignore[reportArgumentType]
    attributes = convert(load(SMALL), option).attributes
    assert attributes["nv_tileaa.compute_capability"] == IntegerAttr(number, i32)
    assert attributes["nv_tileaa.target_spec"] == StringAttr(name)


@pytest.mark.requirement("C-08", "I-02")
def test_a_failure_changes_nothing():
    module = load("""
cuda_tile.module @m {
  testing$func @good(%x: tile<f32>) -> tile<f32> {
    %0 = negf %x : tile<f32>
    return %0 : tile<f32>
  }
  testing$func @bad(%x: !cuda_tile.string) {
    return
  }
}
""")
    before, original = str(module), module.clone()
    with pytest.raises(PassFailedException, match=f"^{FAILURE}: "):
        ConvertCudaTileToTileaaPass("sm_90").apply(context(), module)
    assert str(module) == before
    assert module.is_structurally_equivalent(original)
    verify(module)


@pytest.mark.requirement("C-08")
def test_an_unknown_op_of_the_dialect_is_named():
    """As from a dialect that is newer than its conversion."""
    module = load(SMALL)
    (entry,) = (op for op in module.walk() if isinstance(op, ct.EntryOp))
    first = entry.body.block.first_op
    assert first is not None
    new_op = UnregisteredOp.with_name("cuda_tile.brand_new").create()
    entry.body.block.insert_op_before(new_op, first)
    with pytest.raises(PassFailedException, match=f"^{FAILURE}: 'cuda_tile.brand_new' op "):
        convert(module)


@pytest.mark.requirement("C-09", "I-03")
def test_a_value_that_cannot_be_bridged_fails_the_pass():
    no_bridge: Callable[[SSAValue, Attribute], None] = lambda value, ty: None  # noqa: E731
    converter = TypeConverter(CONVERSIONS, target_materialization=no_bridge)
    module = load("""
cuda_tile.module @m {
  entry @k() {
    %x = "test.op"() : () -> !cuda_tile.tile<f32>
    %0 = negf %x : tile<f32>
    return
  }
}
""")
    with pytest.raises(PassFailedException, match=f"^{FAILURE}: 'cuda_tile.negf' op no value of"):
        apply_partial_conversion(module, make_target(), converter, make_patterns(SM_90), FAILURE)


@pytest.mark.requirement("C-09", "I-04")
def test_a_terminator_that_does_not_fit_fails_the_pass():
    module = load(SMALL)
    (entry,) = (op for op in module.walk() if isinstance(op, ct.EntryOp))
    last = entry.body.block.last_op
    assert last is not None
    last.detach()
    last.erase()
    entry.body.block.add_op(ct.BreakOp())
    with pytest.raises(PassFailedException, match=f"^{FAILURE}: 'cuda_tile.break' op leaves a"):
        convert(module)


@pytest.mark.parametrize(
    ("text", "needed"),
    [("atan2 %x, %x : tile<f32>", "13.2"), ("fpowi %x, %i : tile<f32>, tile<i32>", "13.4")],
)
@pytest.mark.requirement("C-08")
def test_newer_ops_are_named_with_their_version(text: str, needed: str):
    module = load(
        "cuda_tile.module @m { entry @k(%x: tile<f32>, %i: tile<i32>) {"
        f" %0 = {text}\n return }} }}"
    )
    for version in ("13.1", "13.2", "13.3", "13.4"):
        if version >= needed:
            verify(convert(module, version=version))
            continue
        name = f"cuda_tile.{text.split()[0]}"
        message = f"^{FAILURE}: '{name}' op needs Tile IR {needed}, but {version} was asked for"
        with pytest.raises(PassFailedException, match=message):
            convert(module, version=version)


@pytest.mark.parametrize("version", ["", "new", "13.x", "sm_90"])
@pytest.mark.requirement("C-09")
def test_malformed_versions_are_refused(version: str):
    with pytest.raises(PassFailedException, match=f"^{FAILURE}: '{version}' is no Tile IR version"):
        convert(load(SMALL), version=version)


@pytest.mark.requirement("C-10")
def test_all_modules_are_converted():
    text = "cuda_tile.module @{} {{ entry @k() {{ return }} }}"
    inner = f"builtin.module {{ {text.format('b')} builtin.module {{ {text.format('c')} }} }}"
    module = convert(load(f"builtin.module {{ {text.format('a')} {inner} }}"))
    verify(module)
    assert [op.name for op in module.walk()].count("gpu.module") == 3


def nameless_text(module: ModuleOp) -> str:
    """The text of a module without the names that only a text has."""
    for value in values_in(module):
        value.name_hint = None
    for op in module.walk():
        if isinstance(op, gpu.ModuleOp):
            op.properties["sym_name"] = StringAttr("kernels")
    return str(module)


@pytest.mark.parametrize("version", ["13.1", "13.4"])
@pytest.mark.requirement("J-13", "J-14")
def test_bytecode_and_text_give_the_same(version: str, corpus_text: Callable[[Path], str]):
    """Kernels of NVIDIA's front end, which no one has added anything to."""
    kernels = {
        path: text
        for path in sorted((CORPUS / "bytecode" / version).iterdir())
        if len(text := corpus_text(path)) < 6000
    }
    assert len(kernels) >= 6
    for path, text in list(kernels.items())[:6]:
        results = {nameless_text(convert(load(each), version=version)) for each in (path, text)}
        assert len(results) == 1, path.name


@pytest.mark.every(15)
@pytest.mark.parametrize("path", sorted((CORPUS / "ops").glob("*.mlir")), ids=lambda p: p.stem)
@pytest.mark.requirement("J-13")
def test_disassembled_text_gives_the_same(path: Path):
    for part in load(path).body.block.ops:
        assembled = bytecode.read(bytecode.write(ModuleOp([part.clone()])))
        text = StringIO()
        CudaTilePublicTarget().emit(context(), assembled, text)
        texts = {nameless_text(convert(module)) for module in (assembled, load(text.getvalue()))}
        assert len(texts) == 1


@pytest.mark.parametrize("path", sorted((CORPUS / "ops").glob("*.mlir")), ids=lambda p: p.stem)
@pytest.mark.requirement("J-03")
def test_all_of_the_corpus_is_public(path: Path):
    """With its debug info."""
    VerifyCudaTileInputPass().apply(context(), load(path))


@pytest.mark.requirement("J-01")
def test_no_pass_makes_public_ops():
    module = convert(load(CORPUS / "ops" / "aggregate.mlir"))
    for name, factory in TILEIRAS_UNIVERSE.all_passes.items():
        result = module.clone()
        with suppress(DiagnosticException):
            factory()().apply(context(), result)
        names = {op.name for op in result.walk()}
        assert not [op for op in names if op.startswith("cuda_tile.")], name


@pytest.mark.requirement("J-10")
def test_later_passes_leave_public_ops_alone():
    module = load("""
cuda_tile.module @m {
  testing$func @f(%x: tile<f32>, %t: token) -> (tile<f32>, token) {
    %0 = reshape %x : tile<f32> -> tile<1xf32>
    %1 = broadcast %0 : tile<1xf32> -> tile<8xf32>
    %2 = constant <i32: 0> : tile<i32>
    %3 = extract %1[%2] : tile<8xf32> -> tile<1xf32>
    %4 = reshape %3 : tile<1xf32> -> tile<f32>
    %5 = cuda_tile.token.join [%t] : !cuda_tile.token
    return %4, %5 : tile<f32>, token
  }
}
""")
    result = module.clone()
    CanonicalizeTileaaPass().apply(context(), result)
    assert str(result) == str(module)


NUMBERS = [
    *(bf16, f16, f32, f64, i1, i8, i16, i32, i64),
    *(Float8E4M3FNType(), Float8E5M2Type(), Float8E8M0FNUType(), FloatNV8E5M3FNUType()),
]


def bits_of(value: SSAValue) -> Sequence[int]:
    """The bits of a converted constant; one element for a splat."""
    op = value.owner
    if isinstance(op, SplatOp | aa.BitcastOp):
        return bits_of(op.source)
    assert isinstance(op, arith.ConstantOp)
    match op.value:
        case DenseIntOrFPElementsAttr(data=data) as dense:
            data, size = data.data, dense.get_element_type().size  # pyright: ignore[reportUnknownVariableType, reportAttributeAccessIssue, reportUnknownMemberType]
            return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        case IntegerAttr(value=number, type=IntegerType(width=width)):
            return [number.data & ((1 << width.data) - 1)]
        case FloatAttr(value=number, type=ty):
            return [float_to_bits(number.data, ty)]
        case other:
            pytest.fail(f"{other} is no literal")


@pytest.mark.every(5)
@pytest.mark.parametrize("element", NUMBERS, ids=str)
@pytest.mark.requirement("C-23", "C-24")
def test_constants_keep_every_bit(element: Attribute):
    """In the text as well, NaNs and infinities included."""
    width = element_bit_width(element)
    random, ones = Random(width), (1 << width) - 1
    patterns = [0, 1, ones, ones >> 1, 1 << (width - 1), *range(0, ones + 1, ones // 15 or 1)]
    patterns += [random.getrandbits(width) for _ in range(20)]
    constants = list[ct.ConstantOp]()
    for pattern in patterns:
        others = [random.choice(patterns) for _ in range(3)]
        for shape, bits in (((), [pattern]), ((4,), [pattern]), ((4,), [pattern, *others])):
            value = DenseElementsAttr.from_bits(TileType(element, shape), bits)
            constants.append(ct.ConstantOp(value))
    types = [constant.result.type for constant in constants]
    body = Block([*constants, ct.ReturnOp(*constants)])
    function = ct.TestingFuncOp("f", Region(body), types)
    module = load(str(convert(ModuleOp([ct.ModuleOp("m", [function])]))))
    (end,) = (op for op in module.walk() if isinstance(op, func.ReturnOp))
    for constant, value in zip(constants, end.operands, strict=True):
        assert [bits & ones for bits in bits_of(value)] == list(constant.elements.get_bits())


@pytest.mark.requirement("C-24")
def test_dense_constants_are_no_splats():
    text = "constant <i32: [0, 1, 2, 3]> : tile<4xi32>"
    module = convert(load(f"cuda_tile.module @m {{ entry @k() {{ %0 = {text}\n return }} }}"))
    assert not [op for op in module.walk() if isinstance(op, SplatOp)]
