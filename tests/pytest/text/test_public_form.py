"""
The public text form, character by character: what NVIDIA's 13.4 disassembler writes, and
that it is read back. The corpus has whole kernels; here is what they do not contain.
"""

import subprocess
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.utils.exceptions import DiagnosticException, ParseError

from tileiras_xdsl.dialects.cuda_tile import CudaTile, PublicPrinter
from tileiras_xdsl.dialects.cuda_tile import ModuleOp as CudaTileModuleOp
from tileiras_xdsl.frontend import bytecode
from tileiras_xdsl.frontend.targets import CudaTilePublicTarget
from tileiras_xdsl.frontend.text import TextParser

from ..harness.modules import context, context_of, parse, print_module

HEADER = "entry @k(%arg0: tile<f32>, %arg1: tile<i32>, %arg2: tile<i1>, %arg3: tile<ptr<f32>>) {"


def to_public(module: ModuleOp, *, wrapper: bool = False, debuginfo: bool = False) -> str:
    output = StringIO()
    CudaTilePublicTarget(module=wrapper, debuginfo=debuginfo).emit(context(), module, output)
    return output.getvalue()


def check(text: str) -> None:
    """This text is printed as it stands, and the default text leads back to it."""
    module = parse(text)
    assert to_public(module) == text
    assert to_public(parse(print_module(module))) == text


def in_entry(lines: str) -> str:
    body = "".join(f"  {line}\n" for line in lines.splitlines())
    return f"{HEADER}\n{body}  return\n}}\n"


SPACING_AND_ELISION = (
    # An absent rounding clause leaves its space behind.
    "%0 = addf %arg0, %arg0  : tile<f32>",
    "%0 = addf %arg0, %arg0  flush_to_zero : tile<f32>",
    "%0 = fma %arg0, %arg0, %arg0  : tile<f32>",
    "%0 = sqrt %arg0  : tile<f32>",
    "%0 = exp %arg0  : tile<f32>",
    "%0 = ftoi %arg0 signed  : tile<f32> -> tile<i32>",
    "%0 = ftof %arg0  : tile<f32> -> tile<f16>",
    "%0 = itof %arg1 unsigned  : tile<i32> -> tile<f32>",
    "%0 = divf %arg0, %arg0  : tile<f32>",
    "%0 = tanh %arg0  : tile<f32>",
    # That of `divi` does not, and neither does an overflow clause.
    "%0 = divi %arg1, %arg1 signed : tile<i32>",
    "%0 = addi %arg1, %arg1 : tile<i32>",
    "%0 = trunci %arg1 : tile<i32> -> tile<i8>",
    # Hints show even if there are none; flags show only if they are set.
    "%result, %result_token = load_ptr_tko weak %arg3 optimization_hints = <> "
    ": tile<ptr<f32>> -> tile<f32>, token",
    "%0 = alloca num_elem = 64, alignment = 128 : tile<ptr<f32>>",
    "%0 = maxf %arg0, %arg0 propagate_nan : tile<f32>",
    # Scopes, the place of the mode, the order of operands, index types, and tokens.
    "%result, %result_token = load_ptr_tko acquire device %arg3 "
    ": tile<ptr<f32>> -> tile<f32>, token\n"
    "%result_0, %result_token_1 = atomic_rmw_tko relaxed device %arg3, addf, %result "
    "token=%result_token : tile<ptr<f32>>, tile<f32> -> tile<f32>, token\n"
    "%result_2, %result_token_3 = atomic_cas_tko acq_rel tl_blk %arg3, %arg0, %result, %arg2 "
    ": tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token\n"
    "%tview = make_tensor_view %arg3, shape = [8], strides = [1] "
    ": tensor_view<8xf32, strides=[1]>\n"
    "%pview = make_partition_view %tview "
    ": partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>\n"
    "%tile, %result_token_4 = load_view_tko weak %pview[%arg1] token = %result_token "
    ": partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> "
    "-> tile<4xf32>, token\n"
    "%0 = store_view_tko release sys %tile, %pview[%arg1] token = %result_token_4 "
    "inbounds = [true] : tile<4xf32>, partition_view<tile=(4), "
    "tensor_view<8xf32, strides=[1]>>, tile<i32> -> token\n"
    "%1 = memory_fence_alias_tko %0\n"
    "%2 = gdc_wait_tko token = %1 -> token\n"
    "%3 = join_tokens %1, %2 : token",
    # Terminators without values are left out where they are understood.
    "if %arg2 {\n}",
    "if %arg2 {\n} else {\n}",
    "if %arg2 {\n  return\n}",
    "for %loopIdx in (%arg1 to %arg1, step %arg1) : tile<i32> {\n}",
    "loop {\n  break\n}",
    "loop {\n}",
    # Types in dictionaries keep their prefix.
    "%0 = iota {t = !cuda_tile.tile<4xptr<f32>>} : tile<8xi32>",
    '%0 = print_tko "x" -> token',
    "%0 = fpowf %arg0, %arg0 : tile<f32>",
)


