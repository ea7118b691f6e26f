"""What xDSL's tools find: every name leads to the thing of that name, and clashes with none."""

import pytest
from xdsl.universe import XDSL_UNIVERSE, Universe

from tileiras_xdsl.universe import TILEIRAS_UNIVERSE


@pytest.mark.parametrize("name", TILEIRAS_UNIVERSE.all_dialects)
def test_dialect(name: str):
    assert TILEIRAS_UNIVERSE.all_dialects[name]().name == name


@pytest.mark.parametrize("name", TILEIRAS_UNIVERSE.all_passes)
def test_pass(name: str):
    assert TILEIRAS_UNIVERSE.all_passes[name]().name == name


@pytest.mark.parametrize("name", TILEIRAS_UNIVERSE.all_targets)
def test_target(name: str):
    assert TILEIRAS_UNIVERSE.all_targets[name]().name == name


def test_the_entry_point_is_found():
    multiverse = Universe.get_multiverse()
    for universe in (TILEIRAS_UNIVERSE, XDSL_UNIVERSE):
        assert universe.all_dialects.items() <= multiverse.all_dialects.items()
        assert universe.all_passes.items() <= multiverse.all_passes.items()
        assert universe.all_targets.items() <= multiverse.all_targets.items()
