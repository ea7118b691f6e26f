"""
What is asked of the printer and parser of `cuda_tile` for all ops, all keywords or all names.
Single ops are in `tests/filecheck/dialects/cuda_tile`.
"""

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from xdsl.dialects.builtin import Builtin, IntegerAttr, ModuleOp, i32
from xdsl.dialects.func import Func
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Dialect, Operation
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, MemoryEffect
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.transforms.dead_code_elimination import DeadCodeElimination
from xdsl.utils.exceptions import ParseError, VerifyException

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.base import Token, TypeSet
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.cuda_tile.memory import TokenOrderedOperation
from tileiras_xdsl.dialects.cuda_tile.symbols import constant_name
from tileiras_xdsl.dialects.cute import Cute, CuteLayoutAttr, ShapeAttr, StrideAttr
from tileiras_xdsl.frontend import text as text_parser
from tileiras_xdsl.frontend.bytecode.encodings import ENCODINGS
from tileiras_xdsl.frontend.text import TextParser
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE
from tileiras_xdsl.xdsl_extras.bare_types import BareTypes

from ..harness.cases import every
from ..harness.modules import context, context_of, parse, parse_unverified, print_module
from .test_reference_examples import OPERATIONS, wrap

CORPUS = Path(__file__).parents[2] / "corpus" / "text" / "13.4"
KERNELS = sorted(CORPUS.glob("*.mlir"))
SOURCE = Path(ct.__file__).parent

OP_CLASSES = tuple(op for op in ct.CudaTile.operations if issubclass(op, ct.CudaTileOperation))

EXAMPLES = tuple(wrap(text, operands) for text, operands in OPERATIONS)
"""One of every op."""


def fails(text: str) -> str:
    """The message of the parse error that this text is."""
    with pytest.raises(ParseError) as info:
        parse_unverified(text)
    return info.value.msg


VIEW = "!cuda_tile.partition_view<tile=(8), !cuda_tile.tensor_view<64x{}, strides=[1]>>"
ARGUMENTS = {
    "%p": "!cuda_tile.tile<8xptr<i32>>",
    "%x": "!cuda_tile.tile<8xi32>",
    "%y": "!cuda_tile.tile<8xi32>",
    "%m": "!cuda_tile.tile<8xi1>",
    "%v": VIEW.format("i32"),
    "%i": "!cuda_tile.tile<i32>",
    "%t": "!cuda_tile.token",
    "%f": "!cuda_tile.tile<8xf32>",
    "%h": "!cuda_tile.tile<8xf16>",
    "%a": "!cuda_tile.tile<16x32xi8>",
    "%b": "!cuda_tile.tile<32x16xi8>",
    "%c": "!cuda_tile.tile<16x16xi32>",
}


def in_function(line: str) -> str:
    arguments = ", ".join(f"{name}: {ty}" for name, ty in ARGUMENTS.items())
    return f"testing$func @f({arguments}) {{\n{line}\nreturn\n}}"


def parse_line(line: str, *, verify: bool = True) -> ct.CudaTileOperation:
    """The first op of a function with `ARGUMENTS`."""
    module = parse(in_function(line)) if verify else parse_unverified(in_function(line))
    op = next(op for op in module.walk() if isinstance(op.parent_op(), ct.TestingFuncOp))
    assert isinstance(op, ct.CudaTileOperation)
    return op


def print_line(op: ct.CudaTileOperation) -> str:
    """What is printed for an op of `parse_line`, without its results."""
    root: Operation = op
    while (parent := root.parent_op()) is not None:
        root = parent
    (line,) = (line for line in print_module(root).splitlines() if f"{op.name} " in line)
    return line.split(" = ", 1)[-1].strip() if op.results else line.strip()


def check_line(line: str) -> ct.CudaTileOperation:
    """Parses a line that is printed as it stands."""
    op = parse_line(line, verify=False)
    assert print_line(op) == line.split(" = ", 1)[-1]
    return op


# Token-ordered ops: the fields of their syntax


def access(
    name: str,
    results: str,
    ordering: str,
    scope: str,
    operands: str,
    *,
    mask: bool = False,
    token: bool = False,
    attributes: str = "",
) -> str:
    """One line of one of the token-ordered memory ops, in the default text."""
    values = f"%r, %s = cuda_tile.{name}" if "," in results else f"%s = cuda_tile.{name}"
    words = " ".join(filter(None, (values, ordering, scope, operands)))
    shown = re.findall(r"%\w+", operands.split("[")[0]) + re.findall(r"\], (%\w+)", operands)
    if "cas" in name:
        shown.remove("%x")
    types = [ARGUMENTS[value] for value in shown]
    if mask:
        words += ", %m"
        types.append(ARGUMENTS["%m"])
    if token:
        words += " token=%t"
    return f"{words}{attributes} : {', '.join(types)} -> {results}"


TILE_AND_TOKEN = "!cuda_tile.tile<8xi32>, !cuda_tile.token"
TOKEN = "!cuda_tile.token"

ACCESSES: dict[str, tuple[str, str, tuple[str, str], bool]] = {
    "load_ptr_tko": ("%p", TILE_AND_TOKEN, ("acquire", "gpu"), True),
    "store_ptr_tko": ("%p, %x", TOKEN, ("release", "gpu"), True),
    "load_view_tko": ("%v[%i]", TILE_AND_TOKEN, ("acquire", "gpu"), False),
    "store_view_tko": ("%v[%i], %x", TOKEN, ("release", "gpu"), True),
    "atomic_cas_tko": ("%p, %x, %y", TILE_AND_TOKEN, ("acq_rel", "gpu"), True),
    "atomic_rmw_tko": ("add %p, %x", TILE_AND_TOKEN, ("acq_rel", "gpu"), True),
}
"""Operands, results, ordering and scope of an example, and whether it may have a mask."""


def example(
    name: str,
    *,
    words: tuple[str, str] | None = None,
    mask: bool = False,
    token: bool = False,
    attributes: str = "",
) -> str:
    operands, results, default_words, _ = ACCESSES[name]
    ordering, scope = words or default_words
    return access(
        name, results, ordering, scope, operands, mask=mask, token=token, attributes=attributes
    )


RED_VIEW = (
    "%s = cuda_tile.atomic_red_view_tko relaxed gpu %v[%i], add, %x token=%t : "
    f"!cuda_tile.tile<8xi32>, {VIEW.format('i32')} -> !cuda_tile.token"
)


def check_optional_fields(name: str) -> None:
    """All combinations of ordering with scope, mask and token print as they stand."""
    *_, (ordering, scope), has_mask = ACCESSES[name]
    pairs = [(ordering, scope), ("relaxed", "sys")]
    if not name.startswith("atomic"):
        pairs.append(("weak", ""))
    for words, mask, token in product(pairs, {False, has_mask}, (False, True)):
        op = check_line(example(name, words=words, mask=mask, token=token))
        op.verify()
        assert isinstance(op, TokenOrderedOperation)
        assert op.ordering.keyword == words[0]
        assert (op.scope.keyword if op.scope is not None else "") == words[1]
        operands = [operand.name_hint for operand in op.operands]
        assert ("m" in operands) == mask
        assert ("t" in operands) == token


