"""
The text of real kernels: cuTile programs exported by NVIDIA's front end at every bytecode
version and disassembled by NVIDIA's tool (see tests/corpus/README.md).
"""

from pathlib import Path

import pytest

from ..harness.cases import every
from ..harness.modules import parse, print_module, print_public

CORPUS = Path(__file__).parents[2] / "corpus"
VERSIONS = ("13.1", "13.2", "13.3", "13.4")
KERNELS = sorted({path.stem for path in (CORPUS / "text").glob("*/*.mlir")})
DEBUG_TEXTS = sorted((CORPUS / "text_debug").glob("*/*.mlir"))


def distinct_texts(kernel: str) -> list[str]:
    """The texts of a kernel from the newest to the oldest; most versions print the same."""
    paths = (CORPUS / "text" / version / f"{kernel}.mlir" for version in reversed(VERSIONS))
    return list(dict.fromkeys(path.read_text() for path in paths if path.exists()))


def check_round_trip(text: str) -> None:
    """The public text is the disassembler's, and the default text is a fixed point."""
    module = parse(text)
    assert print_public(module) == text
    printed = print_module(module)
    reparsed = parse(printed)
    assert module.is_structurally_equivalent(reparsed)
    assert print_module(reparsed) == printed


def test_corpus_is_large_enough():
    """The acceptance asks for at least 60 kernels, at every version."""
    for version in VERSIONS:
        assert len(list((CORPUS / "text" / version).glob("*.mlir"))) >= 60


@pytest.mark.every(11, first=2)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.requirement("P-12", "B-08")
def test_text_round_trips(kernel: str):
    check_round_trip(distinct_texts(kernel)[0])


@pytest.mark.every(2)
@pytest.mark.parametrize("kernel", every(11, KERNELS))
@pytest.mark.requirement("P-12", "B-08")
def test_older_text_round_trips(kernel: str):
    for text in distinct_texts(kernel)[1:]:
        check_round_trip(text)


@pytest.mark.every(11)
@pytest.mark.parametrize("kernel", KERNELS[::5])
def test_generic_text_parses_back(kernel: str):
    for text in distinct_texts(kernel):
        module = parse(text)
        assert module.is_structurally_equivalent(parse(print_module(module, generic=True)))


@pytest.mark.every(5)
@pytest.mark.parametrize("path", DEBUG_TEXTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.requirement("A-67")
def test_debug_info_survives(path: Path):
    text = path.read_text()
    assert print_public(parse(text), debuginfo=True) == text
