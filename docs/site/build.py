"""
Builds the site: one folder of web pages, which need no server and no network.

    python docs/site/build.py                     # executes the notebooks, writes build/site
    python docs/site/build.py --stored            # takes what notebooks have kept

See docs/site.md.
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import glossary
import pages

SETTINGS: Final = Path(__file__).with_name("mkdocs.yml")
REPORTS: Final = ("gemm", "attention")
"""The examples whose reports are shown."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line."""
    parser = argparse.ArgumentParser(description="Builds the site.")
    parser.add_argument("--stored", action="store_true", help="do not execute notebooks")
    parser.add_argument(
        "-o", "--output", type=Path, default=pages.ROOT / "build" / "site", help="(%(default)s)"
    )
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    notebooks = pages.stored_notebooks() if options.stored else execute_notebooks()
    site = pages.make_site(notebooks, make_reports())
    if broken := site.broken_links():
        print("links that lead nowhere:", *broken, sep="\n  ", file=sys.stderr)
        return 1
    build(site, options.output)
    print(f"{options.output / 'index.html'} ({time.perf_counter() - start:.0f} s)")
    return 0


def execute_notebooks() -> dict[str, dict[str, Any]]:
    """The notebooks with all that they show."""
    sys.path.insert(0, str(pages.DOCS))
    import run_notebooks

    found: dict[str, dict[str, Any]] = {}
    for path in run_notebooks.find_notebooks():
        print(f"executing {path.name}", flush=True)
        found[path.stem] = run_notebooks.execute(path, keep_html=True)
    return found


def make_reports() -> dict[str, str]:
    """The reports of examples."""
    import tileiras_xdsl as tx
    from tileiras_xdsl.inspection.exploration.report import make_page

    return {name: make_page(tx.explore(tx.examples[name]).to_data()) for name in REPORTS}


def build(site: pages.Site, output: Path) -> None:
    """Lets MkDocs make web pages, and adds what it cannot."""
    source = output.with_name(f"{output.name}-source")
    shutil.rmtree(source, ignore_errors=True)
    site.write(source / "docs")
    settings: dict[str, Any] = {
        "INHERIT": str(SETTINGS),
        "docs_dir": "docs",
        "site_dir": str(output.resolve()),
        "nav": pages.make_nav(site),
        "not_in_nav": f"/{pages.SOURCES}/",
    }
    path = source / "mkdocs.yml"
    # JSON is YAML.
    path.write_text(json.dumps(settings), encoding="utf-8")
    own = (str(SETTINGS.parent), str(pages.ROOT / "src"), os.environ.get("PYTHONPATH", ""))
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, own)),
        "NO_MKDOCS_2_WARNING": "1",
    }
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(path)]
    subprocess.run(command, check=True, env=environment)
    finish(site, output)


def finish(site: pages.Site, output: Path) -> None:
    """Puts what cells show into finished pages, and links terms to the glossary."""
    pattern = glossary.make_pattern(site.terms)
    target = posixpath.splitext(glossary.PAGE)[0] + ".html"
    for path in sorted(output.rglob("*.html")):
        place = path.relative_to(output).as_posix()
        if place.startswith(("reports/", f"{pages.SOURCES}/", "assets/")):
            continue
        text = path.read_text(encoding="utf-8")
        if place not in (target, "404.html"):
            own = posixpath.relpath(target, posixpath.dirname(place))
            text = glossary.link_terms(text, site.terms, pattern, own)
        path.write_text(site.fragments.fill(text), encoding="utf-8")


if __name__ == "__main__":
    # Cells of notebooks use no cache.
    os.environ.setdefault("TILEIRAS_XDSL_CACHE", "0")
    sys.exit(main())