@pytest.mark.requirement("B-09")
def test_load_view_prints_and_parses_its_fields():
    check_optional_fields("load_view_tko")


@pytest.mark.requirement("B-10")
def test_atomic_cas_prints_and_parses_its_fields():
    check_optional_fields("atomic_cas_tko")


@pytest.mark.requirement("B-11")
def test_atomic_rmw_prints_and_parses_its_fields():
    check_optional_fields("atomic_rmw_tko")
    public = example("atomic_rmw_tko").replace("add %p, ", "%p, add, ")
    assert print_line(parse_line(public)) == example("atomic_rmw_tko").split(" = ", 1)[1]


@pytest.mark.requirement("B-12")
def test_store_view_prints_and_parses_its_fields():
    check_optional_fields("store_view_tko")


@pytest.mark.requirement("B-13")
def test_pointer_accesses_print_and_parse_their_fields():
    check_optional_fields("load_ptr_tko")
    check_optional_fields("store_ptr_tko")


@pytest.mark.parametrize("index_type", ["i8", "i64"])
@pytest.mark.requirement("B-09", "B-12")
def test_index_types_are_shown_where_they_are_not_i32(index_type: str):
    tile, view = "!cuda_tile.tile<8xi32>", VIEW.format("i32")
    header = f"testing$func @f(%v: {view}, %x: {tile}, %i: tile<{index_type}>)"
    load = f"%r, %s = cuda_tile.load_view_tko weak %v[%i] : {view}, {{}} -> {TILE_AND_TOKEN}"
    store = f"%s = cuda_tile.store_view_tko weak %v[%i], %x : {view}, {tile}, {{}} -> {TOKEN}"
    for line in (load, store):
        line = line.format(f"!cuda_tile.tile<{index_type}>")
        module = parse(f"{header} {{ {line} return }}")
        assert line in print_module(module)


@pytest.mark.requirement("B-14")
def test_tokens_have_declarative_formats():
    for op in (ct.MakeTokenOp, ct.JoinTokensOp):
        assert op.get_irdl_definition().assembly_format is not None
    check_line("%s = cuda_tile.make_token : !cuda_tile.token")
    check_line("%s = cuda_tile.join_tokens %t, %t : !cuda_tile.token")
    check_line("%s = cuda_tile.join_tokens %t, %t, %t {a} : !cuda_tile.token")


@pytest.mark.parametrize("name", ACCESSES)
@pytest.mark.requirement("B-15")
def test_every_field_must_be_there(name: str):
    line = example(name, token=True)
    ordering, scope = ACCESSES[name][2]
    check_line(line)
    check_line(line.replace(" token=%t", ""))
    for spaced in ("token = %t", "token\n=%t", "token =%t"):
        assert print_line(parse_line(line.replace("token=%t", spaced))) == line.split(" = ", 1)[1]
    for broken in (
        line.replace(f"{ordering} ", ""),
        line.replace(f" {scope} ", " "),
        line.replace("token=%t", "token="),
        line.replace("token=%t", "%t"),
        line[: line.index(" : ")],
        line[: line.index(" -> ")],
        line.replace(", !cuda_tile.token", "").replace(" -> !cuda_tile.token", " ->"),
        line.replace("%p", "").replace("%v", ""),
    ):
        assert broken != line
        with pytest.raises((ParseError, VerifyException)):
            parse_line(broken)


def produces_token(op: type[ct.CudaTileOperation]) -> bool:
    return any(result.constr is Token or _is_token(result) for _, result in _results(op))


def _results(op: type[ct.CudaTileOperation]) -> Sequence[tuple[str, Any]]:
    return op.get_irdl_definition().results


def _is_token(result: Any) -> bool:
    constraint: Any = result.constr
    while not isinstance(constraint, TypeSet):
        constraint = getattr(constraint, "constr", None) or constraint.constraint
    return constraint is Token


@pytest.mark.requirement("B-16")
def test_ops_called_tko_produce_tokens():
    called = {op.name for op in OP_CLASSES if op.name.endswith("_tko")}
    producing = {op.name for op in OP_CLASSES if produces_token(op)}
    constructing = {"cuda_tile.make_token", "cuda_tile.join_tokens", "cuda_tile.token.join"}
    assert len(called) == 11
    assert called == producing - constructing
    for name in ("load_view_tko", "store_view_tko", "atomic_cas_tko", "atomic_rmw_tko"):
        assert print_line(parse_line(example(name))) == example(name).split(" = ", 1)[1]


FIELDS: dict[str, dict[str, str]] = {
    **{
        name: {
            "ordering": f" {ordering} ",
            "scope": f" {scope} ",
            "mask": ", %m",
            "token": " token=%t",
            "result token": "!cuda_tile.token",
            "mode": " add ",
        }
        for name, (_, _, (ordering, scope), _) in ACCESSES.items()
    },
    "atomic_red_view_tko": {
        "ordering": " relaxed ",
        "scope": " gpu ",
        "mode": ", add, ",
        "token": " token=%t",
        "result token": "-> !cuda_tile.token",
    },
    "print_tko": {"token": " token=%t", "result token": "-> !cuda_tile.token"},
    "gdc_wait_tko": {"token": " token=%t", "result token": "-> !cuda_tile.token"},
    "gdc_launch_dependents_tko": {"token": " token=%t", "result token": "-> !cuda_tile.token"},
    "memory_fence_alias_tko": {"token": " %t", "result token": "-> !cuda_tile.token"},
}
"""How each field of each op shows."""

FULL_EXAMPLES = {
    **{name: example(name, mask=shape[3], token=True) for name, shape in ACCESSES.items()},
    "atomic_red_view_tko": RED_VIEW,
    "print_tko": '%s = cuda_tile.print_tko "x" token=%t -> !cuda_tile.token',
    "gdc_wait_tko": "%s = cuda_tile.gdc_wait_tko token=%t -> !cuda_tile.token",
    "gdc_launch_dependents_tko": (
        "%s = cuda_tile.gdc_launch_dependents_tko token=%t -> !cuda_tile.token"
    ),
    "memory_fence_alias_tko": "%s = cuda_tile.memory_fence_alias_tko %t -> !cuda_tile.token",
}

HAS_NO = {("load_view_tko", "mask")} | {
    (name, "mode") for name in ACCESSES if name != "atomic_rmw_tko"
}


@pytest.mark.requirement("B-56")
def test_every_tko_op_is_in_the_table():
    assert {f"cuda_tile.{name}" for name in FIELDS} == {
        op.name for op in OP_CLASSES if op.name.endswith("_tko")
    }
    assert FIELDS.keys() == FULL_EXAMPLES.keys()


