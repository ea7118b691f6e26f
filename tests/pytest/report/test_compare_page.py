"""Two programs side by side in a browser."""

from pathlib import Path

import pytest

import tileiras_xdsl as tx

from .chromium import Chromium
from .test_browser import READY, element_with

pytestmark = pytest.mark.xdist_group("browser")


def test_two_kernels(browser: Chromium, tmp_path: Path):
    path = tmp_path / "compare.html"
    comparison = tx.compare(tx.examples["gemm"], tx.examples["vector_add"])
    comparison.save(path)
    page = browser.open(path)
    page.wait(READY)
    assert "A" + comparison.titles[0] in page.texts("#titles")[0]
    assert page.texts("#first") == ["differs first as read (cuda-tile)"]
    # What is read differs, and is shown first.
    assert "as read" in page.texts("#caption")[0]
    assert any("@gemm" in text for text in page.texts("#side-a .row"))
    assert any("@vector_add" in text for text in page.texts("#side-b .row"))
    # A pass, by its name; both sides scroll together.
    page.click(element_with(".pass", "tileas-materialize-schedule"))
    assert page.texts("#caption")[0].startswith("after tileas-materialize-schedule: ")
    assert page.evaluate("location.hash") == "#pass=tileas%2Ftileas-materialize-schedule"
    page.evaluate("document.querySelector('#side-a .scroll').scrollTop = 300")
    page.wait("document.querySelector('#side-b .scroll').scrollTop === 300")

    # Types are hidden and lines are wrapped, unless one asks for them; both sides stay aligned.
    def measure(what: str) -> list[int]:
        return page.evaluate(
            f"['a', 'b'].map((each) => ((box) => {what})"
            "(document.querySelector(`#side-${each} .scroll`)))"
        )

    height, excess = "box.scrollHeight", "box.scrollWidth - box.clientWidth"
    page.evaluate("document.querySelector('#side-a .scroll').scrollTop = 0")
    page.wait("document.querySelector('#side-a .fold')?.textContent.startsWith('⋯ aliases: ')")
    assert page.texts("#side-a .hint")
    assert measure(excess) == [0, 0]
    before = measure(height)
    assert before[0] == before[1]
    page.click(element_with("#reading button", "Types"))
    assert not page.texts("#side-a .hint")
    wrapped = measure(height)
    assert wrapped[0] == wrapped[1] > before[0]
    page.click(element_with("#reading button", "Wrap"))
    assert all(measure(excess))
    for button in ("Wrap", "Types"):
        page.click(element_with("#reading button", button))
    assert measure(height) == before
    # The next pass by a key; what is the same is folded, and can be opened.
    page.click(element_with(".pass", "tileas-materialize-schedule"))
    page.press("ArrowDown")
    assert "tileas-unspecialized-pipeline" in page.texts("#caption")[0]
    page.click(element_with(".pass", "ptx"))
    assert any(".globl" in text for text in page.texts("#side-a .row"))
    page.click(element_with("#side-a .fold", "identical lines"))
    # Cost.
    page.click(element_with("#views button", "Cost"))
    rows = page.texts("#cost tr")
    assert any(row.startswith("registers") for row in rows)
    assert any("estimated clocks" in row for row in rows)
    assert "not measured" in page.texts("#cost .note")[0]
    assert page.errors == []
    assert set(page.requests) <= {path.as_uri()}
    # A link to a pass, on a narrow screen, in the dark.
    page.close()
    small = browser.open(path, width=390, height=700, scheme="dark")
    small.wait(READY)
    small.evaluate("location.hash = '#pass=ptx'")
    small.wait("document.querySelector('#caption').textContent.startsWith('ptx: ')")
    assert small.evaluate("document.documentElement.scrollWidth") <= 390
    assert small.evaluate("document.documentElement.dataset.theme") == "dark"
    assert small.errors == []
    small.close()
