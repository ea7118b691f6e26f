"""Dialects consist of what their modules define."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pytest
from xdsl.ir import Dialect

from tileiras_xdsl.dialects import cuda_tile, nv_tileaa, nv_tileas, nvgpu, nvvm
from tileiras_xdsl.dialects.building import attributes_in, operations_in
from tileiras_xdsl.dialects.cuda_tile.types import DimsAttr

DIALECTS: dict[ModuleType, Dialect] = {
    cuda_tile: cuda_tile.CudaTile,
    nv_tileaa: nv_tileaa.NvTileaa,
    nv_tileas: nv_tileas.NvTileas,
    nvgpu: nvgpu.Nvgpu,
    nvvm: nvvm.Nvvm,
}

PARTS = {DimsAttr}
"""Parameters of types that no text names."""


def modules_of(package: ModuleType) -> list[ModuleType]:
    names = [info.name for info in iter_modules(package.__path__)]
    return [import_module(f"{package.__name__}.{name}") for name in names]


def name_of(package: ModuleType) -> str:
    return package.__name__.rpartition(".")[2]


@pytest.mark.parametrize("package", DIALECTS, ids=name_of)
def test_every_definition_is_registered(package: ModuleType):
    dialect = DIALECTS[package]
    assert {*operations_in(*modules_of(package))} <= {*dialect.operations}
    assert {*attributes_in(*modules_of(package))} - PARTS == {*dialect.attributes}


@pytest.mark.parametrize("package", DIALECTS, ids=name_of)
def test_nothing_is_registered_twice(package: ModuleType):
    for registered in (DIALECTS[package].operations, DIALECTS[package].attributes):
        names = [definition.name for definition in registered]
        assert len(names) == len(set(names)) > 0


@pytest.mark.parametrize("package", [cuda_tile, nvgpu, nvvm], ids=name_of)
def test_a_package_has_the_names_of_its_modules(package: ModuleType):
    for module in modules_of(package):
        assert getattr(package, name_of(module)) is module
        for definition in (*operations_in(module), *attributes_in(module)):
            assert getattr(package, definition.__name__) is definition


def test_definitions_are_in_order_and_their_bases_are_none():
    names = [op.__name__ for op in operations_in(nvgpu.copies)]
    assert names[:2] == ["MBarrierCreateOp", "MBarrierInitOp"]
    assert "TmaDescriptorOperation" not in names
    assert attributes_in(nvgpu.copies) == ()