@pytest.mark.parametrize(
    ("name", "field"),
    [
        (name, field)
        for name, fields in FIELDS.items()
        for field in fields
        if (name, field) not in HAS_NO
    ],
)
@pytest.mark.requirement("B-05", "B-56")
def test_fields_are_visible(name: str, field: str):
    op = check_line(FULL_EXAMPLES[name])
    op.verify()
    assert print_line(op).count(FIELDS[name][field]) == 1


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        (name, field, value)
        for name in ("atomic_red_view_tko", *ACCESSES)
        for field, value in (
            ("memory_ordering_semantics", 5),
            ("memory_scope", 0),
            ("memory_scope", 3),
            ("mode", 9),
        )
        if field != "mode" or name in ("atomic_rmw_tko", "atomic_red_view_tko")
    ],
)
@pytest.mark.requirement("B-05", "B-56")
def test_a_changed_field_changes_the_text(name: str, field: str, value: int):
    op = check_line(FULL_EXAMPLES[name])
    before = print_line(op)
    op.properties[field] = IntegerAttr(value, i32)
    after = print_line(op)
    assert after != before
    names = ", ".join(f"%{index}" for index, _ in enumerate(op.results))
    reparsed = parse_line(f"{names.replace('%', '%r')} = {after}", verify=False)
    assert reparsed.properties == op.properties


# General rules


@pytest.mark.every(6)
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
@pytest.mark.requirement("B-01", "B-02")
def test_default_text_is_custom_and_prefixed(path: Path):
    text = print_module(parse(path.read_text()))
    assert '"cuda_tile.' not in text
    for line in text.splitlines()[1:-1]:
        content = line.strip()
        if not content or content in ("}", "} else {") or content.startswith("^"):
            continue
        operation = re.sub(r"^%[^=]*= ", "", content)
        assert operation.startswith("cuda_tile."), line
    bare = r"(?<![.\w])(?:tile|tensor_view|partition_view|strided_view|gather_scatter_view)<"
    assert re.findall(bare, text) == []
    assert re.findall(r"(?<![.\w])token(?![\w=])", text) == []


def drop_some_prefixes(text: str, random: Random) -> str:
    def drop(match: re.Match[str]) -> str:
        return match[1] if random.random() < 0.5 else match[0]

    header, body = text.split("cuda_tile.module", 1)
    body = re.sub(r"!cuda_tile\.(\w+)", drop, body)
    body = re.sub(r"(?<![!#.])cuda_tile\.(\w+)", drop, body)
    return f"{header}cuda_tile.module{body}"


@pytest.mark.every(8)
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
@pytest.mark.requirement("B-03")
def test_prefixes_are_optional_in_the_dialect(path: Path):
    module = parse(path.read_text())
    text = print_module(module)
    random = Random(path.stem)
    for _ in range(3):
        mixed = drop_some_prefixes(text, random)
        assert mixed != text
        assert print_module(parse(mixed)) == text


MISLEADING = ("true", "false", "cst", "cst_1", "cst_NaN", "token", "view", "arg0", "x", "x_1")


def misname(text: str, random: Random) -> str:
    """The same text with all values renamed, strings left alone."""
    names = sorted(set(re.findall(r"%[\w$.-]+", text)))
    pool = [f"%{name}" for name in (*MISLEADING, *(f"cst_{n}" for n in range(2, len(names))))]
    renamed = dict(zip(names, random.sample(pool, len(names)), strict=True))
    return re.sub(r'"[^"]*"|%[\w$.-]+', lambda match: renamed.get(match[0], match[0]), text)


PASSES: tuple[ModulePass, ...] = (
    DeadCodeElimination(),
    CommonSubexpressionElimination(),
    CanonicalizePass(),
)


@pytest.mark.every(8, first=1)
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
@pytest.mark.requirement("B-06")
def test_names_mean_nothing(path: Path):
    text = print_module(parse(path.read_text()))
    original, misnamed = parse(text), parse(misname(text, Random(path.stem)))
    assert original.is_structurally_equivalent(misnamed)
    for module_pass in PASSES:
        for module in (original, misnamed):
            module_pass.apply(context(), module)
        assert original.is_structurally_equivalent(misnamed)


@pytest.mark.requirement("B-06")
def test_a_constant_called_true_is_what_its_value_says():
    module = parse("%true = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>")
    (constant,) = module.body.ops
    assert isinstance(constant, ct.ConstantOp)
    assert str(constant.result.type) == "!cuda_tile.tile<i32>"
    assert constant.elements.get_values() == (0,)


HAND_WRITTEN = {
    "cuda_tile.global": "keywords in front of the symbol",
    "cuda_tile.make_tensor_view": "sizes are numbers or operands, as the type has it",
    "cuda_tile.get_tensor_shape": "one type for as many results as the view has dimensions",
    "cuda_tile.get_index_space_shape": "one type for as many results as the view has dimensions",
    "cuda_tile.print": "mirrors print_tko",
    "cuda_tile.fpowf": "turns into pow when it is parsed",
    "cuda_tile.token.join": "turns into join_tokens when it is parsed",
}


@pytest.mark.parametrize("op", OP_CLASSES, ids=lambda op: op.name)
@pytest.mark.requirement("B-07")
def test_formats_are_declarative(op: type[ct.CudaTileOperation]):
    definition = op.get_irdl_definition()
    if definition.assembly_format is None:
        is_region_op = bool(definition.regions)
        assert is_region_op or op.name.endswith("_tko") or op.name in HAND_WRITTEN
    else:
        assert "print" not in vars(op) or op.print.__module__ != op.__module__
        assert op.name not in HAND_WRITTEN


@pytest.mark.every(4)
@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split("{\n")[1][:40])
@pytest.mark.requirement("B-08", "B-51")
def test_printing_is_a_fixed_point_and_deterministic(text: str):
    module = parse(text)
    for generic in (False, True):
        printed = print_module(module, generic=generic)
        assert print_module(module, generic=generic) == printed
        assert print_module(parse(text), generic=generic) == printed
        reparsed = parse(printed)
        assert reparsed.is_structurally_equivalent(module)
        assert print_module(reparsed, generic=generic) == printed


# The dictionary

GENERAL = ("memory_ordering_semantics", "memory_scope", "operandSegmentSizes", "mode")
HINTS = "optimization_hints"
ELIDED: dict[str, tuple[str, ...]] = {
    "load_ptr_tko": (*GENERAL, HINTS),
    "store_ptr_tko": (*GENERAL, HINTS),
    "load_view_tko": (*GENERAL, HINTS, "addr_space", "align", "token"),
    "store_view_tko": (*GENERAL, HINTS, "addr_space", "align", "token"),
    "atomic_cas_tko": (*GENERAL, HINTS, "success_ordering", "failure_ordering", "token"),
    "atomic_rmw_tko": (*GENERAL, HINTS, "ordering", "kind", "token"),
}
"""The names that do not stand in the dictionary of an op (they are all refused there)."""

NOT_ELIDED = ("my.tag", "tag", "mask", "alignment", "volatile", "fastmath", "result_token")
ALL_NAMES = sorted({name for names in ELIDED.values() for name in names})


def check_elision(*names: str, ops: Sequence[str] = tuple(ELIDED)) -> None:
    """These names are refused in the dictionary of these ops, by either form."""
    for name, op_name in product(names, ops):
        text = example(op_name, attributes=f" {{{name} = 1 : i32}}")
        assert f"'{name}' is already given by the structured syntax" in fails(in_function(text))
        op = parse_line(example(op_name))
        op.attributes[name] = IntegerAttr(1, i32)
        with pytest.raises(VerifyException, match=f"attribute '{name}' is already given"):
            op.verify()


