"""
The texts of the corpus: what NVIDIA's disassembler prints for a kernel at a version.

The disassembler prints nearly the same for all versions, so a version has a file of its own only
where its text is not that of the next version. Bytecode before 13.3 names a target: its hints are
for `sm_90` where those of newer bytecode are for `default`.
"""

from pathlib import Path

VERSIONS = ("13.1", "13.2", "13.3", "13.4")
FIRST_TARGET_INDEPENDENT = "13.3"
TEXTS = Path(__file__).resolve().parent / "text"


def text_of(kernel: str, version: str, folder: Path = TEXTS) -> str:
    """The text of a kernel that the version has."""
    path = folder / version / f"{kernel}.mlir"
    return path.read_bytes().decode() if path.exists() else text_by_next(kernel, version, folder)


def text_by_next(kernel: str, version: str, folder: Path = TEXTS) -> str:
    """What the text of a kernel is by that of the next version."""
    following = VERSIONS[VERSIONS.index(version) + 1]
    text = text_of(kernel, following, folder)
    if following == FIRST_TARGET_INDEPENDENT:
        return text.replace("<default = {", "<sm_90 = {")
    return text


def remove_repeated_texts(folder: Path) -> None:
    """Removes the files whose text follows from that of the next version."""
    for version in VERSIONS[:-1]:
        for path in sorted((folder / version).glob("*.mlir")):
            if path.read_bytes().decode() == text_by_next(path.stem, version, folder):
                path.unlink()
