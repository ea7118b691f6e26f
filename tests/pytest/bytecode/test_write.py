"""
What the writer refuses beside what an older version lacks (see test_ops.py): the text forms can
hold more than bytecode. And what comes back in another form than it was written.
"""

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    UnitAttr,
    f16,
    f32,
    f64,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

import tileiras_xdsl.dialects.cuda_tile as ct
from tileiras_xdsl import load
from tileiras_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileiras_xdsl.dialects.cuda_tile.directives import bool_array
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.frontend.bytecode import BytecodeError, read, write

from ..harness.modules import print_public
from .support import VERSIONS, Disassembler, assert_same, load_text

VIEW = "partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>"
KERNEL = f"""
entry @k(%a: tile<f32>, %p: tile<ptr<f32>>, %q: tile<ptr<i32>>, %n: tile<i32>, %i: tile<i1>) {{
  %tv = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %view = make_partition_view %tv : {VIEW}
  %tile = constant <f32: 1.0> : tile<8xf32>
  %mask = constant <i1: true> : tile<8xi1>
  BODY
  return
}}
"""


def kernel(body: str) -> ModuleOp:
    return load_text(KERNEL.replace("BODY", body))


def refusal(module: ModuleOp | ct.ModuleOp, version: str = VERSIONS[-1]) -> str:
    with pytest.raises(BytecodeError) as info:
        write(module, version)
    return str(info.value)


def find(module: ModuleOp, name: str) -> Operation:
    return next(op for op in module.walk() if op.name == f"cuda_tile.{name}")


# Refused at every version


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "%0 = negf %a {note = 1 : i32} : tile<f32>",
            "'cuda_tile.negf' op attribute 'note' cannot be represented in bytecode",
        ),
        (
            "if %i {\n  } {cuda_tile.loop_split = 1 : i32}",
            "'cuda_tile.if' op attribute 'cuda_tile.loop_split' cannot be represented in bytecode",
        ),
        (
            "%0, %1 = atomic_cas_tko seq_cst device %q, %n, %n"
            " : tile<ptr<i32>>, tile<i32> -> tile<i32>, token",
            "'cuda_tile.atomic_cas_tko' op memory_ordering_semantics 'seq_cst' cannot be written "
            "as bytecode",
        ),
        (
            "%0, %1 = load_ptr_tko relaxed cluster %p : tile<ptr<f32>> -> tile<f32>, token",
            "'cuda_tile.load_ptr_tko' op memory_scope 'cluster' cannot be written as bytecode",
        ),
        (
            "%0, %1 = atomic_rmw_tko relaxed device %q, addu, %n"
            " : tile<ptr<i32>>, tile<i32> -> tile<i32>, token",
            "'cuda_tile.atomic_rmw_tko' op mode 'addu' cannot be written as bytecode",
        ),
        (
            f"%0 = store_view_tko weak %tile, %view[%n] addr_space = 1"
            f" : tile<8xf32>, {VIEW}, tile<i32> -> token",
            "'cuda_tile.store_view_tko' op addr_space cannot be represented in bytecode",
        ),
        (
            f"%0, %1 = load_view_tko weak %view[%n] align = 16"
            f" : {VIEW}, tile<i32> -> tile<8xf32>, token",
            "'cuda_tile.load_view_tko' op align cannot be represented in bytecode",
        ),
        (
            f"%0 = store_view_tko weak %view[%n], %tile, %mask"
            f" : {VIEW}, tile<8xf32>, tile<8xi1>, tile<i32> -> token",
            "'cuda_tile.store_view_tko' op mask cannot be represented in bytecode",
        ),
        (
            "%0 = reduce %tile {axis = 0 : i32} : tile<8xf32> -> tile<f32> {\n"
            "  ^bb0(%x: tile<f32>, %y: tile<f32>):\n    yield %x : tile<f32>\n  }",
            "'cuda_tile.reduce' op without identities cannot be written as bytecode",
        ),
        (
            '%0 = negf %a : tile<f32> loc("name"("f":1:1))',
            "'cuda_tile.negf' op unsupported location, got NameLoc, expected DILocAttr or "
            "CallSiteLoc",
        ),
        (
            '%0 = negf %a : tile<f32> loc(callsite("f":1:1 at fused["g":2:2]))',
            "'cuda_tile.negf' op unsupported location, got FusedLoc, expected DILocAttr or "
            "CallSiteLoc",
        ),
        (
            '%0 = "test.op"() : () -> !cuda_tile.tile<f32>',
            "only ops from the 'cuda_tile' dialect are allowed, got 'test.op' op",
        ),
        ('print "text"', "'cuda_tile.print' op cannot be represented in bytecode"),
        (
            "%0 = make_token : token\n  %1 = token.join [%0] : token",
            "'cuda_tile.token.join' op cannot be represented in bytecode",
        ),
    ],
)
def test_text_that_bytecode_cannot_hold(body: str, message: str):
    module = kernel(body)
    for version in VERSIONS:
        assert refusal(module, version) == message


