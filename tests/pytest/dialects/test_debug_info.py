"""Debug information: its text, the rules for locations in scopes, and renaming."""

from io import StringIO

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

from tileiras_xdsl.dialects.cuda_tile.debug_info import (
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DILocalScopeAttr,
    DILocAttr,
    DIScopeAttr,
    DISubprogramAttr,
    contains_di_loc,
    find_di_loc,
    verify_function_debug_info,
    verify_no_debug_scope,
)
from tileiras_xdsl.frontend.text import TextParser

from ..harness.modules import context, parse_attribute

PLACE = FileLineColLoc(StringAttr("/t/a.py"), IntAttr(5), IntAttr(1))
FILE = DIFileAttr("a.py", "/t")
UNIT = DICompileUnitAttr(FILE)
SUBPROGRAM = DISubprogramAttr(FILE, 3, "k", "k", UNIT, 4)
OTHER = DISubprogramAttr(FILE, 7, "other", "other", UNIT)
BLOCK = DILexicalBlockAttr(SUBPROGRAM, FILE, 5, 6)
INNER_BLOCK = DILexicalBlockAttr(BLOCK, DIFileAttr("b.py", ""), 0)
LOC = DILocAttr(PLACE, SUBPROGRAM)
OTHER_LOC = DILocAttr(PLACE, OTHER)
BLOCK_LOC = DILocAttr(PLACE, INNER_BLOCK)

FILE_TEXT = '<"a.py" in "/t">'
SUBPROGRAM_TEXT = (
    f"#cuda_tile.di_subprogram<file = {FILE_TEXT}, line = 3, name = "
    f'"k", linkageName = "k", compileUnit = <file = {FILE_TEXT}>, scopeLine = 4>'
)
OTHER_TEXT = (
    f"#cuda_tile.di_subprogram<file = {FILE_TEXT}, line = 7, name = "
    f'"other", linkageName = "other", compileUnit = <file = {FILE_TEXT}>>'
)
BLOCK_TEXT = (
    f"#cuda_tile.di_lexical_block<scope = {SUBPROGRAM_TEXT}, file = {FILE_TEXT}, "
    "line = 5, column = 6>"
)


def name(location: LocationAttr) -> NameLoc:
    return NameLoc(StringAttr("name"), location)


def fused(*locations: LocationAttr) -> FusedLoc:
    return FusedLoc(locations, NoneAttr())


def make_op(location: LocationAttr, *body: Operation, symbol: str | None = None) -> test.TestOp:
    op = test.TestOp(regions=[Region(Block(body))] if body else [])
    op.location = location
    if symbol is not None:
        op.attributes["sym_name"] = StringAttr(symbol)
    return op


# Text


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        (FILE, f"#cuda_tile.di_file{FILE_TEXT}"),
        (UNIT, f"#cuda_tile.di_compile_unit<file = {FILE_TEXT}>"),
        (SUBPROGRAM, SUBPROGRAM_TEXT),
        (OTHER, OTHER_TEXT),
        (BLOCK, BLOCK_TEXT),
        (
            INNER_BLOCK,
            f'#cuda_tile.di_lexical_block<scope = {BLOCK_TEXT}, file = <"b.py" in "">, line = 0>',
        ),
        (LOC, f'loc(#cuda_tile.di_loc<loc("/t/a.py":5:1) in {SUBPROGRAM_TEXT}>)'),
        (
            CallSiteLoc(LOC, name(OTHER_LOC)),
            f'loc(callsite(#cuda_tile.di_loc<loc("/t/a.py":5:1) in {SUBPROGRAM_TEXT}> at '
            f'"name"(#cuda_tile.di_loc<loc("/t/a.py":5:1) in {OTHER_TEXT}>)))',
        ),
    ],
)
def test_text(attribute: Attribute, text: str):
    assert str(attribute) == text
    assert parse_attribute(text) == attribute
    # Plain xDSL reads it as well.
    assert Parser(context(), text).parse_attribute() == attribute


def test_fields_come_in_any_order_and_by_alias():
    text = """
    "test.op"() {a = #sp} : () -> ()
    #sp = #cuda_tile.di_subprogram<scopeLine = 4, compileUnit = #cu, linkageName = "k",
      name = "k", line = 3, file = #cuda_tile.di_file<"a.py" in "/t">>
    #cu = #cuda_tile.di_compile_unit<file = #f>
    #f = #cuda_tile.di_file<"a.py" in "/t">"""
    (op,) = TextParser(context(), text).parse_module().body.ops
    assert op.attributes["a"] == SUBPROGRAM