@pytest.mark.parametrize("lines", SPACING_AND_ELISION)
@pytest.mark.requirement("P-12")
def test_public_spacing_and_elision(lines: str):
    check(in_entry(lines))


NAMES = (
    # A clash takes the next number of the one counter.
    "%cst_1_i32 = constant <i32: 1> : tile<i32>\n"
    "%cst_1_i32_0 = constant <i32: 1> : tile<4xi32>\n"
    "%cst_2_i32 = constant <i32: 2> : tile<i32>\n"
    "%cst_2_i32_1 = constant <i32: 2> : tile<i32>",
    # Constants are called by value and element type.
    "%true = constant <i1: true> : tile<i1>\n"
    "%false = constant <i1: false> : tile<4xi1>\n"
    "%cst_i1 = constant <i1: [true, false]> : tile<2xi1>\n"
    "%cst_-1_i8 = constant <i8: -1> : tile<i8>\n"
    "%cst_i32 = constant <i32: [1, 2]> : tile<2xi32>\n"
    "%cst_0_f16 = constant <f16: 0.000000e+00> : tile<f16>\n"
    "%cst_f16 = constant <f16: -0.000000e+00> : tile<f16>\n"
    "%cst_f32 = constant <f32: 5.000000e-01> : tile<f32>\n"
    "%cst_f32_0 = constant <f32: 0x7F800000> : tile<f32>\n"
    "%cst_NaN_f32 = constant <f32: 0x7FC00000> : tile<f32>",
    # `assume` is called by what it is about.
    "%assume = assume div_by<16>, %arg1 : tile<i32>\n"
    "%assume_assume = assume bounded<0, ?>, %assume : tile<i32>\n"
    "%0 = addi %arg1, %arg1 : tile<i32>\n"
    "%assume_0 = assume div_by<4>, %0 : tile<i32>\n"
    "%cst_8_i32 = constant <i32: 8> : tile<i32>\n"
    "%assume_cst_8_i32 = assume div_by<8>, %cst_8_i32 : tile<i32>",
    # Results without names of their own share one.
    "%tview = make_tensor_view %arg3, shape = [4, 8], strides = [8, 1] "
    ": tensor_view<4x8xf32, strides=[8,1]>\n"
    "%0:2 = get_tensor_shape %tview : tensor_view<4x8xf32, strides=[8,1]> -> tile<i32>\n"
    "%1 = addi %0#0, %0#1 : tile<i32>",
    # Regions count on from what is around them, each for itself.
    "%0 = addi %arg1, %arg1 : tile<i32>\n"
    "if %arg2 {\n"
    "  %2 = addi %0, %0 : tile<i32>\n"
    "} else {\n"
    "  %2 = subi %0, %0 : tile<i32>\n"
    "}\n"
    "%1 = muli %0, %0 : tile<i32>",
    "%0 = iota : tile<8xi32>\n"
    "%reduce:2 = reduce %0, %0 dim=0 identities=[0 : i32, 1 : i32] "
    ": tile<8xi32>, tile<8xi32> -> tile<i32>, tile<i32> \n"
    "(%reduce_lhs0: tile<i32>, %reduce_rhs0: tile<i32>, "
    "%reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {\n"
    "  yield %reduce_lhs0, %reduce_lhs1 : tile<i32>, tile<i32>\n"
    "}\n"
    "%1 = scan %0 dim=0 reverse=true identities=[0 : i32] : tile<8xi32> -> tile<8xi32> \n"
    "(%arg4: tile<i32>, %arg5: tile<i32>) {\n"
    "  yield %arg4 : tile<i32>\n"
    "}",
)