@pytest.mark.parametrize("name", ["module", "entry", "global"])
def test_attributes_at_module_level(name: str):
    module = load_text("global @g <i32: 1> : tile<1xi32>\nentry @k() {\n  return\n}")
    find(module, name).attributes["note"] = UnitAttr()
    message = f"'cuda_tile.{name}' op attribute 'note' cannot be represented in bytecode"
    assert refusal(module) == message


@pytest.mark.parametrize("name", ["arg_attrs", "res_attrs"])
def test_attributes_of_arguments(name: str):
    module = kernel("")
    find(module, "entry").properties[name] = ArrayAttr([DictionaryAttr({})])
    assert refusal(module) == f"'cuda_tile.entry' op {name} cannot be represented in bytecode"


@pytest.mark.parametrize(
    "value",
    [
        UnitAttr(),
        IntegerAttr(1, IndexType()),
        IntegerAttr(1, IntegerType(7)),
        IntegerAttr(1, IntegerType(8, Signedness.SIGNED)),
        DenseElementsAttr.from_bits(TileType(i32, [2]), [1, 2]),
        ArrayAttr([UnitAttr()]),
        DictionaryAttr({"inner": UnitAttr()}),
    ],
    ids=str,
)
def test_hints_that_bytecode_cannot_hold(value: Attribute):
    module = kernel("%0 = store_ptr_tko weak %p, %a : tile<ptr<f32>>, tile<f32> -> token")
    hints = OptimizationHintsAttr.from_dict({"sm_90": {"x": value}})
    for name in ("store_ptr_tko", "entry"):
        op = find(module, name)
        op.properties["optimization_hints"] = hints
        message = refusal(module)
        assert message.startswith(f"'cuda_tile.{name}' op ")
        assert message.endswith(" cannot be written as bytecode")


def test_types_that_bytecode_cannot_hold():
    module = load_text("entry @k(%a: index) {\n  return\n}")
    assert refusal(module) == "'cuda_tile.entry' op type 'index' cannot be written as bytecode"


def test_functions_of_tests():
    module = load_text("testing$func @f() {\n  return\n}")
    message = (
        "only function and global ops are allowed in the body, got 'cuda_tile.testing$func' op"
    )
    assert refusal(module) == message


def test_one_module_is_written():
    one = load_text("entry @k() {\n  return\n}")
    inner = find(one, "module")
    assert isinstance(inner, ct.ModuleOp)
    assert write(inner) == write(one)
    two = ModuleOp([inner.clone(), inner.clone()])
    assert refusal(two) == "expected one cuda_tile.module, got 2"
    assert refusal(ModuleOp([])) == "expected one cuda_tile.module, got 0"
    foreign = ModuleOp([test.TestOp()])
    assert refusal(foreign) == "expected one cuda_tile.module, got 'test.op' op"


def test_values_out_of_reach():
    """The module is not verified: the value is used before it is defined."""
    module = kernel("%0 = negf %a : tile<f32>\n  %1 = absf %0 : tile<f32>")
    first, second = find(module, "negf"), find(module, "absf")
    first.operands[0] = SSAValue.get(second.results[0])
    message = (
        "'cuda_tile.negf' op uses a value of 'cuda_tile.absf' op where bytecode cannot refer to it"
    )
    assert refusal(module) == message


@pytest.mark.parametrize("version", ["13.0", "13.5", "13", "", "13.1.0", "latest"])
def test_unknown_versions(version: str):
    assert refusal(kernel(""), version) == (
        f"unsupported Tile version {version}, supported are 13.1, 13.2, 13.3, 13.4"
    )


def test_errors_are_diagnostics():
    assert issubclass(BytecodeError, DiagnosticException)


# Written, but in one form only


