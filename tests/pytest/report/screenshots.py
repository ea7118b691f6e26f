"""
Takes the pictures of reports that the documentation shows:

    $ python -m tests.pytest.report.screenshots
    $ pngquant --ext .png --force docs/images/report-*.png
"""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import tileiras_xdsl as tx

from .chromium import Chromium, Page, Scheme, find_chromium
from .test_browser import READY, element_with

IMAGES = Path(__file__).parents[3] / "docs" / "images"


def show_gemm(page: Page) -> None:
    """A line of Python beside the instructions that it became."""
    page.click(element_with("#left .row", "ct.mma"))
    page.click("#right [data-stage=ptx]")


def show_attention(page: Page) -> None:
    """What the schedule changed."""
    page.click("#views [data-view=diff]")
    page.click(element_with(".pass", "tileas-generate-schedule"))


SCENES: Final[dict[str, tuple[Scheme, Callable[[Page], None]]]] = {
    "gemm": ("light", show_gemm),
    "attention": ("dark", show_attention),
}


def main() -> None:
    """Writes `report-gemm.png` and `report-attention.png`."""
    browser_path = find_chromium()
    assert browser_path is not None, "there is no Chromium"
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, Chromium(browser_path) as browser:
        for name, (scheme, prepare) in SCENES.items():
            path = Path(folder) / f"{name}.html"
            # The second time, modules are loaded: what it shows are the times of passes.
            tx.explore(tx.examples[name])
            tx.explore(tx.examples[name]).save(path)
            page = browser.open(path, width=1400, height=860, scheme=scheme)
            page.wait(READY)
            prepare(page)
            page.point("(document.querySelector('h1'))")
            page.evaluate("new Promise((done) => setTimeout(done, 200))")
            (IMAGES / f"report-{name}.png").write_bytes(page.screenshot())


if __name__ == "__main__":
    main()
