"""
The pages of the site in Markdown: the guides and the reference as they are in `docs`, notebooks,
the files that they link to, and the Python interface.

Nothing here needs MkDocs, so that a test can look at all links.
"""

from __future__ import annotations

import json
import posixpath
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import glossary
from links import broken_links, is_external, rewrite_links
from notebook_pages import Fragments, make_frame, to_markdown

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
ABOVE: Final = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
"""Pages of the repository that are not in `docs`; the first is the home page."""
OVERVIEW: Final = "guides.md"
"""The page `docs/README.md`."""
SOURCES: Final = "source"
"""The folder of the files that pages link to."""

Nav = list[dict[str, Any]]

AUDIENCES: Final = (
    ("I write cuTile kernels", "for-kernel-authors.md"),
    ("I work on compilers", "for-compiler-engineers.md"),
    ("I want to contribute", "for-contributors.md"),
)
GUIDES: Final = {
    "Using it": (
        "usage.md",
        "command-line.md",
        "clients.md",
        "export.md",
        "on-your-machine.md",
        "cutile.md",
        "triton.md",
        "cpu.md",
        "explore.md",
        "pictures.md",
        "validation.md",
        "tuning.md",
        "profiling.md",
        "service.md",
        "reduce.md",
        "numerics.md",
        "crashes.md",
        "support.md",
        "performance.md",
        "measuring.md",
    ),
    "The levels": (
        "cuda_tile.md",
        "bytecode.md",
        "nv_tileaa.md",
        "nv_tileas.md",
        "tile-to-thread.md",
        "nvvm.md",
        "backend.md",
        "interop.md",
    ),
    "How it compiles": (
        "planning.md",
        "hopper.md",
        "remarks.md",
        "blackwell.md",
        "tensor-memory.md",
        "memory-order.md",
        "shared-memory.md",
        "proofs.md",
    ),
    "Working on it": ("extending.md", "testing.md", "upstream.md", "site.md"),
}
BOOST: Final = {"CHANGELOG.md": 0.1, "tutorial.md": 3, **dict.fromkeys(GUIDES["Using it"], 3)}
"""How much more hits on a page count in a search: what one looks for is how to use it."""
NOTEBOOKS: Final = (
    "first_look",
    "python_to_sass",
    "layouts",
    "tokens",
    "gemm",
    "attention",
    "profiling",
    "writing_a_pass",
    "cpu",
    "triton",
)
"""In the order in which they are read."""
API: Final = {
    "Compiling": (
        "driver.compiler.compiled.compile",
        "driver.compiler.compiled.Compiled",
        "driver.compiler.many.compile_many",
        "driver.compiler.many.Variant",
        "frontend.load.load",
        "frontend.cutile_kernels.array",
        "backend.launch_record.LaunchRecord",
        "backend.sass",
        "driver.compiler.remarks.Remark",
    ),
    "Looking inside": (
        "inspection.exploration.exploration.explore",
        "inspection.exploration.exploration.Exploration",
        "inspection.exploration.steps.PassStep",
        "inspection.exploration.steps.ModuleView",
        "inspection.exploration.diff.Diff",
        "inspection.exploration.search",
        "inspection.exploration.compare.compare",
        "xdsl_extras.reading.Reading",
    ),
    "Running and checking": (
        "interpreter.run.run",
        "checking.validation.validate.validate",
        "driver.tuning.tune.tune",
        "inspection.profiling.measure.profile",
        "inspection.profiling.profile.Profile",
        "driver.demos.examples",
    ),
    "Passes and targets": (
        "pipeline",
        "driver.compiler.pass_plan",
        "targets.target.Target",
        "analysis.linear_layout",
        "analysis.memory_order",
    ),
}
"""What the page of the Python interface has."""


@dataclass
class Site:
    """Pages and files by their paths, and the order of the pages."""

    pages: dict[str, str] = field(default_factory=dict[str, str])
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    fragments: Fragments = field(default_factory=Fragments)
    terms: dict[str, glossary.Term] = field(default_factory=dict[str, glossary.Term])

    def write(self, folder: Path) -> None:
        """Writes all of it into a folder."""
        reports = {f"reports/{name}": text for name, text in self.fragments.reports.items()}
        for path, text in {**self.pages, **reports}.items():
            self.files[path] = text.encode()
        for path, data in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def broken_links(self) -> list[str]:
        """The links that lead nowhere."""
        return list(map(str, broken_links(self.pages, set(self.files))))


def make_site(notebooks: dict[str, dict[str, Any]], reports: dict[str, str]) -> Site:
    """
    The site, given notebooks with what they showed, and reports of examples by their names.
    """
    site = Site()
    site.fragments.reports.update({f"{name}.html": page for name, page in reports.items()})
    for path in sorted(
        path for folder in (".", "journal", "reference") for path in (DOCS / folder).glob("*.md")
    ):
        _add_page(site, path.relative_to(DOCS).as_posix(), path)
    for name in ABOVE:
        _add_page(site, _place_above(name), ROOT / name)
    for name, notebook in notebooks.items():
        text = to_markdown(name, notebook, site.fragments)
        path = DOCS / "notebooks" / f"{name}.ipynb"
        site.pages[f"notebooks/{name}.md"] = _relink(site, f"notebooks/{name}.md", path, text)
    for path in sorted((DOCS / "images").glob("*.*")):
        site.files[f"images/{path.name}"] = path.read_bytes()
    for name in ("iframe-worker.js", "search.js", "site.css"):
        site.files[f"assets/{name}"] = (Path(__file__).parent / name).read_bytes()
    site.pages["api.md"] = make_api_page()
    site.pages["reports.md"] = make_report_page(site, list(reports))
    dated = dict.fromkeys((page for page in site.pages if page.startswith("journal/")), 0.1)
    for page, factor in {**BOOST, **dated}.items():
        site.pages[page] = f"---\nsearch:\n  boost: {factor}\n---\n{site.pages[page]}"
    site.terms = glossary.read_terms(site.pages[glossary.PAGE])
    site.pages[glossary.PAGE] = glossary.add_anchors(site.pages[glossary.PAGE])
    return site