@pytest.mark.requirement("B-17")
def test_ordering_is_not_in_the_dictionary():
    check_elision("memory_ordering_semantics")


@pytest.mark.requirement("B-18")
def test_scope_is_not_in_the_dictionary():
    check_elision("memory_scope")


@pytest.mark.requirement("B-19")
def test_segment_sizes_are_not_in_the_dictionary():
    check_elision("operandSegmentSizes")


@pytest.mark.requirement("B-20")
def test_mode_is_not_in_the_dictionary():
    check_elision("mode")


@pytest.mark.requirement("B-21")
def test_hints_are_not_in_the_dictionary():
    check_elision("optimization_hints")


@pytest.mark.requirement("B-22")
def test_keywords_give_the_attributes_back():
    for name, (ordering, scope) in product(ELIDED, (("relaxed", "tl_blk"), ("acq_rel", "cluster"))):
        op = parse_line(example(name, words=(ordering, scope)), verify=False)
        values = {"relaxed": 1, "acq_rel": 4, "tl_blk": 0, "cluster": 3}
        assert op.properties["memory_ordering_semantics"] == IntegerAttr(values[ordering], i32)
        assert op.properties["memory_scope"] == IntegerAttr(values[scope], i32)
        assert ("mode" in op.properties) == (name == "atomic_rmw_tko")
        assert "operandSegmentSizes" in op.properties
        assert op.attributes == {}


@pytest.mark.parametrize("name", ["load_view_tko", "store_view_tko"])
@pytest.mark.requirement("B-23", "B-24")
def test_view_accesses_have_a_clause_for_address_space_and_alignment(name: str):
    check_elision("addr_space", "align", "token", ops=[name])
    for clause in (" addr_space = 1", " align = 16", " addr_space = 1 align = 16"):
        op = check_line(example(name, token=True).replace("token=%t", f"token=%t{clause}"))
        op.verify()
        values = dict(re.findall(r"(\w+) = (\d+)", clause))
        for attribute in ("addr_space", "align"):
            found = op.properties.get(attribute)
            assert (found is not None) == (attribute in values)
            if isinstance(found, IntegerAttr):
                assert found.value.data == int(values[attribute])


@pytest.mark.requirement("B-25")
def test_orderings_of_atomic_cas_are_not_in_the_dictionary():
    check_elision("success_ordering", "failure_ordering", "token", ops=["atomic_cas_tko"])


@pytest.mark.requirement("B-26")
def test_ordering_and_kind_of_atomic_rmw_are_not_in_the_dictionary():
    check_elision("ordering", "kind", "token", ops=["atomic_rmw_tko"])


@pytest.mark.requirement("B-27")
def test_make_token_elides_nothing():
    attributes = ", ".join(f"{name} = 1 : i32" for name in (*ALL_NAMES, *NOT_ELIDED))
    check_line(f"%s = cuda_tile.make_token {{{attributes}}} : !cuda_tile.token")
    check_line("%s = cuda_tile.make_token : !cuda_tile.token")


@pytest.mark.parametrize("name", ELIDED)
@pytest.mark.requirement("B-28", "B-57")
def test_nothing_else_is_elided(name: str):
    for attribute in NOT_ELIDED:
        check_line(example(name, attributes=f" {{{attribute} = 7 : i32}}")).verify()
    # Names that another op elides. The pointer ops reserve `token` as well: it is a keyword there.
    others = set(ALL_NAMES) - set(ELIDED[name]) - {"token"}
    for attribute in others:
        check_line(example(name, attributes=f" {{{attribute} = 7 : i32}}")).verify()


def attributes_of(line: str) -> Iterator[str]:
    for dictionary in re.findall(r"\{([^{}]*)\} :", line):
        yield from re.findall(r"([\w.]+) = ", dictionary)


@pytest.mark.every(4)
@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split("{\n")[1][:40])
@pytest.mark.requirement("B-04")
def test_inherent_attributes_are_not_in_the_dictionary(text: str):
    module = parse(text)
    for op in module.walk():
        op.attributes["my.tag"] = IntegerAttr(7, i32)
    for line in print_module(module).splitlines():
        assert set(attributes_of(line)) <= {"my.tag"}
    reparsed = parse(print_module(module))
    assert reparsed.is_structurally_equivalent(module)


@pytest.mark.parametrize("op", OP_CLASSES, ids=lambda op: op.name)
@pytest.mark.requirement("B-04")
def test_inherent_names_are_refused_in_the_dictionary(op: type[ct.CudaTileOperation]):
    """Whatever the syntax shows cannot be in the dictionary as well."""
    texts = [text for text in EXAMPLES if re.search(rf"\b{op.name.split('.')[1]}\b", text)]
    for text in texts[:1]:
        for found in parse(text).walk():
            if isinstance(found, op):
                for name in found.properties:
                    found.attributes[name] = IntegerAttr(1, i32)
                    with pytest.raises(VerifyException, match=rf"attribute '{name}' is already"):
                        found.verify()
                    del found.attributes[name]


# Keywords

ORDERINGS = ("weak", "relaxed", "acquire", "release", "acq_rel", "seq_cst")
SCOPES = ("tl_blk", "cluster", "gpu", "sys")
MODES = "add addf addu and or xor xchg min umin max umax cmpxchg".split()
ROUNDINGS = ("nearest_even", "zero", "negative_inf", "positive_inf", "approx", "full")

ALLOWED_ORDERINGS = {
    "load": {"weak", "relaxed", "acquire"},
    "store": {"weak", "relaxed", "release"},
    "atomic": {"relaxed", "acquire", "release", "acq_rel", "seq_cst"},
}


def accepts(line: str) -> bool:
    try:
        parse_line(line)
    except VerifyException:
        return False
    return True


@pytest.mark.parametrize("name", ACCESSES)
@pytest.mark.parametrize("word", ORDERINGS)
@pytest.mark.requirement("B-29")
def test_keywords_of_orderings_round_trip(name: str, word: str):
    scope = "" if word == "weak" else "gpu"
    if word == "weak" and name.startswith("atomic"):
        scope = "gpu"
    line = example(name, words=(word, scope))
    op = check_line(line)
    assert isinstance(op, TokenOrderedOperation)
    assert op.ordering.keyword == word
    assert accepts(line) == (word in ALLOWED_ORDERINGS[name.split("_")[0]])


@pytest.mark.parametrize("name", ACCESSES)
@pytest.mark.parametrize("word", [*SCOPES, "device"])
@pytest.mark.requirement("B-30", "B-34")
def test_keywords_of_scopes_round_trip_and_device_is_gpu(name: str, word: str):
    ordering = ACCESSES[name][2][0]
    op = parse_line(example(name, words=(ordering, word)))
    canonical = "gpu" if word == "device" else word
    assert print_line(op) == example(name, words=(ordering, canonical)).split(" = ", 1)[1]


