"""What the text front end accepts beyond xDSL's parser, and how it refuses the rest."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    Builtin,
    BytesAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    IntegerAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
    VectorType,
    f32,
    i32,
)
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from tileiras_xdsl.dialects.cuda_tile import EntryOp
from tileiras_xdsl.dialects.cuda_tile.debug_info import DILocAttr
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.frontend.text import TextLexer, TextParser, find_alias_definitions

from ..harness.modules import context, parse, parse_unverified, print_module

CORPUS = Path(__file__).parents[2] / "corpus"


def parse_ops(text: str) -> list[Operation]:
    return list(parse_unverified(text).body.ops)


def parse_op(text: str) -> Operation:
    (op,) = parse_ops(text)
    return op


def fails(text: str | bytes, place: str, message: str, marked: str | None = None) -> None:
    """Parsing must fail with `message` at `place` (`line:column`), on the text `marked`."""
    with pytest.raises(ParseError) as info:
        parse_unverified(text)
    error = info.value
    assert str(error.span.get_location()) == f"in.mlir:{place}"
    assert message in error.msg
    assert error.msg in str(error)
    if marked is not None:
        assert error.span.text == marked


def file_loc(name: str, line: int, column: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr(name), IntAttr(line), IntAttr(column))


# Lexer

FRAGMENTS = (
    *("0x", "0", "12", "1.", "1.5e", "e5", "0xFg", "+", "-", ">", "->", "{", "{-#", "#-}", "#"),
    *("%", "!", "^", "@", '"', "\\", "a", "b.c", "$", "_", " ", "\n", "\t", "//", "/", "*", "?"),
    *("|", "...", ".", "(", ")", "[", "]", "<", "=", ":", ",", "é", '"s"', '"\\41"', '"\\FF"'),
)


def lex(lexer: MLIRLexer) -> list[object]:
    tokens: list[object] = []
    try:
        while True:
            token = lexer.lex()
            tokens.append((token.kind, token.span.start, token.span.end))
            if token.kind is MLIRTokenKind.EOF:
                return tokens
    except ParseError as error:
        return [*tokens, (error.msg, error.span.start, error.span.end)]


@settings(deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_tokens_are_those_of_xdsl(text: str):
    assert lex(TextLexer(Input(text, ""))) == lex(MLIRLexer(Input(text, "")))


def test_unterminated_string_is_refused_at_once():
    # xDSL's own regular expression would take longer than anyone waits.
    fails('"' + "a" * 100_000, "1:1", "End of file reached before closing string literal.")


@pytest.mark.parametrize("digits", ["9" * 5000, "0x" + "f" * 5000])
def test_long_integers(digits: str):
    fails(f'"test.op"() {{a = {digits}}} : () -> ()', "1:18", "integer literal is too long")


def test_characters_that_only_look_like_digits():
    fails('"test.op"() {a = ²} : () -> ()', "1:18", "Unexpected character: ²", "²")


def test_input_that_is_not_text():
    fails(b'"test.op"()\n {a = \xff} : () -> ()', "2:7", "input is not UTF-8 text")
    fails('"test.op"()\n {a = "\udc80"} : () -> ()', "2:8", "input is not UTF-8 text")
    assert parse('"test.op"() {a = "é"} : () -> ()'.encode()).body.first_block is not None


# Locations


def test_ops_know_their_place():
    text = """
