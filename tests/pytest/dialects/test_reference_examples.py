"""
One example of every op as the public disassembler and MLIR's generic printer write it.

Each is wrapped in a `testing$func` whose arguments are the operands it leaves undefined. Then it
parses, verifies, prints in the public form to the same text (up to names and runs of blanks), and
comes back from the default, the generic and the public form.
"""

import re

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.dialects import cuda_tile

from ..harness.modules import parse, print_module, print_public

ARGUMENTS = {
    "%arg0": "tile<f32>",
    "%arg1": "tile<f32>",
    "%arg2": "tile<i32>",
    "%arg3": "tile<i32>",
    "%arg4": "tile<i1>",
    "%arg5": "tile<ptr<f32>>",
}
"""Operands that most examples use."""

TENSOR = "tensor_view<?x64xf32, strides=[64,1]>"
VIEW = f"partition_view<tile=(8x8), {TENSOR}>"
GATHER_VIEW = f"gather_scatter_view<tile=(8x8), {TENSOR}, sparse_dim=0>"

Example = tuple[str, dict[str, str]]
"""A text and the types of the operands it takes beside `ARGUMENTS`."""

MODULES = (
    "global @g <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>",
    "global private constant @g <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>",
    """\
entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) \
optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {
  return
}""",
)
"""What stands at the level of the module."""