@pytest.mark.parametrize("word", MODES)
@pytest.mark.requirement("B-31")
def test_keywords_of_modes_round_trip(word: str):
    line = example("atomic_rmw_tko").replace(" add ", f" {word} ")
    if word == "addf":
        line = line.replace("%p", "%q").replace("%x", "%f").replace("i32", "f32")
        line = f'%q = "test.op"() : () -> !cuda_tile.tile<8xptr<f32>>\n{line}'
        (op,) = (op for op in parse(in_function(line)).walk() if isinstance(op, ct.AtomicRMWOp))
        assert f" {word} %q, %f" in print_line(op)
        return
    op = check_line(line)
    assert isinstance(op, ct.AtomicRMWOp)
    assert op.atomic_mode is not None
    assert op.atomic_mode.keyword == word
    public = line.replace(f"{word} %p, ", f"%p, {word}, ")
    assert print_line(parse_line(public, verify=False)) == print_line(op)
    assert accepts(line) == (word != "cmpxchg")
    red = check_line(RED_VIEW.replace(", add,", f", {word},"))
    assert isinstance(red, ct.AtomicRedViewOp)
    assert red.atomic_mode is op.atomic_mode


SIGNED_LINES = (
    "%r = cuda_tile.divi %x, %y {} : !cuda_tile.tile<8xi32>",
    "%r = cuda_tile.remi %x, %y {} : !cuda_tile.tile<8xi32>",
    "%r = cuda_tile.maxi %x, %y {} : !cuda_tile.tile<8xi32>",
    "%r = cuda_tile.mini %x, %y {} : !cuda_tile.tile<8xi32>",
    "%r = cuda_tile.shri %x, %y {} : !cuda_tile.tile<8xi32>",
    "%r = cuda_tile.cmpi less_than %x, %y, {} : !cuda_tile.tile<8xi32> -> !cuda_tile.tile<8xi1>",
    "%r = cuda_tile.exti %x {} : !cuda_tile.tile<8xi32> -> !cuda_tile.tile<8xi64>",
    "%r = cuda_tile.itof %x {} : !cuda_tile.tile<8xi32> -> !cuda_tile.tile<8xf32>",
    "%r = cuda_tile.ftoi %f {} : !cuda_tile.tile<8xf32> -> !cuda_tile.tile<8xi32>",
    "%r = cuda_tile.mmai %a, %b, %c {} signed : !cuda_tile.tile<16x32xi8>, "
    "!cuda_tile.tile<32x16xi8>, !cuda_tile.tile<16x16xi32>",
    "%r = cuda_tile.mmai %a, %b, %c signed {} : !cuda_tile.tile<16x32xi8>, "
    "!cuda_tile.tile<32x16xi8>, !cuda_tile.tile<16x16xi32>",
)


@pytest.mark.parametrize("line", SIGNED_LINES)
@pytest.mark.parametrize("word", ["signed", "unsigned"])
@pytest.mark.requirement("B-32")
def test_keywords_of_signedness_round_trip(line: str, word: str):
    op = check_line(line.format(word))
    op.verify()
    kinds = [value for value in op.properties.values() if isinstance(value, ct.SignednessAttr)]
    assert ct.SignednessAttr(ct.Signedness(word)) in kinds


FLOAT = "!cuda_tile.tile<8xf32>"
IEEE = ROUNDINGS[:4]
ROUNDED_LINES: tuple[tuple[str, Sequence[str], str], ...] = (
    (f"%r = cuda_tile.addf %f, %f{{}} : {FLOAT}", IEEE, "nearest_even"),
    (f"%r = cuda_tile.subf %f, %f{{}} : {FLOAT}", IEEE, "nearest_even"),
    (f"%r = cuda_tile.mulf %f, %f{{}} : {FLOAT}", IEEE, "nearest_even"),
    (f"%r = cuda_tile.fma %f, %f, %f{{}} : {FLOAT}", IEEE, "nearest_even"),
    (f"%r = cuda_tile.divf %f, %f{{}} : {FLOAT}", ROUNDINGS, "nearest_even"),
    (f"%r = cuda_tile.sqrt %f{{}} : {FLOAT}", ROUNDINGS[:5], "nearest_even"),
    (f"%r = cuda_tile.exp %f{{}} : {FLOAT}", ("approx", "full"), "full"),
    (f"%r = cuda_tile.tanh %f{{}} : {FLOAT}", ("approx", "full"), "full"),
    (
        "%r = cuda_tile.divi %x, %y signed{} : !cuda_tile.tile<8xi32>",
        ("zero", "negative_inf", "positive_inf"),
        "zero",
    ),
    (
        f"%r = cuda_tile.ftof %h{{}} : !cuda_tile.tile<8xf16> -> {FLOAT}",
        (*IEEE, "nearest_away"),
        "nearest_even",
    ),
    (
        f"%r = cuda_tile.itof %x signed{{}} : !cuda_tile.tile<8xi32> -> {FLOAT}",
        ("nearest_even",),
        "nearest_even",
    ),
    (
        f"%r = cuda_tile.ftoi %f signed{{}} : {FLOAT} -> !cuda_tile.tile<8xi32>",
        ("nearest_int_to_zero",),
        "nearest_int_to_zero",
    ),
)


@pytest.mark.parametrize(
    ("line", "word", "default"),
    [(line, word, default) for line, words, default in ROUNDED_LINES for word in words],
)
@pytest.mark.requirement("B-33")
def test_keywords_of_rounding_round_trip(line: str, word: str, default: str):
    op = parse_line(line.format(f" rounding<{word}>"))
    (rounding,) = (value for value in op.properties.values() if isinstance(value, ct.RoundingAttr))
    assert rounding.data.value == word
    clause = "" if word == default else f" rounding<{word}>"
    assert print_line(op) == line.format(clause).split(" = ", 1)[1]
    assert f"#cuda_tile.rounding<{word}>" in print_module(op, generic=True)


KEYWORD_POSITIONS: tuple[str, ...] = (
    *(example(name, words=("{}", "gpu")) for name in ACCESSES),
    *(example(name, words=(ACCESSES[name][2][0], "{}")) for name in ACCESSES),
    example("atomic_rmw_tko").replace(" add ", " {} "),
    example("atomic_rmw_tko").replace(" add %p, ", " %p, {}, "),
    RED_VIEW.replace("relaxed", "{}"),
    RED_VIEW.replace("gpu", "{}"),
    RED_VIEW.replace(", add,", ", {},"),
    *SIGNED_LINES,
    *(line.format(" rounding<{}>") for line, _, _ in ROUNDED_LINES),
    "%r = cuda_tile.addi %x, %y overflow<{}> : !cuda_tile.tile<8xi32>",
    "%r = cuda_tile.trunci %x overflow<{}> : !cuda_tile.tile<8xi32> -> !cuda_tile.tile<8xi8>",
    "%r = cuda_tile.cmpi {} %x, %y, signed : !cuda_tile.tile<8xi32> -> !cuda_tile.tile<8xi1>",
    f"%r = cuda_tile.cmpf {{}} ordered %f, %f : {FLOAT} -> !cuda_tile.tile<8xi1>",
    f"%r = cuda_tile.cmpf equal {{}} %f, %f : {FLOAT} -> !cuda_tile.tile<8xi1>",
    "%r = cuda_tile.assume {}<4>, %x : !cuda_tile.tile<8xi32>",
)


