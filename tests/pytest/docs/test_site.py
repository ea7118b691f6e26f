"""
The site of `make docs`: all links and anchors lead somewhere, all pages have their place, terms
lead to the glossary. That needs no MkDocs; a long test builds all of it and searches in a browser.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ..report.chromium import Chromium, find_chromium

FOLDER = Path(__file__).parents[3] / "docs" / "site"
NAMES = ("links", "glossary", "notebook_pages", "pages")


@pytest.fixture(scope="module")
def modules() -> Iterator[dict[str, ModuleType]]:
    """The modules of the folder, which are a script and no package."""
    sys.path.insert(0, str(FOLDER))
    yield {name: import_module(name) for name in NAMES}
    sys.path.remove(str(FOLDER))
    for name in NAMES:
        del sys.modules[name]


@pytest.fixture(scope="module")
def site(modules: dict[str, ModuleType]) -> Any:
    pages = modules["pages"]
    return pages.make_site(pages.stored_notebooks(), {"gemm": "<!doctype html>"})


def test_links(site: Any):
    assert site.broken_links() == []


def test_every_page_has_its_place(site: Any, modules: dict[str, ModuleType]):
    pages = modules["pages"]
    nav = pages.make_nav(site)
    shown = pages.pages_of_nav(nav)
    assert shown <= set(site.pages)
    assert {page for page in site.pages if not page.startswith("source/")} <= shown
    # Readers find theirs at the top.
    assert [next(iter(each)) for each in nav][1:4] == [
        "I write cuTile kernels",
        "I work on compilers",
        "I want to contribute",
    ]


def test_notebooks_are_in_the_order_of_their_numbers(site: Any, modules: dict[str, ModuleType]):
    pages = modules["pages"]
    (shown,) = (each["Notebooks"] for each in pages.make_nav(site) if "Notebooks" in each)
    titles = [pages.title_of(site.pages[page]) for page in shown if page.startswith("notebooks/")]
    assert [title.partition(".")[0] for title in titles] == [*"123456789", "10"]


def test_what_is_documented_is_there(modules: dict[str, ModuleType]):
    """Looked up in the text: to import all of it takes seconds."""
    source = FOLDER.parents[1] / "src" / "tileiras_xdsl"
    for names in modules["pages"].API.values():
        for name in names:
            path = source / f"{name.replace('.', '/')}.py"
            if path.is_file() or (source / name.replace(".", "/") / "__init__.py").is_file():
                continue
            module, _, last = name.rpartition(".")
            path = source / f"{module.replace('.', '/')}.py"
            path = path if path.is_file() else path.with_suffix("") / "__init__.py"
            text = path.read_text(encoding="utf-8")
            assert re.search(rf"^(?:def|class) {last}\b", text, re.MULTILINE), name


def test_files_are_pages(site: Any):
    """What pages link to in the repository is in the site, and only that."""
    sources = [page for page in site.pages if page.startswith("source/")]
    assert "source/src/tileiras_xdsl/pipeline.py.md" in sources
    assert len(sources) < 40


def test_broken_links_are_noticed(modules: dict[str, ModuleType]):
    pages = {
        "a.md": "# A `title`\n[x](#a-title) [y](b/c.md#there) [z](d.png) `[no](link)` [w](https://x)",
        "b/c.md": "## There\n[up](../a.md#no) [none](e.md)\n```\n[code](f.md)\n# no heading\n```\n",
    }
    broken = modules["links"].broken_links(pages, {"d.png"})
    assert list(map(str, broken)) == ["b/c.md: ../a.md#no", "b/c.md: e.md"]


GLOSSARY = """\
| term | meaning | known from |
| --- | --- | --- |
| warp, lane | 32 threads; one of them | PTX |
| cluster (CGA), peer CTA | CTAs that are launched `together` | PTX |
| tile | a part of a tensor | Tile IR |
| M, N | rows, columns | BLAS |
"""


def test_terms(modules: dict[str, ModuleType]):
    glossary = modules["glossary"]
    terms = glossary.read_terms(GLOSSARY)
    assert set(terms) == {"warp", "lane", "cluster", "peer CTA", "CGA", "tile"}
    assert 'id="term-warp"></a>warp, lane |' in glossary.add_anchors(GLOSSARY)
    page = (
        "<p>A warp.</p><article><h1>Clusters</h1><p>Tile IR: warps of a <code>CGA</code>, a warp, "
        "<b>a CGA</b>, Lanes, tile_size, a <a href=x>tile</a></p></article><p>cluster</p>"
    )
    linked = glossary.link_terms(page, terms, glossary.make_pattern(terms), "../glossary.html")
    link = '<a class="term" href="../glossary.html#term-{}" title="{}">{}</a>'
    first = link.format("warp", "32 threads; one of them", "warps")
    second = link.format("cluster", "CTAs that are launched together", "CGA")
    assert linked == page.replace("warps", first, 1).replace("a CGA", f"a {second}")


def test_notebooks_show_reports(modules: dict[str, ModuleType]):
    from tileiras_xdsl.inspection.exploration.report import make_frame

    data: dict[str, Any] = {"title": "t", "options": {}, "strings": [], "steps": []}
    frame = make_frame({**data, "texts": [], "pictures": []})
    outputs: list[dict[str, Any]] = [
        {"data": {"text/html": [frame], "text/plain": ["no"]}},
        {"text": ["a < b\n", "\n", "c"]},
    ]
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["s"], "outputs": outputs},
        {"cell_type": "code", "source": ["answer"], "metadata": {"tags": ["solution"]}},
    ]
    fragments = modules["notebook_pages"].Fragments()
    text = modules["notebook_pages"].to_markdown("n", {"cells": cells}, fragments)
    assert text.startswith("# Title\n\n```python\ns\n```\n\n<div data-fragment")
    folded = (
        '<details markdown="1"><summary>Solution</summary>\n\n```python\nanswer\n```\n\n</details>'
    )
    assert text.endswith(f"{folded}\n")
    page = fragments.fill(text)
    assert 'src="../reports/n-0.html"' in page
    assert "<pre>a &lt; b\n\nc</pre>" in page
    assert fragments.reports["n-0.html"].startswith("<!doctype html>")


@pytest.mark.long
def test_the_site_is_built_and_searched(tmp_path: Path):
    if find_spec("mkdocs") is None:
        pytest.skip("there is no MkDocs")
    command = [sys.executable, str(FOLDER / "build.py"), "--stored", "-o", str(tmp_path / "site")]
    subprocess.run(command, check=True, timeout=600)
    path = find_chromium()
    if path is None:
        pytest.skip("there is no Chromium")
    with Chromium(path) as browser:
        page = browser.open(tmp_path / "site" / "index.html", width=1400)
        page.wait("document.readyState === 'complete'")
        page.click(".md-search__input")
        for query, wanted in {
            "with_schedule": "explore.html#editing",
            "out of bounds": "for-kernel-authors.html",
            "uninstall": "on-your-machine.html#remove-everything",
            "windows": "on-your-machine.html#platforms",
            "swizzl": "layouts.html",
        }.items():
            page.evaluate("document.querySelector('.md-search__input').value = ''")
            page.type(query[:-1])
            page.press(query[-1])
            # Between page and heading is what to highlight.
            hits = "[...document.querySelectorAll('.md-search-result__link')]"
            links = f"{hits}.map(a => a.href.replace(/[?][^#]*/, ''))"
            page.wait(f"{links}.slice(0, 12).some(link => link.includes('{wanted}'))")
        # Terms lead to the glossary, reports can be clicked, nothing comes from elsewhere.
        guide = browser.open(tmp_path / "site" / "hopper.html")
        guide.wait("document.querySelectorAll('a.term').length > 5")
        name, _, anchor = guide.evaluate(
            "document.querySelector('a.term').getAttribute('href')"
        ).partition("#")
        assert f'id="{anchor}"' in (tmp_path / "site" / name).read_text(encoding="utf-8")
        reports = browser.open(tmp_path / "site" / "reports.html", width=1400, height=1000)
        reports.wait("document.querySelector('iframe.report')")
        for each in (page, guide, reports):
            assert each.errors == []
            assert all(url.startswith(("file:", "data:", "about:")) for url in each.requests)