OPERATIONS: tuple[Example, ...] = (
    # Module, kernel, constants
    ("%0 = get_global @g : tile<ptr<f32>>", {}),
    ("%blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>", {}),
    ("%gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>", {}),
    ("%cst_f32 = constant <f32: 1.500000e+00> : tile<2x2xf32>", {}),
    ("%cst_i32 = constant <i32: [1, -2, 3, 4]> : tile<4xi32>", {}),
    # Control flow
    (
        """\
%0 = if %arg4 -> (tile<f32>) {
  yield %arg0 : tile<f32>
} else {
  yield %arg1 : tile<f32>
}""",
        {},
    ),
    (
        """\
%for = for %loopIdx in (%arg2 to %arg3, step %arg2) : tile<i32> \
iter_values(%iterArg0 = %arg0) -> (tile<f32>) {
  %0 = addf %iterArg0, %arg1  : tile<f32>
  continue %0 : tile<f32>
}""",
        {},
    ),
    (
        """\
%0 = loop iter_values(%arg6 = %arg2) : tile<i32> -> tile<f32> {
  if %arg4 {
    break %arg0 : tile<f32>
  }
  continue %arg6 : tile<i32>
}""",
        {},
    ),
    ('assert %arg4, "bad index" : tile<i1>', {}),
    # Integer and bitwise arithmetic
    ("%0 = addi %arg2, %arg3 overflow<no_signed_wrap> : tile<i32>", {}),
    ("%0 = subi %arg2, %arg3 overflow<no_signed_wrap> : tile<i32>", {}),
    ("%0 = muli %arg2, %arg3 overflow<no_signed_wrap> : tile<i32>", {}),
    ("%0 = shli %arg2, %arg3 overflow<no_signed_wrap> : tile<i32>", {}),
    ("%0 = andi %arg2, %arg3 : tile<i32>", {}),
    ("%0 = ori %arg2, %arg3 : tile<i32>", {}),
    ("%0 = xori %arg2, %arg3 : tile<i32>", {}),
    ("%0 = mulhii %arg2, %arg3 : tile<i32>", {}),
    ("%0 = divi %arg2, %arg3 signed rounding<negative_inf> : tile<i32>", {}),
    ("%0 = remi %arg2, %arg3 signed : tile<i32>", {}),
    ("%0 = maxi %arg2, %arg3 signed : tile<i32>", {}),
    ("%0 = mini %arg2, %arg3 signed : tile<i32>", {}),
    ("%0 = shri %arg2, %arg3 signed : tile<i32>", {}),
    ("%0 = absi %arg2 : tile<i32>", {}),
    ("%0 = negi %arg2 overflow<no_signed_wrap> : tile<i32>", {}),
    ("%0 = cmpi less_than %arg2, %arg3, signed : tile<i32> -> tile<i1>", {}),
    # Floating-point arithmetic
    ("%0 = absf %arg0 : tile<f32>", {}),
    ("%0 = negf %arg0 : tile<f32>", {}),
    ("%0 = ceil %arg0 : tile<f32>", {}),
    ("%0 = floor %arg0 : tile<f32>", {}),
    ("%0 = sin %arg0 : tile<f32>", {}),
    ("%0 = cos %arg0 : tile<f32>", {}),
    ("%0 = tan %arg0 : tile<f32>", {}),
    ("%0 = sinh %arg0 : tile<f32>", {}),
    ("%0 = cosh %arg0 : tile<f32>", {}),
    ("%0 = log %arg0 : tile<f32>", {}),
    ("%0 = log2 %arg0 : tile<f32>", {}),
    ("%0 = exp %arg0 rounding<approx> : tile<f32>", {}),
    ("%0 = tanh %arg0 rounding<approx> : tile<f32>", {}),
    ("%0 = exp2 %arg0 flush_to_zero : tile<f32>", {}),
    ("%0 = rsqrt %arg0 flush_to_zero : tile<f32>", {}),
    ("%0 = sqrt %arg0 rounding<approx> flush_to_zero : tile<f32>", {}),
    ("%0 = addf %arg0, %arg1 rounding<zero> flush_to_zero : tile<f32>", {}),
    ("%0 = subf %arg0, %arg1 rounding<zero> flush_to_zero : tile<f32>", {}),
    ("%0 = mulf %arg0, %arg1 rounding<zero> flush_to_zero : tile<f32>", {}),
    ("%0 = divf %arg0, %arg1 rounding<approx> flush_to_zero : tile<f32>", {}),
    ("%0 = fma %arg0, %arg1, %arg0 rounding<negative_inf> : tile<f32>", {}),
    ("%0 = remf %arg0, %arg1 : tile<f32>", {}),
    ("%0 = atan2 %arg0, %arg1 : tile<f32>", {}),
    ("%0 = fpowf %arg0, %arg1 : tile<f32>", {}),
    ("%0 = fpowi %arg0, %arg2 : tile<f32>, tile<i32>", {}),
    ("%0 = maxf %arg0, %arg1 flush_to_zero propagate_nan : tile<f32>", {}),
    ("%0 = minf %arg0, %arg1 propagate_nan : tile<f32>", {}),
    ("%0 = cmpf less_than ordered %arg0, %arg1 : tile<f32> -> tile<i1>", {}),
    # Conversions
    ("%0 = bitcast %arg0 : tile<f32> -> tile<i32>", {}),
    ("%0 = exti %arg2 signed : tile<i32> -> tile<i64>", {}),
    ("%0 = trunci %arg2 overflow<no_signed_wrap> : tile<i32> -> tile<i8>", {}),
    ("%0 = ftof %arg0 rounding<zero> : tile<f32> -> tile<f8E8M0FNU>", {}),
    ("%0 = ftoi %arg0 signed  saturating : tile<f32> -> tile<i32>", {}),
    ("%0 = itof %arg2 unsigned  : tile<i32> -> tile<f32>", {}),
    ("%1 = int_to_ptr %0 : tile<i64> -> tile<ptr<f32>>", {"%0": "tile<i64>"}),
    ("%0 = ptr_to_int %arg5 : tile<ptr<f32>> -> tile<i64>", {}),
    ("%0 = ptr_to_ptr %arg5 : tile<ptr<f32>> -> tile<ptr<i32>>", {}),
    ("%0 = pack %bcast : tile<4xf32> -> tile<16xi8>", {"%bcast": "tile<4xf32>"}),
    ("%1 = unpack %0 : tile<16xi8> -> tile<4xf32>", {"%0": "tile<16xi8>"}),
    # Shape, selection, pointers, assumptions
    (
        "%bcast = broadcast %reshape : tile<1x1xf32> -> tile<4x8xf32>",
        {"%reshape": "tile<1x1xf32>"},
    ),
    ("%reshape = reshape %arg0 : tile<f32> -> tile<1x1xf32>", {}),
    (
        "%0 = permute %bcast [2, 0, 1] : tile<2x4x8xf32> -> tile<8x2x4xf32>",
        {"%bcast": "tile<2x4x8xf32>"},
    ),
    (
        "%0 = cat %bcast, %bcast dim = 1 : tile<4x8xf32>, tile<4x8xf32> -> tile<4x16xf32>",
        {"%bcast": "tile<4x8xf32>"},
    ),
    (
        "%0 = extract %bcast[%arg2, %arg3] : tile<4x8xf32> -> tile<2x8xf32>",
        {"%bcast": "tile<4x8xf32>"},
    ),
    (
        "%0 = insert %bcast, %bcast_1[%arg2, %arg3] : tile<2x8xf32>, tile<4x8xf32>",
        {"%bcast": "tile<2x8xf32>", "%bcast_1": "tile<4x8xf32>"},
    ),
    ("%0 = iota : tile<16xi32>", {}),
    ("%0 = select %arg4, %arg0, %arg1 : tile<i1>, tile<f32>", {}),
    ("%0 = offset %arg5, %arg2 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>", {}),
    ("%assume = assume div_by<16>, %arg2 : tile<i32>", {}),
    ("%assume_0 = assume bounded<0, ?>, %arg2 : tile<i32>", {}),
    # Aggregates
    (
        """\
%reduce = reduce %bcast dim=1 identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32>
(%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
  %0 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
  yield %0 : tile<f32>
}""",
        {"%bcast": "tile<4x8xf32>"},
    ),
    (
        """\
%0 = scan %bcast dim=1 reverse=false identities=[1.000000e+00 : f32] \
: tile<4x8xf32> -> tile<4x8xf32>
(%arg6: tile<f32>, %arg7: tile<f32>) {
  %1 = mulf %arg6, %arg7  : tile<f32>
  yield %1 : tile<f32>
}""",
        {"%bcast": "tile<4x8xf32>"},
    ),
    # Matrix multiply
    (
        "%0 = mmaf %cst_0_f16, %cst_0_f16_0, %bcast "
        ": tile<16x32xf16>, tile<32x8xf16>, tile<16x8xf32>",
        {
            "%cst_0_f16": "tile<16x32xf16>",
            "%cst_0_f16_0": "tile<32x8xf16>",
            "%bcast": "tile<16x8xf32>",
        },
    ),
    (
        "%0 = mmaf_scaled %cst_0_f8E4M3FN, %cst_0_f8E4M3FN_0, %bcast, %cst_f8E8M0FNU, "
        "%cst_f8E8M0FNU_1 : tile<16x64xf8E4M3FN>, tile<64x8xf8E4M3FN>, tile<16x8xf32>, "
        "tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>",
        {
            "%cst_0_f8E4M3FN": "tile<16x64xf8E4M3FN>",
            "%cst_0_f8E4M3FN_0": "tile<64x8xf8E4M3FN>",
            "%bcast": "tile<16x8xf32>",
            "%cst_f8E8M0FNU": "tile<16x2xf8E8M0FNU>",
            "%cst_f8E8M0FNU_1": "tile<2x8xf8E8M0FNU>",
        },
    ),
    (
        "%0 = mmai %cst_0_i8, %cst_0_i8_0, %bcast signed unsigned "
        ": tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>",
        {
            "%cst_0_i8": "tile<16x32xi8>",
            "%cst_0_i8_0": "tile<32x8xi8>",
            "%bcast": "tile<16x8xi32>",
        },
    ),
    # Tokens, pointer memory, atomics, print
    ("%0 = make_token : token", {}),
    ("%2 = join_tokens %0, %1 : token", {"%0": "token", "%1": "token"}),
    ("%1 = memory_fence_alias_tko %0", {"%0": "token"}),
    ("%1 = gdc_wait_tko token = %0 -> token", {"%0": "token"}),
    ("%0 = gdc_launch_dependents_tko -> token", {}),
    ("%0 = alloca num_elem = 64, alignment = 128 global : tile<ptr<f32>>", {}),
    (
        "%result, %result_token = load_ptr_tko weak %arg5 : tile<ptr<f32>> -> tile<f32>, token",
        {},
    ),
    (
        "%result_0, %result_token_1 = load_ptr_tko acquire device %arg5, %arg4, %arg0 token=%0 "
        "optimization_hints = <sm_100 = {latency = 5}> "
        ": tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token",
        {"%0": "token"},
    ),
    ("%0 = store_ptr_tko weak %arg5, %arg0 : tile<ptr<f32>>, tile<f32> -> token", {}),
    (
        "%2 = store_ptr_tko release sys %arg5, %arg0, %arg4 token=%1 "
        ": tile<ptr<f32>>, tile<f32>, tile<i1> -> token",
        {"%1": "token"},
    ),
    (
        "%result, %result_token = atomic_cas_tko acq_rel device %arg5, %arg0, %arg1, %arg4 "
        "token=%0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token",
        {"%0": "token"},
    ),
    (
        "%result, %result_token = atomic_rmw_tko relaxed device %arg5, addf, %arg0, %arg4 "
        "token=%0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token",
        {"%0": "token"},
    ),
    (
        '%1 = print_tko "i=%d f=%f\\0A", %arg2, %arg0 token=%0 : tile<i32>, tile<f32> -> token',
        {"%0": "token"},
    ),
    # Views
    (
        "%tview = make_tensor_view %arg5, shape = [32, 64], strides = [64, 1] "
        ": tensor_view<32x64xf32, strides=[64,1]>",
        {},
    ),
    (
        "%tview_0 = make_tensor_view %arg5, shape = [%arg2, 64], strides = [%arg3, 1] "
        ": tile<i32> -> tensor_view<?x64xf32, strides=[?,1]>",
        {},
    ),
    (
        "%0 = make_tensor_view %base, shape = [%arg2], strides = [1] : "
        "tile<ptr<f32, <none>>>, tile<i32> -> "
        "tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<none>>",
        {"%base": "tile<ptr<f32, <none>>>"},
    ),
    (
        "%pview = make_partition_view %tview "
        f": partition_view<tile=(8x4), padding_value = nan, {TENSOR}, dim_map=[1, 0]>",
        {"%tview": TENSOR},
    ),
    (
        "%sview = make_strided_view %tview "
        f": strided_view<tile=(8x8), traversal_strides=[4,8], {TENSOR}>",
        {"%tview": TENSOR},
    ),
    (f"%gsview = make_gather_scatter_view %tview : {GATHER_VIEW}", {"%tview": TENSOR}),
    (f"%0:2 = get_tensor_shape %tview : {TENSOR} -> tile<i64>", {"%tview": TENSOR}),
    (f"%0:2 = get_index_space_shape %pview : {VIEW} -> tile<i32>", {"%pview": VIEW}),
    (
        f"%tile, %result_token = load_view_tko weak %pview[%arg2, %arg3] : {VIEW}, tile<i32> "
        "-> tile<8x8xf32>, token",
        {"%pview": VIEW},
    ),
    (
        "%tile_1, %result_token_2 = load_view_tko relaxed device %gsview[%0, %arg3] token = %1 "
        "optimization_hints = <sm_100 = {allow_tma = false, latency = 5}> "
        f"inbounds = [true, false] : {GATHER_VIEW}, tile<8xi32>, tile<i32> "
        "-> tile<8x8xf32>, token",
        {"%gsview": GATHER_VIEW, "%0": "tile<8xi32>", "%1": "token"},
    ),
    (
        "%1 = store_view_tko weak %bcast, %pview[%arg2, %arg3] token = %0 "
        f": tile<8x8xf32>, {VIEW}, tile<i32> -> token",
        {"%bcast": "tile<8x8xf32>", "%pview": VIEW, "%0": "token"},
    ),
    (
        "%1 = atomic_red_view_tko relaxed device %pview[%arg2, %arg3], addf, %bcast token = %0 "
        f": tile<8x8xf32>, {VIEW}, tile<i32> -> token",
        {"%bcast": "tile<8x8xf32>", "%pview": VIEW, "%0": "token"},
    ),
)