@pytest.mark.every(7)
@pytest.mark.parametrize("line", KEYWORD_POSITIONS)
@pytest.mark.parametrize("word", ["pluto", "WEAK", "add_"])
@pytest.mark.requirement("B-35")
def test_unknown_keywords_are_named(line: str, word: str):
    assert re.search(rf"\b{word}\b", fails(in_function(line.format(word))))


@pytest.mark.parametrize("word", ["pluto", "Signed", ""])
@pytest.mark.parametrize(
    "attribute", ["signedness", "rounding", "overflow", "comparison_predicate", "padding_value"]
)
@pytest.mark.requirement("B-35")
def test_unknown_keywords_in_attributes_are_named(attribute: str, word: str):
    text = f'"test.op"() {{a = #cuda_tile.{attribute}<{word}>}} : () -> ()'
    assert word in fails(text)


# Layouts


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("#cute.layout<(1@0, 16@1)>", CuteLayoutAttr),
        ("#cute.shape<(128@0, 64@1)>", ShapeAttr),
        ("#cute.stride<(1@0, 128@1)>", StrideAttr),
        ("#cute.layout<((1@0, 2@1), 16@2)>", CuteLayoutAttr),
    ],
)
@pytest.mark.requirement("B-36", "B-37", "B-38", "B-39", "B-40")
def test_layouts_round_trip(text: str, attribute: type):
    (op,) = parse(f'"test.op"() {{a = {text}}} : () -> ()').body.ops
    assert isinstance(op.attributes["a"], attribute)
    assert str(op.attributes["a"]) == text
    line = f"%r = cuda_tile.iota {{layout = {text}}} : !cuda_tile.tile<8xi32>"
    assert check_line(line).attributes["layout"] == op.attributes["a"]


@pytest.mark.parametrize("name", ["layout", "shape", "stride"])
@pytest.mark.requirement("B-41")
def test_there_are_no_layout_types(name: str):
    assert not any(issubclass(attribute, ct.TileType) for attribute in Cute.attributes)
    for text in (
        f'%0 = "test.op"() : () -> !cute.{name}<(1@0)>',
        f"entry @k(%x: !cute.{name}<(1@0)>) {{ return }}",
        f"entry @k() {{ %0 = iota : !cute.{name}<(1@0)> return }}",
        f"entry @k() {{ %0 = iota : tile<8x!cute.{name}<(1@0)>> return }}",
    ):
        fails(text)


@pytest.mark.parametrize("name", ["layout", "shape", "stride"])
@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        ("(1@0, 16@)", "16@"),
        ("(1@0, x@1)", "x@1"),
        ("(1@0, @1)", "@1"),
        ("(1@0, 16)", "16"),
        ("(1@-1)", "1@-1"),
        ("(-1@0)", "-1@0"),
        ("(1@0 2@1)", "1@0 2@1"),
        ("1@0", "1@0"),
        ("", ""),
    ],
)
@pytest.mark.requirement("B-42", "I-19")
def test_malformed_layouts_name_the_bad_parameter(name: str, body: str, parameter: str):
    for allow_unregistered in (False, True):
        ctx = context_of(Builtin, Func, Cute, allow_unregistered=allow_unregistered)
        text = f"func.func private @f() attributes {{l = #cute.{name}<{body}>}}"
        with pytest.raises(ParseError) as info:
            TextParser(ctx, text, "in.mlir").parse_module()
        assert f"malformed #cute.{name} parameter '{parameter}'" in info.value.msg


# Names

CONSTANTS = (
    ("<i1: 1> : tile<8xi1>", "true"),
    ("<i1: true> : tile<i1>", "true"),
    ("<i1: [1, 1]> : tile<2xi1>", "true"),
    ("<i1: 0> : tile<i1>", "false"),
    ("<i1: [false, false]> : tile<2xi1>", "false"),
    ("<i1: [1, 0, 1, 0]> : tile<4xi1>", "cst_i1"),
    ("<i32: 42> : tile<16xi32>", "cst_42"),
    ("<i32: [42, 42]> : tile<2xi32>", "cst_42"),
    ("<i8: 255> : tile<i8>", "cst_-1"),
    ("<i16: 0> : tile<i16>", "cst_0"),
    ("<i64: 0x7FFFFFFFFFFFFFFF> : tile<i64>", "cst_9223372036854775807"),
    ("<i32: [1, 2]> : tile<2xi32>", "cst"),
    ("<f32: 2.5> : tile<f32>", "cst"),
    ("<f32: 1.0> : tile<f32>", "cst"),
    ("<f32: -0.0> : tile<f32>", "cst"),
    ("<f32: 0x7F800000> : tile<f32>", "cst"),
    ("<f32: [0x7FC00000, 0x7FC00001]> : tile<2xf32>", "cst"),
)

NANS = (
    ("f16", (0x7E00, 0x7C01, 0xFFFF)),
    ("bf16", (0x7FC0, 0xFF81)),
    ("f32", (0x7FC00000, 0x7F800001, 0xFFFFFFFF)),
    ("tf32", (0x3FE00,)),
    ("f64", (0x7FF8000000000000, 0xFFF0000000000001)),
    ("f8E4M3FN", (0x7F, 0xFF)),
    ("f8E5M2", (0x7D, 0x7F, 0xFE)),
    ("f8E8M0FNU", (0xFF,)),
    ("fnv8E5M3FNU", (0xFF,)),
)


def name_of(literal: str) -> str:
    module = parse(f"testing$func @f() {{ %0 = constant {literal} return }}")
    (name,) = re.findall(r"%(\S+) = cuda_tile.constant", print_module(module))
    (generic_name,) = re.findall(
        r'%(\S+) = "cuda_tile.constant"', print_module(module, generic=True)
    )
    assert name == generic_name
    return name


@pytest.mark.parametrize(("literal", "name"), CONSTANTS)
@pytest.mark.requirement("B-43", "B-44", "B-46", "B-47", "B-48")
def test_constants_are_named_by_their_value(literal: str, name: str):
    assert name_of(literal) == name


@pytest.mark.parametrize(
    ("element", "bits"), [(element, bits) for element, values in NANS for bits in values]
)
@pytest.mark.requirement("B-45")
def test_splats_of_nan_are_named_so(element: str, bits: int):
    assert name_of(f"<{element}: 0x{bits:X}> : tile<{element}>") == "cst_NaN"
    assert name_of(f"<{element}: 0x{bits:X}> : tile<4x{element}>") == "cst_NaN"
    assert name_of(f"<{element}: [0x{bits:X}, 1.0]> : tile<2x{element}>") == "cst"


@pytest.mark.requirement("B-47")
def test_names_may_be_long():
    assert name_of("<i64: -9223372036854775808> : tile<i64>") == "cst_-9223372036854775808"


@pytest.mark.requirement("B-49")
def test_rules_for_names_of_constants_apply_in_order():
    names = [constant_name(literal(text)) for text in ("i1: 1", "i1: 0", "f32: 0x7FC00000")]
    names += [constant_name(literal(text)) for text in ("i1: [1, 0]", "i32: 5", "f32: 5.0")]
    assert names == ["true", "false", "cst_NaN", "cst_i1", "cst_5", "cst"]


