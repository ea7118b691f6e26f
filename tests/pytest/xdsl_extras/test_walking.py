"""The walk and the cache that take the place of slower ones."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import IntegerType, StringAttr
from xdsl.ir import Attribute, Operation

from tileiras_xdsl import load
from tileiras_xdsl.xdsl_extras.identity_cache import MAX_SIZE, identity_cache
from tileiras_xdsl.xdsl_extras.walking import walk

KERNELS = sorted((Path(__file__).parents[2] / "corpus" / "bytecode" / "13.4").glob("*.tileirbc"))


@pytest.mark.parametrize("path", KERNELS[::20], ids=lambda path: path.stem)
def test_same_ops_in_the_same_order(path: Path):
    module = load(path)
    expected: list[Operation] = list(module.walk())
    assert list(walk(module)) == expected


def test_identity_cache_calls_once_for_an_object():
    calls: list[Attribute] = []

    @identity_cache
    def describe(attribute: Attribute) -> str:
        calls.append(attribute)
        return str(attribute)

    ty = IntegerType(32)
    assert [describe(ty), describe(ty)] == ["i32", "i32"]
    assert calls == [ty]


def test_identity_cache_tells_objects_apart_that_do_not_live_long():
    @identity_cache
    def describe(attribute: Attribute) -> str:
        return str(attribute)

    for number in range(2 * MAX_SIZE):
        assert describe(StringAttr(str(number))) == f'"{number}"'