GENERIC: tuple[Example, ...] = (
    (
        '%2 = "cuda_tile.addf"(%0, %1) '
        "<{flush_to_zero, rounding_mode = #cuda_tile.rounding<zero>}> "
        ": (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>",
        {"%0": "tile<f32>", "%1": "tile<f32>"},
    ),
    (
        '%2 = "cuda_tile.addi"(%0, %1) <{overflow = #cuda_tile.overflow<none>}> '
        ": (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>",
        {"%0": "tile<i32>", "%1": "tile<i32>"},
    ),
    (
        '%2 = "cuda_tile.cmpi"(%0, %1) '
        "<{comparison_predicate = #cuda_tile.comparison_predicate<less_than>, "
        "signedness = #cuda_tile.signedness<signed>}> "
        ": (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i1>",
        {"%0": "tile<i32>", "%1": "tile<i32>"},
    ),
    (
        '%r, %s = "cuda_tile.atomic_rmw_tko"(%p, %v, %t) '
        "<{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 4 : i32, "
        "operandSegmentSizes = array<i32: 1, 1, 0, 1>}> "
        ": (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32>, !cuda_tile.token) "
        "-> (!cuda_tile.tile<f32>, !cuda_tile.token)",
        {"%p": "tile<ptr<f32>>", "%v": "tile<f32>", "%t": "token"},
    ),
    (
        '%r, %s = "cuda_tile.load_view_tko"(%v, %i, %i) '
        "<{inbounds = array<i1: true, false>, memory_ordering_semantics = 1 : i32, "
        "memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 2, 0>, "
        "optimization_hints = #cuda_tile.optimization_hints<sm_100 = "
        "{allow_tma = false, latency = 5}>}> "
        ": (!cuda_tile.partition_view<tile=(8x8), "
        "!cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>, "
        "!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) "
        "-> (!cuda_tile.tile<8x8xf32>, !cuda_tile.token)",
        {"%v": VIEW, "%i": "tile<i32>"},
    ),
    (
        '%c = "cuda_tile.cat"(%a, %b) <{dim = 0 : i64}> '
        ": (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<8xf32>",
        {"%a": "tile<4xf32>", "%b": "tile<4xf32>"},
    ),
    (
        '%c = "cuda_tile.permute"(%a) <{permutation = array<i32: 1, 0>}> '
        ": (!cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<4x2xf32>",
        {"%a": "tile<2x4xf32>"},
    ),
    (
        '%1 = "cuda_tile.assume"(%0) <{predicate = #cuda_tile.bounded<0, ?>}> '
        ": (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>",
        {"%0": "tile<i32>"},
    ),
    ('%0 = "cuda_tile.get_global"() <{name = @g}> : () -> !cuda_tile.tile<ptr<f32>>', {}),
    (
        '%1 = "cuda_tile.scan"(%0) '
        "<{dim = 0 : i32, identities = [0.000000e+00 : f32], reverse = true}> ({\n"
        "^bb0(%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>):\n"
        '"cuda_tile.yield"(%a) : (!cuda_tile.tile<f32>) -> ()\n'
        "}) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>",
        {"%0": "tile<8xf32>"},
    ),
    (
        '%r = "cuda_tile.for"(%lb, %ub, %s, %init) <{unsignedCmp}> ({\n'
        "^bb0(%iv: !cuda_tile.tile<i32>, %a: !cuda_tile.tile<f32>):\n"
        '"cuda_tile.continue"(%a) : (!cuda_tile.tile<f32>) -> ()\n'
        "}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, "
        "!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>",
        {"%lb": "tile<i32>", "%ub": "tile<i32>", "%s": "tile<i32>", "%init": "tile<f32>"},
    ),
)


