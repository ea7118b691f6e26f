"""What pages say is there: links and passes; and how long pages are."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tileiras_xdsl.pipeline import OPT_LEVELS, PIPELINE
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *DOCS.glob("*.md"),
        *DOCS.glob("journal/*.md"),
        *(DOCS / "notebooks").glob("*.ipynb"),
    ]
)
LINK = re.compile(r"\]\(([^)\s]+)\)")


@cache
def text_of(path: Path) -> str:
    """A page, or the text cells of a notebook."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def anchors(path: Path) -> set[str]:
    """The fragments of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", text_of(path), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


def broken_links(path: Path) -> Iterator[str]:
    for link in LINK.findall(text_of(path)):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, fragment = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.is_file() or (fragment and fragment not in anchors(target)):
            yield link


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links(path: Path):
    assert list(broken_links(path)) == []


def test_broken_links_are_noticed(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("# A `title`\n[a](#a-title) [b](#no) [c](none.md) [d](https://xdsl.dev)\n")
    assert list(broken_links(page)) == ["#no", "none.md"]


def test_pages_are_in_the_map_and_in_the_navigation_of_the_site():
    navigation, overview = text_of(DOCS / "site" / "pages.py"), text_of(DOCS / "README.md")
    for page in DOCS.glob("*.md"):
        if page.name not in ("README.md", "glossary.md"):
            assert f'"{page.name}"' in navigation, page.name
            assert f"({page.name}" in overview, page.name


def test_the_reference_lists_every_pass():
    text = text_of(DOCS / "reference" / "passes.md")
    assert set(re.findall(r"^## `([a-z0-9-]+)`$", text, re.MULTILINE)) == set(
        TILEIRAS_UNIVERSE.all_passes
    )


def test_levels_of_optimization():
    """The passes that a level is explained by are of that level."""
    text = text_of(DOCS / "command-line.md")
    for level in OPT_LEVELS[1:]:
        row = re.search(rf"^\| `-O{level}` \| (.*) \|$", text, re.MULTILINE)
        assert row is not None
        added = {step.name for step in PIPELINE if step.level == level}
        named = set(re.findall(r"`([a-z-]+)`", row[1]))
        assert named
        assert named <= added


MAX_WORDS = 2500
"""Of a page that is read from top to bottom; generated pages and the journal are looked up."""


@pytest.mark.parametrize(
    "path",
    [path for path in PAGES if path.suffix == ".md" and path.parent.name != "journal"],
    ids=lambda path: path.name,
)
def test_pages_are_short(path: Path):
    assert len(text_of(path).split()) <= MAX_WORDS
