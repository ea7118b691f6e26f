"""The dialect-conversion engine, on xDSL's own dialects."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects import arith, func, scf, test
from xdsl.dialects.builtin import (
    Builtin,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    UnrealizedConversionCastOp,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    ConversionTarget,
    Legality,
    PatternSet,
    TypeConverter,
    apply_partial_conversion,
    disposable,
    working_copy,
)
from tileiras_xdsl.xdsl_extras.dominance import verify_dominance

from ..harness.modules import context_of, parse

CONTEXT = context_of(Builtin, arith.Arith, func.Func, scf.Scf, test.Test)
"""Dialects of xDSL: conversions are not only for ours."""


class WidenAdd(ConversionPattern[arith.AddiOp]):
    """`arith.addi : i32` to `arith.addi : i64`."""

    def convert(self, op: arith.AddiOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, arith.AddiOp(rewriter.value(op.lhs), rewriter.value(op.rhs)))


class WidenConstant(ConversionPattern[arith.ConstantOp]):
    """An `i32` constant to an `i64` one."""

    def convert(self, op: arith.ConstantOp, rewriter: ConversionRewriter) -> None:
        value = op.value
        if isinstance(value, FloatAttr):
            raise ConversionError("is no integer")
        assert isinstance(value, IntegerAttr)
        rewriter.replace(op, arith.ConstantOp(IntegerAttr(value.value.data, i64)))


class WidenFor(ConversionPattern[scf.ForOp]):
    """A loop that carries `i32` values to one that carries `i64` values."""

    def convert(self, op: scf.ForOp, rewriter: ConversionRewriter) -> None:
        lower, upper, step = rewriter.values((op.lb, op.ub, op.step))
        carried = rewriter.values(op.iter_args)
        body = rewriter.move_region(op.body)
        rewriter.replace(op, scf.ForOp(lower, upper, step, carried, body))


class WidenYield(ConversionPattern[scf.YieldOp]):
    """The end of such a loop."""

    def convert(self, op: scf.YieldOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, scf.YieldOp(*rewriter.values(op.operands)))


def is_wide(op: Operation) -> bool:
    values: tuple[SSAValue, ...] = (*op.operands, *op.results)
    return all(value.type != i32 for value in values)


def widening() -> tuple[ConversionTarget, TypeConverter, PatternSet]:
    target = ConversionTarget()
    target.add_dynamically_legal_dialect("arith", is_wide)
    target.add_dynamically_legal_op(scf.ForOp, is_wide)
    target.add_dynamically_legal_op(scf.YieldOp, is_wide)
    converter = TypeConverter({IntegerType: lambda ty: i64 if ty == i32 else ty})
    patterns = PatternSet()
    patterns.add(arith.AddiOp, WidenAdd())
    patterns.add(arith.ConstantOp, WidenConstant())
    patterns.add(scf.ForOp, WidenFor())
    patterns.add(scf.YieldOp, WidenYield())
    return target, converter, patterns


def convert(text: str) -> ModuleOp:
    module = parse(text, ctx=CONTEXT)
    apply_partial_conversion(module, *widening())
    module.verify()
    verify_dominance(module)
    return module


def names(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()][1:]


def test_chain_needs_no_casts():
    module = convert(
        "%a = arith.constant 1 : i32\n%b = arith.addi %a, %a : i32\n%c = arith.addi %b, %a : i32"
    )
    assert names(module) == ["arith.constant", "arith.addi", "arith.addi"]
    assert all(result.type == i64 for op in module.ops for result in op.results)


def test_unconverted_producer_and_user_are_bridged_once_each_way():
    module = convert(
        '%a = "test.op"() : () -> i32\n'
        "%b = arith.addi %a, %a : i32\n"
        '"test.op"(%b, %a) : (i32, i32) -> ()\n'
        '"test.op"(%b) : (i32) -> ()'
    )
    cast = UnrealizedConversionCastOp.name
    assert names(module) == ["test.op", cast, "arith.addi", cast, "test.op", "test.op"]
    source, to_wide, _, to_narrow, first, second = module.ops
    assert (to_wide.results[0].type, to_narrow.results[0].type) == (i64, i32)
    assert tuple(first.operands) == (to_narrow.results[0], source.results[0])
    assert tuple(second.operands) == (to_narrow.results[0],)


def test_regions_are_moved_and_their_arguments_converted():
    module = convert(
        """
        func.func @f(%lb: index, %ub: index, %step: index) {
          %z = arith.constant 0 : i32
          %r = scf.for %i = %lb to %ub step %step iter_args(%x = %z) -> (i32) {
            %y = arith.addi %x, %z : i32
            "test.op"(%x) : (i32) -> ()
            scf.yield %y : i32
          }
          "test.op"(%r) : (i32) -> ()
          func.return
        }
        """
    )
    loop = next(op for op in module.walk() if isinstance(op, scf.ForOp))
    assert [argument.type for argument in loop.body.block.args][1:] == [i64]
    assert list(loop.result_types) == [i64]
    assert names(module).count(UnrealizedConversionCastOp.name) == 2


def test_nested_values_are_converted_before_they_are_used_inside():
    module = convert(
        """
        func.func @f(%lb: index, %ub: index, %step: index) {
          %z = arith.constant 0 : i32
          scf.for %i = %lb to %ub step %step {
            scf.for %j = %lb to %ub step %step {
              %y = arith.addi %z, %z : i32
              scf.yield
            }
            scf.yield
          }
          func.return
        }
        """
    )
    assert UnrealizedConversionCastOp.name not in names(module)


def test_locations_and_names_survive():
    module = convert("%two = arith.constant 2 : i32\n%sum = arith.addi %two, %two : i32")
    constant, add = module.ops
    assert str(constant.location) == 'loc("in.mlir":1:8)'
    assert str(add.location) == 'loc("in.mlir":2:8)'
    assert add.results[0].name_hint == "sum"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("%a = arith.constant 1.0 : f32", "'arith.constant' op is no integer"),
        (
            "%a = arith.constant 1 : i32\n%b = arith.muli %a, %a : i32",
            "'arith.muli' op has no conversion",
        ),
    ],
)
def test_failure_names_the_op_and_leaves_the_module_alone(text: str, message: str):
    module = parse(text, ctx=CONTEXT)
    before = str(module)
    target, converter, patterns = widening()
    target.add_illegal_op(arith.ConstantOp)
    with pytest.raises(PassFailedException, match=message):
        apply_partial_conversion(module, target, converter, patterns)
    assert str(module) == before
    module.verify()


def test_only_a_disposable_module_is_converted_without_a_copy():
    module, other = (parse("%a = arith.constant 1 : i32", ctx=CONTEXT) for _ in range(2))
    assert working_copy(module) is not module
    with disposable(module):
        assert working_copy(module) is module
        assert working_copy(other) is not other
        apply_partial_conversion(module, *widening())
    assert working_copy(module) is not module
    module.verify()
    assert [result.type for op in module.ops for result in op.results] == [i64]


def test_an_illegal_op_that_a_pattern_makes_is_an_error():
    module = parse("%a = arith.constant 1 : i32", ctx=CONTEXT)
    target, converter, patterns = widening()
    target.add_illegal_op(arith.ConstantOp)
    with pytest.raises(PassFailedException, match=r"'arith\.constant' op is left"):
        apply_partial_conversion(module, target, converter, patterns)


def test_what_a_pattern_makes_is_converted_in_the_same_run():
    class Double(ConversionPattern[arith.MuliOp]):
        """`x * y` to the illegal `x + y`, which has a conversion itself."""

        def convert(self, op: arith.MuliOp, rewriter: ConversionRewriter) -> None:
            rewriter.replace(op, arith.AddiOp(op.lhs, op.rhs))

    module = parse(
        """%a = arith.constant 1 : i32
        %b = arith.muli %a, %a : i32
        %c = arith.addi %b, %b : i32""",
        ctx=CONTEXT,
    )
    target, converter, patterns = widening()
    target.add_illegal_op(arith.MuliOp)
    patterns.add(arith.MuliOp, Double())
    apply_partial_conversion(module, target, converter, patterns)
    module.verify()
    sums = [op for op in module.walk() if isinstance(op, arith.AddiOp)]
    assert [op.result.type for op in sums] == [i64, i64]


def test_unused_results_need_no_replacement():
    class Drop(ConversionPattern[arith.AddUIExtendedOp]):
        def convert(self, op: arith.AddUIExtendedOp, rewriter: ConversionRewriter) -> None:
            new = rewriter.insert(arith.AddiOp(rewriter.value(op.lhs), rewriter.value(op.rhs)))
            rewriter.replace(op, [new.result, None])

    text = """%a = arith.constant 1 : i32
        %b, %c = arith.addui_extended %a, %a : i32, i1"""
    target, converter, patterns = widening()
    patterns.add(arith.AddUIExtendedOp, Drop())
    target.add_illegal_op(arith.AddUIExtendedOp)
    module = parse(text, ctx=CONTEXT)
    apply_partial_conversion(module, target, converter, patterns)
    module.verify()
    used = parse(f"{text}\n%d = arith.addi %c, %c : i1", ctx=CONTEXT)
    with pytest.raises(PassFailedException, match="a result that is used is not replaced"):
        apply_partial_conversion(used, target, converter, patterns)


def test_a_missing_materialization_is_an_error():
    module = parse('%a = "test.op"() : () -> i32\n%b = arith.addi %a, %a : i32', ctx=CONTEXT)
    target, converter, patterns = widening()
    no_bridge: Callable[[SSAValue, Attribute], None] = lambda value, ty: None  # noqa: E731
    converter.target_materialization = no_bridge
    with pytest.raises(PassFailedException, match="no value of type 'i64' can be made of 'i32'"):
        apply_partial_conversion(module, target, converter, patterns)


def test_an_unconvertible_type_is_an_error():
    module = parse("%a = arith.constant 1 : i32", ctx=CONTEXT)
    target, _, _ = widening()
    converter = TypeConverter({IntegerType: lambda _: None})
    assert not converter.is_legal(i32)

    class Retype(ConversionPattern[arith.ConstantOp]):
        def convert(self, op: arith.ConstantOp, rewriter: ConversionRewriter) -> None:
            rewriter.type(op.result.type)

    patterns = PatternSet()
    patterns.add(arith.ConstantOp, Retype())
    with pytest.raises(PassFailedException, match="type 'i32' cannot be converted"):
        apply_partial_conversion(module, target, converter, patterns)


def test_a_pattern_that_does_nothing_is_an_error():
    class Nothing(ConversionPattern[arith.ConstantOp]):
        def convert(self, op: arith.ConstantOp, rewriter: ConversionRewriter) -> None:
            pass

    module = parse("%a = arith.constant 1 : i32", ctx=CONTEXT)
    target, converter, _ = widening()
    patterns = PatternSet()
    patterns.add(arith.ConstantOp, Nothing())
    with pytest.raises(PassFailedException, match="was not replaced by its pattern"):
        apply_partial_conversion(module, target, converter, patterns)


def test_what_is_said_of_an_op_wins_over_its_dialect():
    target = ConversionTarget()
    target.add_illegal_dialect("arith")
    target.add_legal_op(arith.ConstantOp)
    constant, add = parse(
        "%a = arith.constant 1 : i32\n%b = arith.addi %a, %a : i32", ctx=CONTEXT
    ).ops
    assert target.legality(constant) is Legality.LEGAL
    assert target.legality(add) is Legality.ILLEGAL
    assert target.legality(ModuleOp([])) is Legality.UNKNOWN


def test_an_op_class_has_one_pattern():
    patterns = PatternSet()
    patterns.add(arith.AddiOp, WidenAdd())
    with pytest.raises(ValueError, match=r"'arith\.addi' has a pattern already"):
        patterns.add(arith.AddiOp, WidenAdd())


def test_types_without_a_conversion_stay():
    converter = TypeConverter()
    assert converter.convert(f32) == f32
    assert converter.is_legal(StringAttr("x"))