def test_zero_is_left_out():
    text = OTHER_TEXT.removesuffix(">") + ", scopeLine = 0>"
    assert parse_attribute(text) == OTHER
    assert str(parse_attribute(text)) == OTHER_TEXT


@pytest.mark.parametrize(
    "source",
    [
        'loc("/t/a.py":5:1)',
        '"/t/a.py":5:1',
        "#place",
        "loc(#place)",
    ],
)
def test_sources_of_locations(source: str):
    text = f"""
    #place = loc("/t/a.py":5:1)
    "test.op"() : () -> () loc(#cuda_tile.di_loc<{source} in {SUBPROGRAM_TEXT}>)"""
    (op,) = TextParser(context(), text).parse_module().body.ops
    assert op.location == LOC


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("di_compile_unit<>", "expected a parameter name in struct"),
        ("di_compile_unit<3 = 4>", "expected a parameter name in struct"),
        (
            f'di_subprogram<file = {FILE_TEXT}, line = 1, name = "k">',
            "struct is missing required parameter: linkageName",
        ),
        ("di_compile_unit<line = 3>", "duplicate or unknown struct parameter name: line"),
        (
            f"di_compile_unit<file = {FILE_TEXT}, file = {FILE_TEXT}>",
            "duplicate or unknown struct parameter name: file",
        ),
        ("di_compile_unit<file = 3>", "expected cuda_tile.di_file, got 3 : i64"),
        ("di_subprogram<line = -1>", "Expected integer literal"),
        ("di_subprogram<line = 4294967296>", "integer value too large"),
        (f"di_lexical_block<scope = #cuda_tile.di_file{FILE_TEXT}>", "expected a local scope"),
        (f"di_loc<loc(unknown) in {SUBPROGRAM_TEXT}>", "expected a file location"),
        (f'di_loc<loc("a":1:2), {SUBPROGRAM_TEXT}>', "Expected 'in'"),
        (f'di_loc<loc("a":1:2) in #cuda_tile.di_file{FILE_TEXT}>', "expected a local scope"),
        ('di_file<"a" "b">', "Expected 'in'"),
    ],
)
def test_malformed(text: str, message: str):
    with pytest.raises(ParseError) as info:
        parse_attribute(f"#cuda_tile.{text}")
    assert message in info.value.msg


def test_names_beyond_ascii():
    file = DIFileAttr("é.py", '/"t"')
    assert str(file) == '#cuda_tile.di_file<"\\C3\\A9.py" in "/\\22t\\22">'
    assert parse_attribute(str(file)) == file


@pytest.mark.parametrize(
    ("path", "file_name", "directory"),
    [
        ("d/a.py", "a.py", "d"),
        ("a.py", "a.py", ""),
        ("/a.py", "a.py", "/"),
        ("/x/y/a.py", "a.py", "/x/y"),
        ("x//a.py", "a.py", "x"),
        ("<unknown>", "<unknown>", ""),
        ("", "", ""),
    ],
)
def test_file_of_a_path(path: str, file_name: str, directory: str):
    assert DIFileAttr.from_path(path) == DIFileAttr(file_name, directory)


# Locations in scopes


def test_di_loc_is_a_location():
    assert isinstance(LOC, LocationAttr)
    assert LOC.source == PLACE
    assert LOC.scope == SUBPROGRAM
    assert LOC != fused(PLACE)
    assert hash(LOC) == hash(DILocAttr(PLACE, SUBPROGRAM))
    with pytest.raises(VerifyException, match="needs one file location"):
        DILocAttr.new([ArrayAttr([UnknownLoc()]), SUBPROGRAM])
    with pytest.raises(VerifyException, match="needs a local scope"):
        DILocAttr.new([ArrayAttr([PLACE]), FILE])


def test_kinds_of_scopes():
    assert all(isinstance(scope, DIScopeAttr) for scope in (FILE, UNIT, SUBPROGRAM, BLOCK))
    assert not isinstance(FILE, DILocalScopeAttr)
    assert not isinstance(UNIT, DILocalScopeAttr)
    assert SUBPROGRAM.get_subprogram() == INNER_BLOCK.get_subprogram() == SUBPROGRAM