@pytest.mark.parametrize("lines", NAMES)
@pytest.mark.requirement("P-12")
def test_public_names_of_values(lines: str):
    check(in_entry(lines))


@pytest.mark.parametrize(
    ("element", "identity"),
    [
        ("i1", "true"),
        ("i8", "-1 : i8"),
        ("i64", "-1"),
        ("f16", "0.000000e+00 : f16"),
        ("f32", "0xFF800000 : f32"),
        ("f64", "1.000000e+00"),
        ("f64", "0xFFF0000000000000 : f64"),
    ],
)
@pytest.mark.requirement("P-12")
def test_public_identities_of_reductions(element: str, identity: str):
    header = f"testing$func @f(%arg0: tile<8x{element}>) {{"
    tile = f"tile<{element}>"
    check(
        f"{header}\n"
        f"  %reduce = reduce %arg0 dim=0 identities=[{identity}] "
        f": tile<8x{element}> -> {tile} \n"
        f"  (%reduce_lhs: {tile}, %reduce_rhs: {tile}) {{\n"
        f"    yield %reduce_lhs : {tile}\n"
        "  }\n"
        "  return\n"
        "}\n"
    )


MODULE_LEVEL = (
    "// Producer: demo 1.0\n"
    "global  @a <i8: 1> : tile<4xi8>\n"
    "global private  @b alignment = 16 <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>\n"
    "global  constant @c <i8: 1> : tile<4xi8>\n"
    "global private  constant @d <i8: 1> : tile<4xi8>\n"
    "entry @e() optimization_hints=<sm_100 = {num_cta_in_cga = 2, occupancy = 3}> {\n"
    "  return\n"
    "}\n"
    "entry @f() {\n"
    "  return\n"
    "}\n"
)


@pytest.mark.requirement("P-11", "P-12")
def test_public_globals_and_entries_stand_without_a_module():
    check(MODULE_LEVEL)


ALL_TEXTS = (*map(in_entry, (*SPACING_AND_ELISION, *NAMES)), MODULE_LEVEL)


@pytest.mark.parametrize("text", ALL_TEXTS)
@pytest.mark.requirement("P-12")
def test_nvidias_disassembler_writes_the_same(
    text: str, oracle_program: Callable[[str], Path], tmp_path: Path
):
    """NVIDIA's disassembler writes these texts, too."""
    if "{t = " in text:
        text = text.replace("{t = !cuda_tile.tile<4xptr<f32>>} ", "")  # not in bytecode
    path = tmp_path / "kernel.tileirbc"
    path.write_bytes(bytecode.write(parse(text)))
    program = oracle_program("tileirdisasm")
    result = subprocess.run([program, path], capture_output=True, check=True)
    assert result.stdout.decode() == text


@pytest.mark.requirement("P-12")
def test_only_the_default_form_has_what_the_public_one_leaves_out():
    text = """
    cuda_tile.module @named {
      entry @k(%c: tile<i1>) optimization_hints=<> { if %c { yield } } {arg_attrs = [{}]}
    }"""
    module = parse(text)
    assert to_public(module) == "entry @k(%arg0: tile<i1>) {\n  if %arg0 {\n  }\n  return\n}\n"
    for word in ("@named", "optimization_hints=<>", "yield", "arg_attrs", "^then:", "%c"):
        assert word in print_module(module)


WRAPPED = """\
cuda_tile.module @m attributes {my.tag, producer = "demo 1.0"} {
  entry @k() {
    %0 = make_token : token
    return
  }
}
"""