def literal(text: str) -> DenseElementsAttr:
    element = text.split(":")[0]
    shape = "2x" if "[" in text else ""
    module = parse_unverified(
        f"entry @k() {{ %0 = constant <{text}> : tile<{shape}{element}> return }}"
    )
    (constant,) = (op for op in module.walk() if isinstance(op, ct.ConstantOp))
    return constant.elements


@pytest.mark.requirement("B-49")
def test_names_in_the_input_and_of_the_builder_are_dropped():
    module = parse("%x = cuda_tile.constant <i32: 5> : !cuda_tile.tile<i32>")
    (constant,) = module.body.ops
    (result,) = constant.results
    assert result.name_hint == "cst_5"
    result.name_hint = "other"
    assert result.name_hint == "cst_5"
    (copied,) = module.clone().body.ops
    assert copied.results[0].name_hint == "cst_5"


NAMES = ("cst", "cst_0", "cst_1", "cst_2", "true", "cst_NaN", "x", "x_1", "cst_1_i32", "cst_-1")
VALUES = (
    "<f32: 2.5> : !cuda_tile.tile<f32>",
    "<f32: 3.5> : !cuda_tile.tile<f32>",
    "<i32: 0> : !cuda_tile.tile<i32>",
    "<i32: 1> : !cuda_tile.tile<i32>",
    "<i8: 1> : !cuda_tile.tile<4xi8>",
    "<i32: 2> : !cuda_tile.tile<i32>",
    "<i32: -1> : !cuda_tile.tile<i32>",
    "<i32: [1, 2]> : !cuda_tile.tile<2xi32>",
    "<i1: 1> : !cuda_tile.tile<i1>",
    "<f16: 0x7E00> : !cuda_tile.tile<f16>",
)


def random_block(random: Random, used: set[str], depth: int = 0) -> Iterator[str]:
    """Constants and other values with treacherous names, in regions and functions."""

    def fresh() -> str:
        free = [name for name in NAMES if name not in used]
        name = random.choice(free) if free else f"v{len(used)}"
        used.add(name)
        return name

    for _ in range(random.randint(1, 5)):
        kind = random.random() if depth < 3 else random.random() * 0.8
        if kind < 0.55:
            yield f"%{fresh()} = cuda_tile.constant {random.choice(VALUES)}"
        elif kind < 0.8:
            yield f'%{fresh()}, %{fresh()} = "test.op"() : () -> (i32, i32)'
        elif kind < 0.9:
            yield '"test.op"() ({'
            yield from random_block(random, used.copy(), depth + 1)
            yield '"test.termop"() : () -> ()'
            yield "}, {"
            yield from random_block(random, used.copy(), depth + 1)
            yield '"test.termop"() : () -> ()'
            yield "}) : () -> ()"
        else:
            inner = used.copy()
            free = [name for name in NAMES if name not in inner] or [f"a{len(inner)}"]
            inner.add(free[0])
            yield f"func.func @f{random.randint(0, 10**9)}(%{free[0]}: i32) {{"
            yield from random_block(random, inner, depth + 1)
            yield "func.return"
            yield "}"


def change(random: Random, module: ModuleOp) -> None:
    """Erases, moves or adds a constant, or adds another value of its name."""
    constants = [op for op in module.walk() if isinstance(op, ct.ConstantOp)]
    if not constants:
        return
    constant = random.choice(constants)
    block = constant.parent
    assert block is not None
    action = random.randrange(4)
    if action == 0:
        constant.detach()
        constant.erase()
    elif action == 1:
        constant.detach()
        first = block.first_op
        block.add_op(constant) if first is None else block.insert_op_before(constant, first)
    else:
        value = f"cuda_tile.constant {random.choice(VALUES)}"
        other = value if action == 2 else '"test.op"() : () -> i32'
        (new,) = parse_unverified(f"%cst = {other}").body.ops
        new.detach()
        block.insert_op_before(new, constant)


@pytest.mark.parametrize("seed", every(4, range(60)))
@pytest.mark.requirement("B-48", "B-49", "B-51")
def test_names_are_distinct_and_stable(seed: int):
    random = Random(seed)
    module = parse("\n".join(random_block(random, set())))
    for _ in range(4):
        for generic in (False, True):
            printed = print_module(module, generic=generic)
            reparsed = parse(printed)
            assert reparsed.is_structurally_equivalent(module)
            assert print_module(reparsed, generic=generic) == printed
            assert print_module(module, generic=generic) == printed
        change(random, module)


@pytest.mark.requirement("B-49")
def test_names_do_not_depend_on_earlier_prints():
    text = "%0 = cuda_tile.constant <f32: 2.5> : !cuda_tile.tile<f32>"
    module = parse(text)
    assert "%cst = cuda_tile.constant <f32" in print_module(module)
    for line in ('%cst = "test.op"() : () -> i32', text.replace("f32: 2.5", "i32: 1")):
        (new,) = parse_unverified(line.replace("tile<f32>", "tile<i32>")).body.ops
        new.detach()
        module.body.block.add_op(new)
    names = re.findall(r"^ *%(\S+) =", print_module(module), re.MULTILINE)
    assert len(set(names)) == 3
    assert print_module(parse(print_module(module))) == print_module(module)


@pytest.mark.requirement("B-49")
def test_names_are_distinct_in_graph_regions():
    """There a constant may be used before it is defined."""
    constants = "".join(
        f"%c{n} = cuda_tile.constant <f32: {n}.5> : !cuda_tile.tile<f32>\n" for n in range(3)
    )
    integer = "%i = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>"
    module = parse_unverified(
        f'"test.op"(%c2) : (!cuda_tile.tile<f32>) -> ()\n{constants}{integer}'
    )
    printed = print_module(module)
    assert print_module(module) == printed
    assert print_module(parse_unverified(printed)) == printed


@pytest.mark.requirement("B-50")
def test_views_broadcasts_reductions_and_mmas_suggest_names():
    hints = {op.name.split(".")[1]: op.DEFAULT_HINT for op in OP_CLASSES if op.DEFAULT_HINT}
    views = ("tensor", "partition", "strided", "gather_scatter")
    assert hints == {
        **{f"make_{view}_view": "view" for view in views},
        "broadcast": "bcast",
        "reduce": "red",
        **dict.fromkeys(("mmaf", "mmai", "mmaf_scaled"), "mm"),
    }


# Regions and constants


@pytest.mark.requirement("B-52", "B-53")
def test_labels_are_optional_and_printed():
    text = print_module(parse("\n".join(KERNELS_WITH_REGIONS)))
    labels = re.findall(r"^ *\^(\w+):$", text, re.MULTILINE)
    assert {"then", "else", "body"} == set(labels)
    assert print_module(parse(re.sub(r"^ *\^\w+:$", "", text, flags=re.MULTILINE))) == text
    relabelled = re.sub(r"^( *)\^\w+:$", r"\1^label:", text, flags=re.MULTILINE)
    assert print_module(parse(relabelled)) == text
    for terminator in re.findall(r"cuda_tile\.(?:yield|continue|break) (.*)", text):
        assert re.fullmatch(r"%\w+ : !cuda_tile\.tile<\w+>", terminator)