def test_debug_info_round_trips_through_plain_xdsl():
    block = Block(arg_types=[i32])
    block.args[0].location = LOC
    op = test.TestOp(regions=[Region(block)])
    op.location = CallSiteLoc(fused(PLACE, BLOCK_LOC), name(LOC))
    stream = StringIO()
    Printer(stream, print_debuginfo=True).print_op(ModuleOp([op]))
    (parsed,) = Parser(context(), stream.getvalue()).parse_module().body.ops
    assert parsed.location == op.location
    assert parsed.regions[0].block.args[0].location == LOC


@pytest.mark.parametrize(
    ("location", "found", "anywhere"),
    [
        (UnknownLoc(), None, False),
        (PLACE, None, False),
        (NameLoc(StringAttr("n"), NoneAttr()), None, False),
        (LOC, LOC, True),
        (name(LOC), LOC, True),
        (CallSiteLoc(OTHER_LOC, LOC), LOC, True),
        (CallSiteLoc(LOC, PLACE), None, True),
        (fused(PLACE, CallSiteLoc(LOC, PLACE), name(OTHER_LOC), LOC), OTHER_LOC, True),
        (fused(PLACE), None, False),
    ],
)
def test_find_di_loc(location: LocationAttr, found: DILocAttr | None, anywhere: bool):
    assert find_di_loc(location) == found
    assert contains_di_loc(location) == anywhere


# Rules


def reject(op: Operation, message: str, symbol: str = "k") -> None:
    with pytest.raises(VerifyException) as info:
        verify_function_debug_info(op, symbol)
    assert str(info.value) == message


@pytest.mark.parametrize(
    "function",
    [
        make_op(UnknownLoc(), make_op(PLACE), make_op(CallSiteLoc(LOC, PLACE))),
        make_op(LOC, make_op(UnknownLoc()), make_op(PLACE), make_op(LOC), make_op(BLOCK_LOC)),
        make_op(fused(PLACE, LOC), make_op(CallSiteLoc(OTHER_LOC, BLOCK_LOC))),
        make_op(name(LOC), make_op(PLACE, make_op(name(fused(PLACE, LOC))))),
    ],
)
def test_valid_functions(function: Operation):
    verify_function_debug_info(function, "k")


@pytest.mark.parametrize("location", [CallSiteLoc(LOC, LOC), CallSiteLoc(PLACE, PLACE)])
def test_function_location_is_no_call_site(location: LocationAttr):
    reject(
        make_op(location),
        f"'test.op' op invalid function debug info location: {location}. "
        "Function location must not be a CallSiteLoc.",
    )


def test_function_scope_is_a_subprogram():
    reject(
        make_op(name(DILocAttr(PLACE, BLOCK))),
        f"'test.op' op invalid function debug info scope: {BLOCK_TEXT}. Function location must "
        "have cuda_tile.di_subprogram debug info scope.",
    )


def test_function_name_is_the_linkage_name():
    reject(
        make_op(LOC),
        f"'test.op' op invalid function debug info scope: {SUBPROGRAM_TEXT}. Function name \"zz\" "
        'does not match subprogram scope linkage name "k".',
        "zz",
    )


def test_function_without_scope():
    reject(
        make_op(PLACE, make_op(UnknownLoc(), make_op(name(BLOCK_LOC)))),
        f"'test.op' op invalid operation debug info scope: {SUBPROGRAM_TEXT}. Operation has debug "
        "info scope, but function debug info scope is undefined.",
    )


@pytest.mark.parametrize("location", [OTHER_LOC, CallSiteLoc(LOC, OTHER_LOC)])
def test_ops_in_another_scope(location: LocationAttr):
    reject(
        make_op(LOC, make_op(location)),
        f"invalid operation debug info scope: {OTHER_TEXT}. Operation debug info scope does not "
        f"match function debug info scope: {SUBPROGRAM_TEXT}.",
    )


def test_the_op_at_fault_is_marked():
    op = make_op(OTHER_LOC)
    op.attributes["culprit"] = StringAttr("")
    with pytest.raises(VerifyException) as info:
        verify_function_debug_info(make_op(LOC, make_op(LOC), op), "k")
    (note,) = info.value.__notes__
    lines = note.splitlines()
    assert "culprit" in lines[lines.index(next(line for line in lines if "^^^" in line)) - 1]


def test_globals_have_no_scope():
    verify_no_debug_scope(make_op(PLACE))
    with pytest.raises(VerifyException) as info:
        verify_no_debug_scope(make_op(name(LOC)))
    assert str(info.value) == (
        "'test.op' op invalid operation debug info scope: "
        f'#cuda_tile.di_loc<loc("/t/a.py":5:1) in {SUBPROGRAM_TEXT}>. '
        "Global variables must not have scope."
    )
