"""What xDSL's IR does, scene by scene, as lines of JSON; with `patched`, after our patches."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

if sys.argv[1:] == ["patched"]:
    from tileiras_xdsl.xdsl_extras.xdsl_patches import apply_patches

    apply_patches()

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerType,
    StringAttr,
    i32,
    i64,
)
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
    var_successor_def,
)
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator, OpTrait, Pure
from xdsl.utils.test_value import create_ssa_value


@irdl_op_definition
class Plain(IRDLOperation):
    name = "test.plain"
    left = operand_def(i32)
    right = operand_def(i32)
    result = result_def(i32)
    label = prop_def(StringAttr, default_value=StringAttr("none"))
    note = opt_prop_def(StringAttr)
    traits = traits_def(Pure())


@irdl_op_definition
class Segmented(IRDLOperation):
    name = "test.segmented"
    first = operand_def(i32)
    maybe = opt_operand_def(i32)
    rest = var_operand_def(i32)
    one = opt_result_def(i32)
    others = var_result_def(i64)
    irdl_options = (
        AttrSizedOperandSegments(as_property=True),
        AttrSizedResultSegments(as_property=True),
    )


@irdl_op_definition
class Tail(IRDLOperation):
    name = "test.tail"
    values = var_operand_def(i32)
    last = operand_def(i64)


@irdl_op_definition
class Nested(IRDLOperation):
    name = "test.nested"
    body = region_def()


@irdl_op_definition
class Branching(IRDLOperation):
    name = "test.branching"
    values = var_operand_def(i32)
    target = successor_def()
    others = var_successor_def()
    body = region_def()
    cases = var_region_def()
    result = result_def(i32)


@irdl_op_definition
class Isolated(IRDLOperation):
    name = "test.isolated"
    body = region_def()
    traits = traits_def(IsolatedFromAbove(), NoTerminator())


class Named(Protocol):
    def title(self) -> str: ...


class TitledOp(TestOp, Named):
    def title(self) -> str:
        return "titled"


@dataclass(frozen=True)
class NeitherAttr(Attribute):
    name = "test.neither"


def value(ty: Attribute = i32) -> SSAValue:
    return create_ssa_value(ty)


def describe(op: Operation) -> Any:
    return (
        op.name,
        [str(operand.type) for operand in op.operands],
        [str(ty) for ty in op.result_types],
        sorted((name, str(each)) for name, each in op.properties.items()),
        sorted((name, str(each)) for name, each in op.attributes.items()),
        [[(use.operation.name, use.index) for use in operand.uses] for operand in op.operands],
        [[(use.operation.name, use.index) for use in block.uses] for block in op.successors],
        [[[inner.name for inner in block.ops] for block in region.blocks] for region in op.regions],
        all(region.parent is op for region in op.regions),
    )


def build(op_class: type[IRDLOperation], **parts: Any) -> Callable[[], Any]:
    return lambda: describe(op_class(**parts))


def constructors() -> Iterator[tuple[str, Callable[[], Any]]]:
    a, b, w = value(), value(), value(i64)
    source = TestOp(result_types=[i32])
    both = TestOp(result_types=[i32, i32])
    note = StringAttr("x")
    yield "plain", build(Plain, operands=[a, b], result_types=[i32])
    yield "same operand", build(Plain, operands=[a, a], result_types=[i32])
    yield "op operand", build(Plain, operands=[source, b], result_types=[i32])
    yield "two results", build(Plain, operands=[both, b], result_types=[i32])
    yield "note", build(Plain, operands=[a, b], result_types=[i32], properties={"note": note})
    yield "no note", build(Plain, operands=[a, b], result_types=[i32], properties={"note": None})
    yield "label", build(Plain, operands=[a, b], result_types=[i32], properties={"label": note})
    yield "attribute", build(Plain, operands=[a, b], result_types=[i32], attributes={"q": note})
    yield "list of one", build(Plain, operands=[[a], b], result_types=[i32])
    yield "list of two", build(Plain, operands=[[a, b], b], result_types=[i32])
    yield "empty list", build(Plain, operands=[[], b], result_types=[i32])
    yield "missing", build(Plain, operands=[a], result_types=[i32])
    yield "too many types", build(Plain, operands=[a, b], result_types=[i32, i32])
    yield "none", build(Plain, operands=[a, None], result_types=[i32])
    yield "none type", build(Plain, operands=[a, b], result_types=[None])
    yield "list of types", build(Plain, operands=[a, b], result_types=[[i32]])
    yield "all", build(Segmented, operands=[a, b, [a, b]], result_types=[i32, [i64, i64]])
    yield "few", build(Segmented, operands=[a, None, []], result_types=[None, []])
    yield "lists", build(Segmented, operands=[[a], [b], (source, a)], result_types=[[i32], (i64,)])
    yield "value for a list", build(Segmented, operands=[a, None, b], result_types=[None, i64])
    yield "two for maybe", build(Segmented, operands=[a, [a, b], []], result_types=[None, []])
    yield "none for list", build(Segmented, operands=[a, None, None], result_types=[None, []])
    yield "tail", build(Tail, operands=[[a, b], w])
    yield "results as operands", build(Tail, operands=[both.results, w])
    yield "region", build(Nested, regions=[Region(Block([TestOp()]))])
    yield "ops of a region", build(Nested, regions=[[TestOp(), TestOp()]])
    yield "blocks of a region", build(Nested, regions=[[Block([TestOp()]), Block()]])
    yield "no region", build(Nested)
    yield "two regions", build(Nested, regions=[Region(), Region()])
    yield "none for a region", build(Nested, regions=[None])
    yield "region for no region", build(Tail, operands=[[a, b], w], regions=[Region()])
    yield "operands of an op", build(Tail, operands=[TestOp(operands=[a, b]).operands, w])

    def branching(successors: Any, regions: Any) -> Callable[[], Any]:
        parts: Any = {"operands": [[a, b]], "result_types": [i32]}
        return build(Branching, **parts, successors=successors, regions=regions)

    first, second = Block(), Block()
    yield "successors", branching([first, [first, second]], [Region(), [Region(), Region()]])
    yield "no others", branching([first, []], [Region(Block([TestOp()])), []])
    yield "successor for a list", branching([first, second], [Region(), Region()])
    yield "list of a successor", branching([[first], ()], [[Region()], ()])
    yield "lists of ops", branching([first, []], [[TestOp()], [[TestOp()], [TestOp()]]])
    yield "no successor", branching([[], []], [Region(), []])
    yield "none for a successor", branching([None, []], [Region(), []])
    yield "missing successors", branching([first], [Region(), []])
    yield "missing regions", branching([first, []], [Region()])


def accessors() -> Iterator[tuple[str, Callable[[], Any]]]:
    a, b, w = value(), value(), value(i64)
    plain = Plain(operands=[a, b], result_types=[i32])
    yield "plain", lambda: (plain.left is a, plain.right is b, plain.result is plain.results[0])
    yield "class", lambda: hasattr(Plain, "left")
    for maybe, rest in ((None, []), (b, []), (b, [a, b]), (None, [a])):
        op = Segmented(operands=[a, maybe, rest], result_types=[i32, [i64]])
        yield (
            f"segments {maybe is None} {len(rest)}",
            lambda op=op, maybe=maybe, rest=rest: (
                op.maybe is maybe,
                list(op.rest) == rest,
                op.one is op.results[0],
                len(op.others),
            ),
        )
    tail = Tail(operands=[[a, b], w])
    yield "tail", lambda: (list(tail.values) == [a, b], type(tail.values).__name__, tail.last is w)
    yield "slices", lambda: (type(plain.results[:1]).__name__, len(plain.results[:0]))
    yield "beyond", lambda: str(plain.results[5])


def verification() -> Iterator[tuple[str, Callable[[], Any]]]:
    a, w = value(), value(i64)
    created: dict[str, IRDLOperation] = {
        "right": Plain.create(operands=[a, a], result_types=[i32]),
        "type": Plain.create(operands=[a, w], result_types=[i32]),
        "count": Plain.create(operands=[a], result_types=[i32]),
        "results": Plain.create(operands=[a, a], result_types=[]),
        "successor": Plain.create(operands=[a, a], result_types=[i32], successors=[Block()]),
        "region": Plain.create(operands=[a, a], result_types=[i32], regions=[Region()]),
        "property": Plain.create(
            operands=[a, a], result_types=[i32], properties={"what": StringAttr("x")}
        ),
        "no segments": Segmented.create(operands=[a], result_types=[]),
        "wrong segments": Segmented.create(
            operands=[a],
            properties={
                "operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 1, 0]),
                "resultSegmentSizes": DenseArrayBase.from_list(i32, [0, 0]),
            },
        ),
    }
    # Sizes of segments, with what there is of i32 and of i64; some are right.
    for sizes, operands in {
        (1, 0, 0): [a],
        (1, 1, 2): [a, a, a, a],
        (1, 0, 1): [a, w],
        (0, 0, 1): [a],
        (1, 2, 0): [a, a, a],
        (1, 1, -1): [a],
        (1, 0): [a],
    }.items():
        for element, results in ((i32, [i32, i64, i64]), (i32, [i64, i64, i64]), (i64, [])):
            op = Segmented.create(
                operands=operands,
                result_types=results,
                properties={
                    "operandSegmentSizes": DenseArrayBase.from_list(element, sizes),
                    "resultSegmentSizes": DenseArrayBase.from_list(
                        i32, [1, 2] if results else [0, 0]
                    ),
                },
            )
            created[f"segments {sizes} {element} {results}"] = op
    for operands in ([w], [a, w], [a, a, w], [a], [w, w], []):
        created[f"tail {operands}"] = Tail.create(operands=operands)
    for name, op in created.items():
        yield name, lambda op=op: op.verify()
    outside = TestOp(result_types=[i32])
    inside = TestOp(result_types=[i32])
    nested = TestOp(operands=[inside], regions=[Region(Block([TestOp(operands=[inside])]))])
    isolated = Isolated(regions=[Region(Block([inside, nested]))])
    wrong = Isolated(regions=[Region(Block([TestOp(operands=[outside])]))])
    own = Isolated(
        regions=[Region(Block([Nested(regions=[Region(Block([TestOp(operands=[a])]))])]))]
    )
    around = TestOp(regions=[Region(Block([outside, isolated, wrong, own]))])
    for index, op in enumerate(around.regions[0].blocks[0].ops):
        yield f"isolated {index}", lambda op=op: op.verify()
    yield "attribute", lambda: str(DenseArrayBase(StringAttr("x"), i32))  # pyright: ignore
    yield "neither", lambda: str(NeitherAttr())


def changes() -> Iterator[tuple[str, Callable[[], Any]]]:
    inner = TestOp()
    block = Block([inner])
    outer = TestOp(regions=[Region(block)])
    other = Block([TestOp(result_types=[i32])])
    used = other.first_op
    assert used is not None
    user = Plain(operands=[used, used], result_types=[i32])
    yield "into itself", lambda: block.add_op(outer)
    yield "twice", lambda: other.add_op(inner)
    yield "erase used", lambda: used.results[0].erase()
    yield "detach and erase used", lambda: (used.detach(), used.erase())
    yield "names", lambda: [name_after(name) for name in ("x", "x_1", "x_y_22", None, "a.b")]
    yield "bad name", lambda: name_after("1x")

    def replace() -> Any:
        new = value()
        used.results[0].replace_all_uses_with(new)
        user.operands[1] = user.operands[0]
        return describe(user), used.results[0].uses.get_length(), bool(new.uses)

    yield "replace", replace

    def walk_and_erase() -> Any:
        inside = Block([TestOp(attributes={"n": StringAttr(str(i))}) for i in range(4)])
        around = TestOp(regions=[Region(inside), Region([Block([TestOp()]), Block()])])
        seen: list[str] = []
        for op in around.walk():
            seen.append(str(op.attributes.get("n")))
            if seen[-1] == '"1"':
                op.detach()
                op.erase()
            if seen[-1] == '"2"':
                op.add_region(Region(Block([TestOp(attributes={"n": StringAttr("new")})])))
        back = [str(op.attributes.get("n")) for op in around.walk(reverse=True)]
        first = [str(op.attributes.get("n")) for op in around.walk(region_first=True)]
        return seen, back, first, len(inside.ops), [op.name for op in reversed(inside.ops)]

    yield "walk", walk_and_erase


def name_after(name: str | None) -> str | None:
    named = value()
    named.name_hint = name
    return named.name_hint


class Marked(OpTrait):
    """A trait that is added late."""


def classes() -> Iterator[tuple[str, Callable[[], Any]]]:
    plain, titled = Plain(operands=[value(), value()], result_types=[i32]), TitledOp()
    things: tuple[object, ...] = (plain, titled, i32, Block(), value(), None)

    def traits() -> Any:
        before = (Plain.has_trait(Pure), Plain.has_trait(IsTerminator), Plain.has_trait(Marked))
        Plain.traits.add_trait(Marked())
        after = (Plain.has_trait(Marked), plain.get_trait(Marked), Plain.has_trait(Pure()))
        return before, str(after), len(Plain.get_traits_of_type(OpTrait))

    yield "traits", traits
    yield (
        "isinstance",
        lambda: [
            isinstance(each, kind)
            for each in things
            for kind in (Operation, IRDLOperation, Plain, Nested, TestOp, SSAValue, Attribute)
        ],
    )
    yield "title", titled.title
    yield "get", lambda: SSAValue.get(plain) is plain.result
    yield "get of a type", lambda: SSAValue.get(plain, type=IntegerType) is plain.result
    yield "get of another type", lambda: str(SSAValue.get(plain, type=StringAttr))
    yield "get none", lambda: str(SSAValue.get(TestOp()))
    yield "equality", lambda: (plain == plain, plain == titled, len({plain, plain, titled}))


def main() -> None:
    for scenes in (constructors, accessors, verification, changes, classes):
        for name, scene in scenes():
            try:
                outcome = scene()
            except Exception as error:
                outcome = f"{type(error).__name__}: {error}"
            print(json.dumps((scenes.__name__, name, outcome)))


if __name__ == "__main__":
    main()