def test_inbounds_of_no_dimension_is_none():
    """NVIDIA's text leaves it out, so what is read from either is the same."""
    load_op = f"load_view_tko weak %view[%n] {{}} : {VIEW}, tile<i32> -> tile<8xf32>, token"
    explicit = kernel(f"%0, %1 = {load_op.replace('{}', 'inbounds = [false]')}")
    absent = kernel(f"%0, %1 = {load_op.replace('{}', '')}")
    assert write(explicit) == write(absent)
    assert_same(read(write(explicit)), absent)
    for version in VERSIONS:
        write(explicit, version)


def test_inbounds_of_another_size_is_rejected():
    module = kernel(
        f"%0, %1 = load_view_tko weak %view[%n] : {VIEW}, tile<i32> -> tile<8xf32>, token"
    )
    for values in ([], [False, False], [True, True]):
        find(module, "load_view_tko").properties["inbounds"] = bool_array(values)
        with pytest.raises(BytecodeError, match=rf"inbounds size \({len(values)}\) must match"):
            read(write(module))


def test_the_name_of_the_module_is_not_kept():
    module = load_text("cuda_tile.module @mine {\n  entry @k() {\n    return\n  }\n}")
    assert find(read(write(module)), "module").properties["sym_name"] == StringAttr("kernels")


def test_globals_come_first():
    text = "entry @k() {\n  return\n}\nglobal @g <i32: 1> : tile<1xi32>"
    assert print_public(read(write(load(text)))).startswith("global")


def test_locations_of_globals_are_not_kept():
    module = load('global @g <i32: 1> : tile<1xi32> loc("f":1:2)\n')
    assert print_public(read(write(module)), debuginfo=True).endswith("#loc = loc(unknown)\n")


def test_empty_module(disassemble: Disassembler):
    module = load_text("cuda_tile.module @kernels {\n}")
    for version in VERSIONS:
        data = write(module, version)
        assert_same(read(data), module)
        assert disassemble.text(data).strip() == ""


def test_private_entries(disassemble: Disassembler):
    module = load_text('entry @k() {\n  return\n} {sym_visibility = "private"}')
    for version in VERSIONS:
        data = write(module, version)
        assert_same(read(data), module)
        assert disassemble.text(data) == print_public(module)
    find(module, "entry").attributes["sym_visibility"] = StringAttr("nested")
    message = "'cuda_tile.entry' op attribute 'sym_visibility' cannot be represented in bytecode"
    assert refusal(module) == message


def test_print_without_a_token(disassemble: Disassembler):
    """Version 13.1 has nothing else; reading gives every print a token, as NVIDIA does."""
    module = load_text(
        'entry @k() {\n  "cuda_tile.print_tko"() <{str = "x",'
        " operandSegmentSizes = array<i32: 0, 0>}> : () -> ()\n  return\n}"
    )
    data = write(module, "13.1")
    assert disassemble.text(data) == print_public(read(data))
    assert len(find(read(data), "print_tko").results) == 1
    message = "'cuda_tile.print_tko' op without a result token cannot be represented in bytecode"
    for version in VERSIONS[1:]:
        assert refusal(module, version) == message


# What our public text prints in another way than NVIDIA's


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (FloatAttr(1.5, f32), "1.500000e+00"),
        (FloatAttr(-2.5, f64), "-2.500000e+00"),
        (FloatAttr(float("-inf"), f16), "0xFC00"),
        (IntegerAttr(5, IntegerType(64)), "5"),
        (TileType(f32, [4]), "!cuda_tile.tile<4xf32>"),
        (ArrayAttr([IntegerAttr(2, IntegerType(64))]), "[2]"),
        (
            DictionaryAttr({"b": IntegerAttr(1, i32), "a": IntegerAttr(2, i32)}),
            "{a = 2 : i32, b = 1 : i32}",
        ),
    ],
    ids=str,
)
def test_hints(value: Attribute, text: str, disassemble: Disassembler):
    module = load_text("entry @k() {\n  return\n}")
    hints = OptimizationHintsAttr.from_dict({"sm_90": {"x": value}})
    find(module, "entry").properties["optimization_hints"] = hints
    for version in VERSIONS:
        data = write(module, version)
        assert_same(read(data), module)
        expected = f"entry @k() optimization_hints=<sm_90 = {{x = {text}}}> {{"
        assert disassemble.text(data).splitlines()[0] == expected