@pytest.mark.requirement("P-12")
def test_public_text_with_a_module_around_it():
    module = parse(WRAPPED)
    assert to_public(module, wrapper=True) == WRAPPED
    assert parse(to_public(module, wrapper=True)).is_structurally_equivalent(module)
    assert to_public(module) == (
        "// Producer: demo 1.0\nentry @k() {\n  %0 = make_token : token\n  return\n}\n"
    )
    empty = "cuda_tile.module @a {\n}\ncuda_tile.module @b {\n}\n"
    assert to_public(parse(empty), wrapper=True) == empty
    assert to_public(parse("builtin.module {}"), wrapper=True) == ""


@pytest.mark.requirement("P-12")
def test_public_text_with_locations():
    text = (
        "entry @k() {\n"
        "  %0 = make_token : token loc(#loc2)\n"
        "  return loc(#loc1)\n"
        "} loc(#loc)\n"
        '#loc = loc("a.py":1:2)\n'
        '#loc1 = loc("a.py":3:4)\n'
        "#loc2 = loc(callsite(#loc1 at #loc))\n"
    )
    module = parse(text)
    printed = to_public(module, debuginfo=True)
    assert to_public(parse(printed), debuginfo=True) == printed
    assert sorted(printed.splitlines()[4:]) == sorted(text.splitlines()[4:])
    for original, reparsed in zip(module.walk(), parse(printed).walk(), strict=True):
        if not isinstance(original, ModuleOp | CudaTileModuleOp):
            assert original.location == reparsed.location


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"test.op"() : () -> ()', "cannot print 'test.op' in the public form: expected cuda_tile"),
        (
            'entry @k() { "test.op"() : () -> () return }',
            "cannot print 'test.op' in the public form: expected an op of cuda_tile",
        ),
        (
            "cuda_tile.module @a {} cuda_tile.module @b {}",
            "cannot print 2 modules in the public form without 'module=true'",
        ),
        ("builtin.module {}", "cannot print 0 modules in the public form without 'module=true'"),
    ],
)
@pytest.mark.requirement("P-12")
def test_what_has_no_public_form_is_refused(text: str, message: str):
    with pytest.raises(DiagnosticException) as info:
        to_public(parse(text))
    assert message in str(info.value)


@pytest.mark.requirement("P-12")
def test_nothing_is_written_before_a_refusal():
    output = StringIO()
    text = "entry @a() { return } entry @b() { %t = token.join [] : token return }"
    with pytest.raises(DiagnosticException, match="a join of fewer than two tokens"):
        CudaTilePublicTarget().emit(context(), parse(text), output)
    assert output.getvalue() == ""


@pytest.mark.requirement("P-12")
def test_unregistered_ops_are_named():
    ctx = context_of(Builtin, CudaTile, allow_unregistered=True)
    text = 'cuda_tile.module @m { entry @k() { "no.such"() : () -> () return } }'
    module = TextParser(ctx, text, "in.mlir").parse_module()
    with pytest.raises(DiagnosticException, match=r"cannot print 'no\.such' in the public form"):
        to_public(module)


@pytest.mark.requirement("P-11")
def test_the_public_form_is_read_inside_and_outside_of_a_module():
    body = "global  @g <i32: 1> : tile<1xi32>\nentry @k() {\n  return\n}\n"
    wrapped = parse(f"cuda_tile.module @kernels {{ {body} }}")
    assert parse(body).is_structurally_equivalent(wrapped)
    with pytest.raises(ParseError, match="Operation if is not registered"):
        parse("if %c { }")


def test_public_printer_prints_single_ops():
    """Such as diagnostics and notebooks ask for: names are missing, the rest is public."""
    module = parse("entry @k(%a: tile<f32>) { %0 = addf %a, %a : tile<f32> return }")
    (add,) = (op for op in module.walk() if op.name == "cuda_tile.addf")
    output = StringIO()
    PublicPrinter(stream=output).print_op(add)
    assert output.getvalue().endswith("addf %a, %a  : tile<f32>")
