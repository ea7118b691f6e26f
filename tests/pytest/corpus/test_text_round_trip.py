"""
The text of real kernels: cuTile programs exported by NVIDIA's front end at every bytecode
version and disassembled by NVIDIA's tool (see tests/corpus/README.md).
"""

import shutil
from pathlib import Path

import pytest

from ...corpus.texts import TEXTS, VERSIONS, remove_repeated_texts, text_of
from ..harness.cases import every
from ..harness.modules import parse, print_module, print_public

CORPUS = Path(__file__).parents[2] / "corpus"
KERNELS = sorted({path.stem for path in TEXTS.glob("*/*.mlir")})
DEBUG_TEXTS = sorted((CORPUS / "text_debug").glob("*/*.mlir"))


def distinct_texts(kernel: str) -> list[str]:
    """The texts of a kernel from the newest to the oldest; most versions print the same."""
    versions = (
        version
        for version in reversed(VERSIONS)
        if (CORPUS / "bytecode" / version / f"{kernel}.tileirbc").exists()
    )
    return list(dict.fromkeys(text_of(kernel, version) for version in versions))


def check_round_trip(text: str) -> None:
    """The public text is the disassembler's, and the default text is a fixed point."""
    module = parse(text)
    assert print_public(module) == text
    printed = print_module(module)
    reparsed = parse(printed)
    assert module.is_structurally_equivalent(reparsed)
    assert print_module(reparsed) == printed


def test_a_text_is_there_once(tmp_path: Path):
    """A version has a text of its own only where it is not that of the next version."""
    shutil.copytree(TEXTS, tmp_path, dirs_exist_ok=True)
    remove_repeated_texts(tmp_path)
    assert sorted(tmp_path.rglob("*.mlir")) == [
        tmp_path / path.relative_to(TEXTS) for path in sorted(TEXTS.rglob("*.mlir"))
    ]


def test_texts_of_older_versions(tmp_path: Path):
    """What follows from the text of the next version, and what does not."""
    written = {
        "13.1": {"same": "<sm_90 = {}>", "other": "<sm_80 = {}>"},
        "13.2": {"same": "<sm_90 = {}>", "other": "<sm_90 = {}>", "new": "<sm_100 = {}>"},
        "13.3": {"same": "<default = {}>", "other": "<default = {}>", "new": "<default = {}>"},
        "13.4": {"same": "<default = {}>", "other": "default", "new": "<default = {}>"},
    }
    for version, texts in written.items():
        (tmp_path / version).mkdir()
        for kernel, text in texts.items():
            (tmp_path / version / f"{kernel}.mlir").write_text(text)
    remove_repeated_texts(tmp_path)
    kept = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.mlir")}
    assert kept == {
        *("13.1/other.mlir", "13.2/new.mlir", "13.3/other.mlir"),
        *("13.4/same.mlir", "13.4/other.mlir", "13.4/new.mlir"),
    }
    for version, texts in written.items():
        for kernel, text in texts.items():
            assert text_of(kernel, version, tmp_path) == text


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