def _place_above(name: str) -> str:
    return "index.md" if name == "README.md" else name


def _place(site: Site, path: Path) -> str:
    """Where a file of the repository is in the site; what is not there yet is added."""
    if path == DOCS / "README.md":
        return OVERVIEW
    if path.is_relative_to(DOCS):
        inside = path.relative_to(DOCS)
        if inside.suffix == ".md":
            return inside.as_posix()
        if inside.suffix == ".ipynb":
            return inside.with_suffix(".md").as_posix()
        if inside.parts[0] == "images" and inside.suffix in (".svg", ".png"):
            return inside.as_posix()
    name = path.relative_to(ROOT).as_posix()
    if name in ABOVE:
        return _place_above(name)
    place = f"{SOURCES}/{name}.md"
    if place not in site.pages and path.is_file():
        _add_source(site, place, path)
    return place


def _add_page(site: Site, place: str, path: Path) -> None:
    place = OVERVIEW if path == DOCS / "README.md" else place
    text = path.read_text(encoding="utf-8")
    site.pages[place] = _relink(site, place, path, text)


def _relink(site: Site, place: str, path: Path, text: str) -> str:
    """A page whose links are those of the site."""

    def change(link: str) -> str:
        name, mark, fragment = link.partition("#")
        if not name or is_external(link):
            return link
        target = (path.parent / name).resolve()
        if not target.is_relative_to(ROOT) or not target.exists():
            return link
        found = _place(site, target)
        return posixpath.relpath(found, posixpath.dirname(place)) + mark + fragment

    return rewrite_links(text, change)


def _add_source(site: Site, place: str, path: Path) -> None:
    """A file of the repository as a page."""
    name = path.relative_to(ROOT).as_posix()
    # Those that it links to itself are looked at where it is in the repository.
    kind = {".py": "python", ".md": "markdown"}.get(path.suffix, "text")
    text = path.read_text(encoding="utf-8")
    site.pages[place] = (
        f"---\nsearch:\n  exclude: true\n---\n# `{name}`\n\n````{kind}\n{text.rstrip()}\n````\n"
    )


def make_api_page() -> str:
    """The Python interface, of which MkDocs makes the rest from docstrings."""
    parts = ["# Python interface", "`import tileiras_xdsl as tx`"]
    for title, names in API.items():
        parts.append(f"## {title}")
        parts += [f"::: tileiras_xdsl.{name}" for name in names]
    return "\n\n".join(parts) + "\n"


def make_report_page(site: Site, names: list[str]) -> str:
    """The reports of examples, to click through."""
    parts = [
        "# Reports",
        "What [`tileiras-explore`](explore.md#as-a-web-page) writes: a program after every pass. "
        "Click an op to see what it came from, and what it became.",
    ]
    for name in names:
        frame = make_frame(f"reports/{name}.html", f"report of {name}")
        parts += [f"## {name}", site.fragments.add(frame)]
    return "\n\n".join(parts) + "\n"


def title_of(text: str) -> str:
    """The title of a page."""
    line = next(line for line in text.splitlines() if line.startswith("# "))
    return line[2:].replace("`", "")


def make_nav(site: Site) -> Nav:
    """The order of the pages."""
    nav: Nav = [{"Home": ["index.md", "tutorial.md"]}]
    nav += [{name: path} for name, path in AUDIENCES]
    guides = [{part: list(paths)} for part, paths in GUIDES.items()]
    nav.append({"Guides": [OVERVIEW, *guides]})
    notebooks = [f"notebooks/{name}.md" for name in NOTEBOOKS]
    nav.append({"Notebooks": [*notebooks, *(["reports.md"] if site.fragments.reports else [])]})
    reference = [
        {posixpath.splitext(posixpath.basename(path))[0]: path}
        for path in site.pages
        if path.startswith("reference/")
    ]
    nav.append({"Reference": ["api.md", *reference, glossary.PAGE]})
    journal = [path for path in site.pages if path.startswith("journal/")]
    nav.append({"Project": ["CONTRIBUTING.md", "CHANGELOG.md", {"Journal": journal}]})
    return nav


def pages_of_nav(nav: Any) -> set[str]:
    """The paths in a navigation."""
    if isinstance(nav, str):
        return {nav}
    # Lists have entries, which are paths, or dictionaries from titles to either.
    parts: list[Any] = [*(getattr(nav, "values", nav.__iter__)())]
    return set[str]().union(*map(pages_of_nav, parts))


def stored_notebooks() -> dict[str, dict[str, Any]]:
    """The notebooks with what is kept of what they showed."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((DOCS / "notebooks").glob("*.ipynb"))
    }