def wrap(text: str, operands: dict[str, str]) -> str:
    arguments = ", ".join(f"{name}: {ty}" for name, ty in (ARGUMENTS | operands).items())
    return (
        "global @g <f32: [1.0, 2.0]> : tile<2xf32>\n"
        f"testing$func @f({arguments}) {{\n{text}\nreturn\n}}"
    )


def normalize(text: str) -> str:
    """Without indentation and runs of blanks, values and blocks numbered by their first use."""
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return f"{match[0][0]}{numbers.setdefault(match[0], len(numbers))}"

    text = re.sub(r"[%^][\w$.-]+", number, text)
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


def body(text: str) -> str:
    """What stands between the header and the `return` of the wrapper."""
    lines = text.splitlines()
    (start,) = (index for index, line in enumerate(lines) if "testing$func" in line)
    end = next(index for index in reversed(range(len(lines))) if "return" in lines[index])
    if "^" in lines[start + 1]:
        start += 1
    return "\n".join(lines[start + 1 : end])


def check_round_trips(module: ModuleOp) -> None:
    for generic in (False, True):
        printed = print_module(module, generic=generic)
        reparsed = parse(printed)
        assert module.is_structurally_equivalent(reparsed)
        assert print_module(reparsed, generic=generic) == printed
    printed = print_public(module)
    reparsed = parse(printed)
    assert module.is_structurally_equivalent(reparsed)
    assert print_public(reparsed) == printed


