"""Cost beside lines, and pictures whose parts can be clicked on, in a browser."""

from pathlib import Path

import pytest

from tileiras_xdsl.inspection.exploration.report import make_page

from .chromium import Chromium
from .explorations import explore
from .test_browser import READY, element_with

pytestmark = pytest.mark.xdist_group("browser")

DRAWING = "document.querySelector('#large .drawing').shadowRoot"
WHEEL = "new WheelEvent('wheel', {deltaY: -1})"
CLICK = "new MouseEvent('click', {bubbles: true})"
DOT = (
    f"Array.from({DRAWING}.querySelectorAll('[data-marks]'))"
    ".find((each) => each.textContent.includes('dot'))"
)
CHOSEN = (
    "Array.from(document.querySelectorAll('#inspector .drawing'))"
    ".flatMap((each) => [...each.shadowRoot.querySelectorAll('[data-chosen]')]).length"
)


def test_cost_and_pictures(browser: Chromium, tmp_path: Path):
    path = tmp_path / "page.html"
    path.write_text(make_page(explore("example gemm")), encoding="utf-8")
    page = browser.open(path)
    page.wait(READY)
    # Cost is beside lines when it is asked for.
    assert page.texts(".cost") == []
    page.click("#cost-button")
    page.wait("document.querySelectorAll('.cost').length > 0")
    titles = page.evaluate("Array.from(document.querySelectorAll('.cost'), (each) => each.title)")
    page.click(element_with("#right .tab", "ptx"))
    page.wait("document.querySelectorAll('#right .cost').length > 0")
    assert all("not measured" in title for title in titles if title)
    # A picture in large: a part of it leads to its op, which then stands out in the picture.
    page.click("#views [data-view=pictures]")
    page.click(".picture[data-kind=schedule]")
    page.wait("document.querySelector('#large').open")
    before = page.evaluate(f"{DRAWING}.querySelector('svg').getAttribute('viewBox')")
    page.evaluate(f"{DRAWING}.querySelector('svg').dispatchEvent({WHEEL})")
    assert page.evaluate(f"{DRAWING}.querySelector('svg').getAttribute('viewBox')") != before
    page.evaluate(f"{DOT}.querySelector('path').dispatchEvent({CLICK})")
    assert not page.evaluate("document.querySelector('#large').open")
    assert any("nv_tileas.dot" in text for text in page.texts("#right .row.selected"))
    assert page.evaluate(CHOSEN) >= 3
    assert page.errors == []
    assert set(page.requests) <= {path.as_uri()}
    page.close()
