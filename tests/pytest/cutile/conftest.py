"""cuTile, as it is installed, with a driver that has no GPU."""

from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import tileiras_xdsl.cutile as open_tileiras
from tileiras_xdsl.backend import cuda, driver
from tileiras_xdsl.cutile.history import HISTORY

from .fake_libcuda import FakeLibrary, give_to_cutile


@pytest.fixture
def ct(oracle_module: Callable[[str], ModuleType]) -> Iterator[Any]:
    """The module `cuda.tile`, without what it keeps on disk; `use` is taken back at the end."""
    module: Any = oracle_module("cuda.tile")
    config = import_module("cuda.tile._compile").default_tile_context.config
    kept, config.cache_dir = config.cache_dir, None
    HISTORY.clear()
    yield module
    open_tileiras.restore()
    config.cache_dir = kept


@pytest.fixture
def kernels(ct: Any) -> Any:
    del ct
    return import_module("..cutile_kernels", __package__)


@pytest.fixture
def libcuda(ct: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLibrary]:
    """The driver that cuTile and our launcher find."""
    del ct
    library = give_to_cutile()
    library.reset()
    monkeypatch.setattr(driver, "load_library", lambda: library)
    driver.get_driver.cache_clear()
    cuda.Device.get.cache_clear()
    yield library
    driver.get_driver.cache_clear()
    cuda.Device.get.cache_clear()
