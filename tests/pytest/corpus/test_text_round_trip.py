"""
The text of real kernels: cuTile programs exported by NVIDIA's front end at every bytecode
version and disassembled by NVIDIA's tool (see tests/corpus/README.md).
"""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ..harness.cases import every
from ..harness.modules import parse, print_module, print_public

CORPUS = Path(__file__).parents[2] / "corpus"
KERNELS = sorted({path.stem for path in (CORPUS / "bytecode").glob("*/*.tileirbc")})
EXAMPLES = sorted((CORPUS / "text").glob("*/*.mlir"))
DEBUG_FILES = sorted((CORPUS / "bytecode_debug").glob("*/*.tileirbc"))

CorpusText = Callable[[Path], str]


def distinct_texts(kernel: str, corpus_text: CorpusText) -> list[str]:
    """The texts of a kernel from the newest to the oldest; most versions print the same."""
    paths = sorted((CORPUS / "bytecode").glob(f"*/{kernel}.tileirbc"), reverse=True)
    return list(dict.fromkeys(map(corpus_text, paths)))


def check_round_trip(text: str) -> None:
    """The public text is the disassembler's, and the default text is a fixed point."""
    module = parse(text)
    assert print_public(module) == text
    printed = print_module(module)
    reparsed = parse(printed)
    assert module.is_structurally_equivalent(reparsed)
    assert print_module(reparsed) == printed


def test_examples_are_what_the_disassembler_prints(oracle_program: Callable[[str], Path]):
    program = oracle_program("tileirdisasm")
    assert len(EXAMPLES) >= 30
    for path in EXAMPLES:
        source = CORPUS / "bytecode" / path.parent.name / f"{path.stem}.tileirbc"
        printed = subprocess.run([program, source], check=True, capture_output=True).stdout
        assert printed == path.read_bytes(), path.name


@pytest.mark.every(11, first=2)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.requirement("P-12", "B-08")
def test_text_round_trips(kernel: str, corpus_text: CorpusText):
    check_round_trip(distinct_texts(kernel, corpus_text)[0])


@pytest.mark.every(2)
@pytest.mark.parametrize("kernel", every(11, KERNELS))
@pytest.mark.requirement("P-12", "B-08")
def test_older_text_round_trips(kernel: str, corpus_text: CorpusText):
    for text in distinct_texts(kernel, corpus_text)[1:]:
        check_round_trip(text)


@pytest.mark.every(11)
@pytest.mark.parametrize("kernel", KERNELS[::5])
def test_generic_text_parses_back(kernel: str, corpus_text: CorpusText):
    for text in distinct_texts(kernel, corpus_text):
        module = parse(text)
        assert module.is_structurally_equivalent(parse(print_module(module, generic=True)))


@pytest.mark.every(5)
@pytest.mark.parametrize("path", DEBUG_FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.requirement("A-67")
def test_debug_info_survives(path: Path, corpus_text: CorpusText):
    text = corpus_text(path)
    assert print_public(parse(text), debuginfo=True) == text
