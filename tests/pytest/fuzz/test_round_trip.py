"""
Random modules survive being printed and parsed, in every text form there is.

The environment variable `TILEIRAS_FUZZ_MODULES` asks for so many modules in place of the usual
ones, and for a twentieth as many examples of Hypothesis, new ones each time:

    TILEIRAS_FUZZ_MODULES=5000 python -m pytest -n 2 tests/pytest/fuzz/test_round_trip.py
"""

import os
import re
from collections.abc import Callable, Mapping
from io import StringIO

import pytest
from hypothesis import HealthCheck, given, settings
from xdsl.dialects import builtin
from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i32
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile import PublicPrinter
from tileiras_xdsl.xdsl_extras.aliases import print_ir

from ..harness.cases import covering
from ..harness.modules import parse
from ..strategies.coverage import expected_features, features
from ..strategies.modules import cuda_tile_modules, random_module

MODULES = int(os.environ.get("TILEIRAS_FUZZ_MODULES", "240"))
IS_LONG_RUN = "TILEIRAS_FUZZ_MODULES" in os.environ

fuzzing = settings(
    max_examples=max(MODULES // 20, 1) if IS_LONG_RUN else 6,
    derandomize=not IS_LONG_RUN,
    database=None,
    deadline=None,
    suppress_health_check=(HealthCheck.data_too_large, HealthCheck.too_slow),
)

SEEDS = range(MODULES)
CHUNKS = 12
"""How many tests there are for the seeds, to run on several processors."""


# Names


def assert_names_differ(op: Operation, names: Mapping[SSAValue, str]) -> None:
    """No two values that can be seen from one place may have the same name."""

    def check(region: Region, visible: frozenset[str]) -> None:
        for block in region.blocks:
            for values in (block.args, *(op.results for op in block.ops)):
                for value in values:
                    name = names[value]
                    assert name not in visible, f"%{name} is defined twice"
                    visible |= {name}
        for block in region.blocks:
            for op in block.ops:
                isolated = op.has_trait(IsolatedFromAbove)
                for nested in op.regions:
                    check(nested, frozenset() if isolated else visible)

    for region in op.regions:
        check(region, frozenset())


# xDSL's printer


def to_text(module: builtin.ModuleOp, *, generic: bool, debuginfo: bool) -> str:
    stream = StringIO()
    printer = Printer(stream, print_generic_format=generic, print_debuginfo=debuginfo)
    printer.print_op(module)
    assert_names_differ(module, printer._ssa_values)  # pyright: ignore[reportPrivateUsage]
    return stream.getvalue()


def assert_same_locations(
    module: Operation, other: Operation, with_arguments: Callable[[Operation], bool]
) -> None:
    """
    All ops have the same locations, and so have the arguments of the blocks of ops for which
    `with_arguments` holds.
    """
    for op, other_op in zip(module.walk(), other.walk(), strict=True):
        assert op.location == other_op.location
        if with_arguments(op):
            assert argument_locations(op) == argument_locations(other_op)


def argument_locations(op: Operation) -> list[Attribute]:
    blocks = (block for region in op.regions for block in region.blocks)
    return [argument.location for block in blocks for argument in block.args]


def shows_argument_locations(op: Operation) -> bool:
    """The custom syntax of loops has no place for the locations of arguments."""
    return not isinstance(op, ct.ForOp | ct.LoopOp)


def check_form(module: builtin.ModuleOp, *, generic: bool, debuginfo: bool) -> None:
    text = to_text(module, generic=generic, debuginfo=debuginfo)
    parsed = parse(text)
    assert module.is_structurally_equivalent(parsed)
    if debuginfo:
        assert_same_locations(module, parsed, lambda op: generic or shows_argument_locations(op))
    assert to_text(parsed, generic=generic, debuginfo=debuginfo) == text


# The public printer


def to_public_text(module: ct.ModuleOp, *, wrapper: bool, debuginfo: bool) -> str:
    stream = StringIO()
    printer = PublicPrinter(stream, print_wrapper=wrapper, print_debuginfo=debuginfo)
    printer.print_module(module)
    assert_names_differ(module, printer._names.names)  # pyright: ignore[reportPrivateUsage]
    return stream.getvalue()


def is_left_out(op: Operation) -> bool:
    """Whether this is a terminator that the public form does not print."""
    if op.operands:
        return False
    match op:
        case ct.YieldOp():
            return isinstance(op.parent_op(), ct.IfOp)
        case ct.ContinueOp():
            return isinstance(op.parent_op(), ct.ForOp | ct.LoopOp)
        case _:
            return False


def public_content(module: ct.ModuleOp, *, wrapper: bool) -> ct.ModuleOp:
    """The module as far as the public form shows it."""
    module = module.clone()
    if not wrapper:
        module.properties["sym_name"] = StringAttr("kernels")
        module.attributes = {}
        if isinstance(module.producer, StringAttr):
            # It is a comment, which ends with the line.
            module.properties["producer"] = StringAttr(re.sub("[\r\n]", " ", module.producer.data))
    for op in list(module.walk()):
        match op:
            case ct.EntryOp():
                op.properties.pop("arg_attrs", None)
                op.properties.pop("res_attrs", None)
                if op.optimization_hints == ct.OptimizationHintsAttr.from_dict({}):
                    del op.properties["optimization_hints"]
            case ct.LoadViewOp() | ct.StoreViewOp() if not any(op.get_inbounds()):
                op.properties.pop("inbounds", None)
            case _ if is_left_out(op):
                op.attributes = {}
                parent = op.parent_op()
                assert parent is not None
                op.location = parent.location
            case _:
                pass
        if isinstance(op, ct.StoreViewOp) and op.mask is not None:
            drop_mask(op)
    return module


def drop_mask(op: ct.StoreViewOp) -> None:
    tokens = [] if op.token is None else [op.token]
    op.operands = [op.tile, op.view, *op.index, *tokens]
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(
        i32, [1, 1, len(op.index), 0, len(tokens)]
    )


def check_public_form(module: ct.ModuleOp, *, wrapper: bool, debuginfo: bool) -> None:
    content = public_content(module, wrapper=wrapper)
    text = to_public_text(content, wrapper=wrapper, debuginfo=debuginfo)
    (parsed,) = parse(text).body.ops
    assert isinstance(parsed, ct.ModuleOp)
    assert content.is_structurally_equivalent(parsed)
    if debuginfo:
        if not wrapper:
            parsed.location = content.location
        assert_same_locations(content, parsed, lambda op: False)
    assert to_public_text(parsed, wrapper=wrapper, debuginfo=debuginfo) == text


# Short forms, with aliases


def check_short_form(module: builtin.ModuleOp) -> None:
    text = print_ir(module, short=True)
    parsed = parse(text)
    assert module.is_structurally_equivalent(parsed)
    assert print_ir(parsed, short=True) == text


# Tests

FLAGS = (False, True)


def check_all_forms(module: builtin.ModuleOp, *, debuginfo: bool, wrapper: bool) -> None:
    module.verify()
    for generic in FLAGS:
        check_form(module, generic=generic, debuginfo=debuginfo)
    check_short_form(module)
    for op in module.body.ops:
        assert isinstance(op, ct.ModuleOp)
        check_public_form(op, wrapper=wrapper, debuginfo=debuginfo)


@pytest.mark.every(2)
@pytest.mark.parametrize(("generic", "debuginfo"), covering(FLAGS, FLAGS))
def test_round_trip(generic: bool, debuginfo: bool):
    @fuzzing
    @given(cuda_tile_modules())
    def check(module: builtin.ModuleOp) -> None:
        module.verify()
        check_form(module, generic=generic, debuginfo=debuginfo)

    check()


@pytest.mark.every(2)
@pytest.mark.parametrize(("wrapper", "debuginfo"), covering(FLAGS, FLAGS))
def test_public_round_trip(wrapper: bool, debuginfo: bool):
    @fuzzing
    @given(cuda_tile_modules())
    def check(module: builtin.ModuleOp) -> None:
        for op in module.body.ops:
            assert isinstance(op, ct.ModuleOp)
            check_public_form(op, wrapper=wrapper, debuginfo=debuginfo)

    check()


@pytest.mark.every(17)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_form_of_many_modules(chunk: int):
    """Without shrinking, and a seventh of the modules that `test_coverage` looks at."""
    for seed in SEEDS[chunk :: CHUNKS * (1 if IS_LONG_RUN else 7)]:
        module = random_module(seed)
        try:
            check_all_forms(module, debuginfo=seed % 4 < 2, wrapper=seed % 8 < 4)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise


@pytest.mark.long
def test_coverage():
    """The modules above have every op, and every value of every attribute."""
    missing = set(expected_features())
    for seed in SEEDS:
        missing.difference_update(features(random_module(seed)))
        if not missing:
            break
    assert missing == set()