func.func @f(%a: i32) -> i32 {
  %b, %c = "test.op"() : () -> (i32, i32)
    // comment
    %d = arith.addi
      %a, %b : i32
  func.return %d : i32
}"""
    locations = {op.name: op.location for op in parse_unverified(text).walk()}
    assert locations == {
        "builtin.module": file_loc("in.mlir", 1, 1),
        "func.func": file_loc("in.mlir", 2, 1),
        "test.op": file_loc("in.mlir", 3, 12),
        "arith.addi": file_loc("in.mlir", 5, 10),
        "func.return": file_loc("in.mlir", 7, 3),
    }


def test_explicit_locations_win():
    text = '"test.op"() ({"test.termop"() : () -> () loc("b":3:4)}) : () -> () loc("a":1:2)'
    outer, inner = parse_op(text).walk()
    assert outer.location == file_loc("a", 1, 2)
    assert inner.location == file_loc("b", 3, 4)
    assert parse_op('"test.op"() : () -> () loc(unknown)').location == UnknownLoc()


def test_implicit_terminators_have_the_location_of_their_op():
    text = """
    %l = "test.op"() : () -> index
    scf.for %i = %l to %l step %l {
    } loc("loop.py":1:2)"""
    loop = parse_ops(text)[1]
    assert [op.location for op in loop.walk()] == [file_loc("loop.py", 1, 2)] * 2


@pytest.mark.part("sweeps")
def test_places_of_many_ops():
    # Counting lines from the start for each op would take minutes.
    text = '"test.op"() : () -> ()\n' * 8_000
    assert parse_ops(text)[-1].location == file_loc("in.mlir", 8_000, 1)


A, B = file_loc("a", 1, 2), file_loc("b", 3, 4)


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ("unknown", UnknownLoc()),
        ('"a":1:2', A),
        ('"a":1', file_loc("a", 1, 0)),
        ('"a":1:2 to 3:4', A),
        ('"a":1:2 to :4', A),
        ('"\\C3\\A9.py":1:2', file_loc("é.py", 1, 2)),
        ('"name"', NameLoc(StringAttr("name"), NoneAttr())),
        ('"name"("a":1:2)', NameLoc(StringAttr("name"), A)),
        ('callsite("a":1:2 at "b":3:4)', CallSiteLoc(A, B)),
        ("fused[]", FusedLoc((), NoneAttr())),
        ('fused["a":1:2, "b":3:4]', FusedLoc((A, B), NoneAttr())),
        ('fused<"m">["a":1:2]', FusedLoc((A,), StringAttr("m"))),
        (
            'callsite("n"(fused<[1 : i32]>["a":1:2, unknown]) at callsite(unknown at "b":3:4))',
            CallSiteLoc(
                NameLoc(
                    StringAttr("n"),
                    FusedLoc((A, UnknownLoc()), ArrayAttr([IntegerAttr(1, i32)])),
                ),
                CallSiteLoc(UnknownLoc(), B),
            ),
        ),
    ],
)
def test_location_forms(text: str, location: LocationAttr):
    op = parse_op(f'"test.op"() ({{^bb0(%a: i32 loc({text})):}}) : () -> () loc({text})')
    assert op.location == location
    (block,) = op.regions[0].blocks
    assert block.args[0].location == location
    printed = print_module(ModuleOp([op.clone()]), debuginfo=True)
    assert print_module(parse_unverified(printed), debuginfo=True) == printed


@pytest.mark.parametrize(
    ("location", "column", "message"),
    [
        ("nowhere", 28, "expected location instance"),
        ("3", 28, "expected location instance"),
        ('"a":b', 32, "Expected integer literal in file location"),
        ('"a":1:2 to 3', 40, "Expected ':' in file location range"),
        ('callsite("a":1:2, "b":3:4)', 44, "Expected 'at' in callsite location"),
        ('fused("a":1:2)', 33, "'[' expected in fused location"),
        ('"a"("b":1:2]', 39, "Expected ')' in name location"),
        ("#five", 28, "expected location attribute, got 5 : i64"),
    ],
)
def test_malformed_locations(location: str, column: int, message: str):
    fails(f'"test.op"() : () -> () loc({location})\n#five = 5', f"1:{column}", message)


# Aliases


def test_aliases_before_and_after_their_definition():
    text = """
    #before = loc("a":1:2)
    "test.op"() : () -> () loc(#before)
    "test.op"() {a = [#after, #before]} : () -> !type loc(callsite(#before at #after))
    #after = loc(callsite(#unused at #last))
    #unused = loc(unknown)
    #last = loc("b":3:4)
    !type = vector<4x!element>
    !element = f32"""
    first, second = parse_ops(text)
    after = CallSiteLoc(UnknownLoc(), B)
    assert first.location == A
    assert second.location == CallSiteLoc(A, after)
    assert second.attributes["a"] == ArrayAttr([after, A])
    assert second.results[0].type == VectorType(f32, [4])


def test_aliases_of_one_name_and_two_kinds():
    text = '"test.op"() {a = #x} : () -> !x\n#x = "attribute"\n!x = i32'
    op = parse_op(text)
    assert op.attributes["a"] == StringAttr("attribute")
    assert op.results[0].type == i32


def test_definitions_are_found_by_tokens():
    text = """
    "#string = 1" // #comment = 2
    {entry = #use, "#key" = 3} "\\"#escaped = 4"
    ({ #nested = 5 }) [ "}" // {
      #nested2 = 6 ]
    #a = 7 !b=8 #c // x
      // = 9
      = 10
    #a = 11
    """
    definitions = find_alias_definitions(text)
    assert list(definitions) == ["#a", "!b", "#c"]
    assert definitions["#a"] == text.index("#a = 7")


def test_definitions_in_hostile_text_are_found_in_linear_time():
    text = "#a " * 100_000 + '"' * 100_001 + "((((" * 100_000 + "#a // " * 100_000
    start = time.process_time()
    assert find_alias_definitions(text) == {}
    assert time.process_time() - start < 5


def test_undefined_aliases():
    fails('"test.op"() {a = #b} : () -> ()', "1:18", "undefined symbol alias '#b'", "#b")
    fails('"test.op"() : () -> !b\n#b = i32', "1:21", "undefined symbol alias '!b'", "!b")


def test_redeclared_aliases():
    text = '#a = 1\n"test.op"() : () -> ()\n#a = 2'
    fails(text, "3:1", "re-declaration of alias '#a'", "#a")
    text = '"test.op"() {a = #a} : () -> ()\n#a = 1\n#a = 2'
    fails(text, "3:1", "re-declaration of alias '#a'", "#a")


@pytest.mark.parametrize("text", ["#a = #a", "#b = [#a]\n#a = {x = #b}", "!a = vector<4x!a>"])
def test_cyclic_aliases(text: str):
    with pytest.raises(ParseError, match=r"alias '.[ab]' is used in its own definition"):
        parse_unverified(f'{text}\n"test.op"() : () -> ()')


def test_unused_definitions_are_checked():
    fails('"test.op"() : () -> ()\n#a = tensor<', "2:13", "Expected shape type.")
    fails('"test.op"() : () -> ()\n!a = 5', "2:6", "type expected")
    fails(
        '"test.op"() : () -> ()\n#a = !cuda_tile.tile<3xi32>',
        "2:6",
        "all dimensions must be powers of two, got 3",
        "!cuda_tile.tile<3xi32>",
    )
    fails("#a.b = 5", "1:1", "attribute names with a '.' are reserved")
    fails("!a.b = i32", "1:1", "type names with a '.' are reserved")


def test_error_in_a_definition_further_down():
    fails('"test.op"() {a = #a} : () -> ()\n#a = [1, i99999999]', "2:10", "integer bitwidth")


# Files


def test_modules():
    assert parse_op('module {\n"test.op"() : () -> ()}').name == "test.op"
    module = TextParser(context(), 'builtin.module {} loc("m":1:2)').parse_module(
        allow_implicit_module=False
    )
    assert module.location == file_loc("m", 1, 2)
    with pytest.raises(ParseError, match=r"builtin\.module operation expected"):
        TextParser(context(), '"test.op"() : () -> ()').parse_module(allow_implicit_module=False)
    fails("// nothing\n", "2:1", "Could not parse entire input!")
    fails("(", "1:1", "Could not parse entire input!")
    fails('"test.op"(%a) : (i32) -> ()', "1:28", "values used but not defined: [%a]")
    fails(
        'scf.if %a {\n%a = "test.op"() : () -> i1\n}',
        "2:1",
        "value is defined in a region of an op that uses it",
    )
    fails('"test.op"() {a = 1.0 : f80} : () -> ()', "1:18", "values of type f80 are not supported")


@pytest.mark.requirement("P-11")
def test_top_level_kernels_are_one_module():
    text = """
    // RUN: some tool
    // Producer:  demo "1.0"\x20
    global @g <i32: 1> : tile<1xi32>
    "test.op"() : () -> ()
    entry @f() { return }
    cuda_tile.module @other { entry @f() { return } }
    entry @h() { return }"""
    module = parse_unverified(text)
    module.verify()
    kernels, test_op, other = module.body.ops
    assert kernels.name == "cuda_tile.module"
    assert kernels.properties == {
        "sym_name": StringAttr("kernels"),
        "producer": StringAttr(' demo "1.0" '),
    }
    assert kernels.location == file_loc("in.mlir", 1, 1)
    assert [op.properties["sym_name"] for op in kernels.regions[0].block.ops] == [
        *map(StringAttr, ("g", "f", "h"))
    ]
    assert test_op.name == "test.op"
    assert other.properties == {"sym_name": StringAttr("other")}


def test_name_of_the_implicit_module_is_free():
    text = """
    cuda_tile.module @kernels { entry @f() { return } }
    cuda_tile.module @kernels_0 { entry @f() { return } }
    entry @f() { return }"""
    module = parse_unverified(text)
    module.verify()
    assert parse_ops(text)[2].properties == {"sym_name": StringAttr("kernels_1")}


def test_producer_is_only_a_comment_elsewhere():
    text = "entry @f() { return } // Producer: x\n// Producer: y"
    assert "producer" not in parse_op(text).properties
    assert "producer" not in parse_op(f"cuda_tile.module @m {{ {text} \n }}").properties
    # Windows line ends are no part of it.
    assert parse_op(f"// Producer: z\r\n{text}").properties["producer"] == StringAttr("z")


def test_bare_names_need_the_dialect():
    ctx = Context()
    ctx.load_dialect(Builtin)
    with pytest.raises(ParseError, match="Operation entry is not registered"):
        TextParser(ctx, "entry @f() { return }").parse_module()
    fails("\n  %0 = addi %1, %2 : i32", "2:8", "Operation addi is not registered", "addi")


# Types and attributes


def test_equal_texts_of_types_are_one_type():
    text = """
    "test.op"() : () -> (vector<4xf32>, vector<4xf32 >, !cuda_tile.tile<4xptr<f32>>)
    "test.op"() : () -> (vector<4xf32>, !cuda_tile.tile<4xptr<f32>>, tuple<(i32) -> i32>)
    "test.op"() : () -> (tuple<(i32) -> i1>, vector<4x!e>)
    #e = i32
    !e = i1"""
    (a, b, c), (d, e, f), (g, h) = (op.result_types for op in parse_ops(text))
    assert a is d
    assert a == b
    assert c is e
    assert str(f) == "tuple<(i32) -> i32>"
    assert str(g) == "tuple<(i32) -> i1>"
    assert str(h) == "vector<4xi1>"


def test_strings_beyond_ascii():
    op = parse_op('"test.op"() {s = "\\C3\\A9", b = "\\FF"} : () -> ()')
    assert op.attributes == {"s": StringAttr("é"), "b": BytesAttr(b"\xff")}


@pytest.mark.parametrize(
    ("literal", "ty", "values"),
    [
        ("5", "i32", [5]),
        ("-1", "2x2xi8", [-1]),
        ("[[1, 2], [0xFF, -4]]", "2x2xi8", [1, 2, -1, -4]),
        ("[true, false]", "2xi1", [1, 0]),
        ("1.5", "f16", [1.5]),
        ("[0x7F800000, -2.0]", "2xf32", [float("inf"), -2.0]),
        ('"0x01000000FFFFFFFF"', "2xi32", [1, -1]),
    ],
)
def test_dense_literals_of_tiles(literal: str, ty: str, values: Sequence[int | float]):
    op = parse_op(f'"test.op"() {{a = dense<{literal}> : !cuda_tile.tile<{ty}>}} : () -> ()')
    dense = op.attributes["a"]
    assert isinstance(dense, DenseElementsAttr)
    assert dense == DenseElementsAttr.from_values(dense.type, values)
    assert str(dense.type) == f"!cuda_tile.tile<{ty}>"


def test_dense_literals_of_tile_aliases():
    op = parse_op('"test.op"() {a = dense<5> : !t} : () -> ()\n!t = !cuda_tile.tile<2xi32>')
    assert op.attributes["a"] == DenseElementsAttr.from_values(TileType(i32, [2]), [5])


@pytest.mark.parametrize(
    ("literal", "message"),
    [
        ("dense<300> : !cuda_tile.tile<i8>", "integer constant out of range for type"),
        ("dense<1.5> : !cuda_tile.tile<i8>", "Expected integer value"),
        ("dense<true> : !cuda_tile.tile<i8>", "Boolean values are only allowed for i1 types"),
        ("dense<1> : !cuda_tile.tile<f32>", "unexpected decimal integer literal"),
        ("dense<0x1FFFF> : !cuda_tile.tile<f16>", "hexadecimal float constant out of range"),
        ("dense<[1, 2, 3]> : !cuda_tile.tile<2xi8>", "inferred shape of elements literal ([3])"),
        ("dense<1> : !cuda_tile.tile<i4>", "has no literals"),
        ("dense<1> : !cuda_tile.tile<ptr<i8>>", "has no literals"),
        ('dense<"0xZ"> : !cuda_tile.tile<i8>', "elements hex string is invalid"),
        ("dense<1> : tensor<99999999999xi8>", "dense literals are limited to"),
        ("dense<1> : i32", "Expected memref, vector or tensor type"),
    ],
)
def test_malformed_dense_literals(literal: str, message: str):
    with pytest.raises(ParseError) as info:
        parse_unverified(f'"test.op"() {{a = {literal}}} : () -> ()')
    assert message in info.value.msg


# Faults


def test_faults_of_types_are_located():
    text = '"test.op"() : () -> (i32,\n  !cuda_tile.tile<4x3xf32> )'
    message = "all dimensions must be powers of two, got 4, 3"
    fails(text, "2:3", message, "!cuda_tile.tile<4x3xf32>")


def test_faults_of_attributes_are_located():
    fails('"test.op"() {a = 300 : i8 } : () -> ()', "1:18", "300 is out of range", "300 : i8")


@pytest.mark.parametrize(
    "text",
    [
        '"test.op"() {a = @"\\FF"} : () -> ()',
        '"test.op"() {a = 0x99999999999999999 : f32} : () -> ()',
        '"test.op"() {a = dense<(1, 2> : tensor<1xcomplex<f32>>} : () -> ()',
        '"test.op"() {a = dense<1> : tensor<1xcomplex<f32>>} : () -> ()',
        '"test.op"() : () -> i99999999999999',
        "{-# external_resources: {} #-}",
        '"test.op"() ({^bb0: ^bb0:}) : () -> ()',
        '%a = "test.op"() : () -> i32 %a = "test.op"() : () -> i32',
        "%0:99999999999999999999 = arith.constant 1 : i32",
    ],
)
def test_whatever_is_wrong_is_a_parse_error(text: str):
    with pytest.raises(ParseError) as info:
        parse_unverified(text)
    assert info.value.msg


@pytest.mark.parametrize(
    "text",
    [
        '"test.op"() ({' * 10_000,
        '"test.op"() {a = ' + "[" * 10_000,
        '"test.op"() : () -> ' + "tuple<" * 10_000,
        '"test.op"() : () -> () loc(' + "callsite(" * 10_000,
        "\n".join(f"#a{index} = [#a{index + 1}]" for index in range(10_000)) + "\n#a10000 = 1",
    ],
)
def test_deep_nesting_is_refused_in_time(text: str):
    start = time.perf_counter()
    with pytest.raises(ParseError, match="nesting is too deep"):
        parse_unverified(text)
    assert time.perf_counter() - start < 10


SEEDS = (
    """
    func.func @f(%a: i32) -> i32 attributes {x = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>} {
      %c = arith.constant 0x10 : i32 loc("a.py":3:4)
      %b:2 = "test.op"(%a, %c) <{p = #cuda_tile.di_file<"a" in "b">}> ({
      ^bb0(%q: f32 loc(unknown)):
        "test.termop"() : () -> () loc(callsite("f"("x":1:2) at fused<"m">["q":3:4 to :5]))
      }) {u, s = "\\C3\\A9", l = [2.5 : f16, true], m = affine_map<(d0)[s0] -> (d0 + s0)>}
        : (i32, i32) -> (i32, !cuda_tile.tile<4x8xf32>)
      func.return %b#0 : i32
    } loc(#loc1)
    #loc1 = loc("f":1:2)
    """,
    """
    // Producer: demo 1.0
    global @g alignment = 16 <f32: [1.0, 2.0]> : tile<2xf32>
    entry @k(%a: tile<i1>, %n: tile<i32>) optimization_hints=<sm_100 = {latency = 2}> {
      %0 = get_global @g : tile<ptr<f32>>
      if %a {
        %result, %result_token = load_ptr_tko weak %0 : tile<ptr<f32>> -> tile<f32>, token
      }
      %c = constant <i32: 5> : tile<i32>
      %for = for %i in (%c to %n, step %c) : tile<i32> iter_values(%x = %c) -> (tile<i32>) {
        continue %x : tile<i32>
      }
      return loc(#loc)
    }
    #loc = #cuda_tile.di_loc<loc("a.py":1:2) in #sp>
    #sp = #cuda_tile.di_subprogram<file = #f, line = 3, name = "k", linkageName = "k",
      compileUnit = <file = <"a" in "b">>, scopeLine = 3>
    #f = #cuda_tile.di_file<"a.py" in "/t">
    """,
)


@st.composite
def damaged_texts(draw: st.DrawFn) -> str:
    """One of the seeds with a few stretches replaced by parts of seeds or by punctuation."""
    text = draw(st.sampled_from(SEEDS))
    donor = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 12))
        donor_start = draw(st.integers(0, len(donor)))
        graft = draw(
            st.one_of(
                st.sampled_from(FRAGMENTS),
                st.integers(0, 12).map(lambda size: donor[donor_start : donor_start + size]),
            )
        )
        text = text[:start] + graft + text[start + length :]
    return text


@pytest.mark.part("sweeps")
@settings(deadline=None)
@given(damaged_texts())
def test_damaged_texts_parse_or_are_refused(text: str):
    with suppress(ParseError):
        parse_unverified(text)


# What the public tools print


@pytest.mark.every(14)
@pytest.mark.parametrize(
    "path",
    sorted((CORPUS / "bytecode_debug").rglob("*.tileirbc")),
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
@pytest.mark.requirement("P-11")
def test_disassembly_with_debug_information(path: Path, corpus_text: Callable[[Path], str]):
    module = parse(corpus_text(path), str(path))
    (kernels,) = module.body.ops
    assert kernels.name == "cuda_tile.module"
    for op in kernels.regions[0].block.ops:
        assert isinstance(op.location, DILocAttr) == isinstance(op, EntryOp)
    printed = print_module(module, debuginfo=True)
    assert print_module(parse_unverified(printed), debuginfo=True) == printed
    printed = print_module(module, generic=True, debuginfo=True)
    assert print_module(parse_unverified(printed), generic=True, debuginfo=True) == printed


@pytest.mark.parametrize(
    "literal",
    [
        "dense<[0x7f800000, 1.000000e+00]> : tensor<2xf32>",
        "dense<0xff800000> : tensor<2xf32>",
        "dense<[0xfc00, 0x7e00]> : vector<2xf16>",
        "dense<0x7ff0000000000000> : tensor<1xf64>",
        "dense<[0, 16]> : tensor<2xi32>",
    ],
)
def test_bits_of_floats_in_dense_literals(literal: str):
    """xDSL prints infinities so, and reads them as integers."""
    assert (
        str(parse_op(f'"test.op"() {{value = {literal}}} : () -> ()').attributes["value"])
        == literal
    )


def test_bits_of_floats_must_fit():
    text = '"test.op"() {value = dense<0x10000> : tensor<2xf16>} : () -> ()'
    with pytest.raises(ParseError, match="hexadecimal float constant out of range for type"):
        parse_unverified(text)