@pytest.mark.parametrize("text", MODULES)
@pytest.mark.requirement("P-12")
def test_module_level_examples_print_as_written(text: str):
    module = parse(text)
    assert normalize(print_public(module)) == normalize(text)
    check_round_trips(module)


@pytest.mark.every(2)
@pytest.mark.parametrize(("text", "operands"), OPERATIONS, ids=lambda value: str(value)[:40])
@pytest.mark.requirement("P-12", "B-08")
def test_examples_of_operations_print_as_written(text: str, operands: dict[str, str]):
    module = parse(wrap(text, operands))
    assert normalize(body(print_public(module))) == normalize(text)
    check_round_trips(module)


@pytest.mark.parametrize(("text", "operands"), GENERIC, ids=lambda value: str(value)[:40])
@pytest.mark.requirement("B-08")
def test_generic_examples_print_as_written(text: str, operands: dict[str, str]):
    module = parse(wrap(text, operands))
    assert normalize(body(print_module(module, generic=True))) == normalize(text)
    check_round_trips(module)


@pytest.mark.requirement("B-08")
def test_the_generic_literal_of_constants_is_read():
    """MLIR's literal is read; ours names its attribute, so that plain `xdsl-opt` reads it too."""
    text = (
        '%0 = "cuda_tile.constant"() <{value = dense<5> : !cuda_tile.tile<i32>}> '
        ": () -> !cuda_tile.tile<i32>"
    )
    module = parse(wrap(text, {}))
    assert normalize(body(print_public(module))) == "%0 = constant <i32: 5> : tile<i32>"
    check_round_trips(module)


def test_every_public_operation_has_an_example():
    """The 105 ops, and no names beside them but the ones of the documents and the tests."""
    named = "\n".join([*MODULES, *(text for text, _ in OPERATIONS)])
    examples = set(re.findall(r"^ *(?:%[^=]*= )?([a-z]\w*)", named, re.MULTILINE)) | {"return"}
    names = {
        operation.name.removeprefix("cuda_tile.") for operation in cuda_tile.CudaTile.operations
    }
    ours = {"module", "pow", "print", "token.join", "testing$func"}
    assert examples == names - ours
    assert len(examples | {"module"}) == 105