KERNELS_WITH_REGIONS = (
    "entry @k(%c: tile<i1>, %n: tile<i32>) {",
    "%a = if %c -> (tile<i32>) { yield %n : tile<i32> } else { yield %n : tile<i32> }",
    "%b = for %i in (%n to %n, step %n) : tile<i32> iter_values(%x = %n) -> (tile<i32>) {",
    "  continue %x : tile<i32>",
    "}",
    "%d = loop iter_values(%x = %n) : tile<i32> -> tile<i1> { break %c : tile<i1> }",
    "%e = iota : tile<8xi32>",
    "%f = reduce %e dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>",
    "(%x: tile<i32>, %y: tile<i32>) { yield %x : tile<i32> }",
    "%g = scan %e dim=0 reverse=true identities=[0 : i32] : tile<8xi32> -> tile<8xi32>",
    "(%x: tile<i32>, %y: tile<i32>) { yield %x : tile<i32> }",
    "return }",
)


DENSE = (
    "<i32: [1, 2, 3, 4]> : tile<4xi32>",
    "<i32: [[1, 2], [3, 4]]> : tile<2x2xi32>",
    "<f32: [1.0, 2.5]> : tile<2xf32>",
    f"<i32: [{', '.join(map(str, range(128)))}]> : tile<128xi32>",
)


@pytest.mark.parametrize("literal", DENSE)
@pytest.mark.requirement("B-55")
def test_constants_print_with_their_typed_attribute(literal: str):
    module = parse(f"testing$func @f() {{ %0 = constant {literal} return }}")
    ty = literal.split(" : ")[1]
    element = literal[1 : literal.index(":")]
    pattern = rf"^ *%cst = cuda_tile\.constant <{element}: .*> : !cuda_tile\.{re.escape(ty)}$"
    assert re.search(pattern, print_module(module), re.MULTILINE)
    pattern = rf'"cuda_tile\.constant"\(\) <\{{value = #cuda_tile\.dense<{element}: .* : '
    assert re.search(pattern, print_module(module, generic=True))


@pytest.mark.parametrize(
    "payload", ["1, 2, 3, 4", "1 2 3 4", "[1, 2, 3, 4]", "<1, 2, 3, 4>", "<[1, 2, 3, 4]>"]
)
@pytest.mark.requirement("B-54", "B-55")
def test_bare_payloads_are_not_ir(payload: str):
    for text in (payload, f"{payload} : tile<4xi32>", f"{payload} : !cuda_tile.tile<4xi32>"):
        fails(f"entry @k() {{ %0 = constant {text} return }}")
        fails(f"global @g {text}")


# Invariants


@pytest.mark.requirement("B-57")
def test_reserved_attributes_are_the_elided_ones():
    for name, names in ELIDED.items():
        (op,) = (op for op in OP_CLASSES if op.name == f"cuda_tile.{name}")
        extra = set(op.RESERVED) - set(names)
        # `token` and `inbounds` are keywords of these ops, too.
        assert extra <= {"token", "inbounds"}
        assert set(names) <= set(op.RESERVED)
    assert ct.MakeTokenOp.RESERVED == ()


def ops_with(trait: type) -> list[type[ct.CudaTileOperation]]:
    return [op for op in OP_CLASSES if any(isinstance(found, trait) for found in op.traits)]


@pytest.mark.requirement("B-58")
def test_every_query_of_the_namespace_gives_cuda_tile():
    registered = TILEIRAS_UNIVERSE.all_dialects.items()
    answers: dict[str, set[str]] = {
        "dialect": {ct.CudaTile.name, *(name for name, get in registered if get() is ct.CudaTile)},
        "op": {op.dialect_name() for op in ct.CudaTile.operations},
        "attributes": {Dialect.split_name(found.name)[0] for found in ct.CudaTile.attributes},
        "inliner": {op.dialect_name() for op in ops_with(IsolatedFromAbove)},
        "asm": {text_parser.DIALECT},
        "bytecode": {op.dialect_name() for _, op, _ in ENCODINGS},
        "fold": {op.dialect_name() for op in OP_CLASSES if issubclass(op, HasFolderInterface)},
        "types": {Dialect.split_name(found.name)[0] for found in ct.BARE_TYPES.values()},
        "memory effects": {op.dialect_name() for op in ops_with(MemoryEffect)},
    }
    assert answers == {key: {"cuda_tile"} for key in answers}
    assert ct.CudaTile.get_interface(BareTypes) is not None
    assert context().get_optional_dialect("cuda_tile") is ct.CudaTile


@pytest.mark.requirement("B-58")
def test_printed_names_are_the_registered_ones():
    for text in EXAMPLES:
        for op in parse(text).walk():
            if isinstance(op, ct.CudaTileOperation):
                assert f"{op.name} " in f"{print_module(op)} "
                assert f'"{op.name}"' in print_module(op, generic=True)


FACILITIES = {
    "stream": {
        "print_string",
        "print_string_literal",
        "print_identifier_or_string_literal",
        "print_list",
        "print_symbol_name",
        "in_parens",
        "in_braces",
        "in_angle_brackets",
        "in_square_brackets",
        "indented",
        "delimited",
    },
    "attributes": {"print_attribute", "print_bare_type"},
    "operands": {"print_operand", "print_block_argument"},
    "dictionary": {"print_op_attributes", "print_attr_dict"},
    "regions": {"print_op"},
}
"""What printers write through: the four facilities, and bodies of ops."""

ALLOWED = set[str]().union(*FACILITIES.values())


def printer_uses(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """What is asked of the parameters called `printer`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "printer":
                yield node.attr, node.lineno


# Debug information is made of attributes, which print themselves.
OP_FILES = sorted(path for path in SOURCE.glob("*.py") if path.stem != "debug_info")


@pytest.mark.parametrize("path", OP_FILES, ids=lambda path: path.stem)
@pytest.mark.requirement("I-20")
def test_custom_printers_use_four_facilities(path: Path):
    uses = set(printer_uses(ast.parse(path.read_text())))
    assert {f"{name} in line {line}" for name, line in uses if name not in ALLOWED} == set()


class StrictPrinter(Printer):
    """Gives the dialect nothing but the four facilities."""

    def __getattribute__(self, name: str) -> Any:
        frame = inspect.currentframe()
        assert frame is not None
        assert frame.f_back is not None
        caller: str = frame.f_back.f_globals.get("__name__", "")
        if caller.startswith(ct.__name__) and not name.startswith("__"):
            assert name in ALLOWED, f"{caller} uses Printer.{name}"
        return super().__getattribute__(name)


@pytest.mark.every(4)
@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split("{\n")[1][:40])
@pytest.mark.requirement("I-20")
def test_custom_printers_reach_nothing_else(text: str):
    module = parse(text)
    output = StringIO()
    StrictPrinter(stream=output).print_op(module)
    assert output.getvalue() == print_module(module)
