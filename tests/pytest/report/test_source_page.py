"""
The page of a program whose debug information names a file that is there: from Python to machine
code, links, keys, and borders. Most of it is one visit: opening pages takes long.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.inspection.exploration.report import make_page

from .chromium import Chromium, Page
from .explorations import explore
from .test_browser import READY, element_with, shown_step

pytestmark = pytest.mark.xdist_group("browser")

# Not all machines have a disassembler.
SASS = [
    "        /*0010*/                   MOV R1, c[0x0][0x28] ;",
    "        /*0020*/               @P0 SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [R2+URZ], R3 ;",
    "        /*0030*/                   HGMMA.64x128x16.F32 R24, gdesc[UR8], R24 ;",
    "        /*0040*/                   WARPGROUP.DEPBAR.LE gsb0, 0x0 ;",
]

CLIPBOARD = (
    "window.copied = ''; Object.defineProperty(navigator, 'clipboard', "
    "{value: {writeText: async (text) => { window.copied = text; }}})"
)


@cache
def data_of_gemm() -> dict[str, Any]:
    data = explore("example gemm")
    source = next(text for text in data["texts"] if text["name"] == "python")
    lines = [data["strings"][line] for line in source["lines"]]
    product = source["marks"][next(n for n, line in enumerate(lines) if "ct.mma" in line)]
    if data["texts"][-1]["name"] != "sass":
        count = len(data["strings"])
        numbers = list(range(count, count + len(SASS)))
        marks: list[list[int]] = [[], *[product] * (len(SASS) - 1)]
        texts = [*data["texts"], {"name": "sass", "lines": numbers, "marks": marks}]
        data = {**data, "strings": [*data["strings"], *SASS], "texts": texts}
    return data


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is beside ops that are chosen is their text, so that the browser has less to draw."""
    path = tmp_path_factory.mktemp("report") / "gemm.html"
    path.write_text(make_page({**data_of_gemm(), "pictures": []}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def visit(browser: Chromium, path: Path) -> Iterator[Page]:
    """A page in which the tests below go on where the last one was."""
    page = browser.open(path, before=CLIPBOARD)
    page.wait(READY)
    yield page
    page.close()


@pytest.fixture
def page(visit: Page, path: Path) -> Iterator[Page]:
    """The same; nothing may have gone wrong in it, or been asked for."""
    yield visit
    visit.evaluate("new Promise((done) => setTimeout(done, 20))")
    assert visit.errors == []
    assert {request.partition("#")[0] for request in visit.requests} <= {path.as_uri()}


def chips(page: Page, line: str) -> list[str]:
    """What stands behind a line of the left pane, or below it."""
    (found,) = [texts for text, texts in source_lines(page) if line in text]
    return found


def source_lines(page: Page) -> list[tuple[str, list[str]]]:
    """The lines of the left pane, with their remarks; the rows of each have one number."""
    rows: list[tuple[int, str, str, list[str]]] = page.evaluate(
        "Array.from(document.querySelectorAll('#left .row'), (row) => [row.offsetTop,"
        "row.querySelector('.number').textContent, row.querySelector('code').textContent,"
        "Array.from(row.querySelectorAll('.note-chip'), (each) => each.textContent)])"
    )
    lines: list[tuple[str, list[str]]] = []
    for _, number, code, texts in sorted(rows):
        if number:
            lines.append((f"{number} {code}", texts))
        else:
            text, before = lines[-1]
            # Words that do not fit are broken before a dot.
            space = "" if code.strip().startswith(".") else " "
            lines[-1] = (f"{text}{space}{code.strip()}".rstrip(), before + texts)
    return lines


def drag(page: Page, selector: str, x: float, y: float = 0.0) -> None:
    box = page.evaluate(
        f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])"
        f"(document.querySelector('{selector}').getBoundingClientRect())"
    )
    for kind, dx, dy in (
        ("mouseMoved", 0, 0),
        ("mousePressed", 0, 0),
        ("mouseMoved", x, y),
        ("mouseReleased", x, y),
    ):
        page.call(
            "Input.dispatchMouseEvent",
            type=kind,
            x=box[0] + dx,
            y=box[1] + dy,
            button="none" if kind == "mouseMoved" and not dx + dy else "left",
            buttons=1 if dx + dy else 0,
            clickCount=1,
        )


def scroll_to_machine_code(page: Page, words: str) -> None:
    """Shows a line with words, and with ops, in the right pane: only what is seen has rows."""
    data = data_of_gemm()
    code = data["texts"][-1]
    texts = [data["strings"][line] for line in code["lines"]]
    at = next(n for n, text in enumerate(texts) if words in text and code["marks"][n])
    height = "document.querySelector('#right .row').getBoundingClientRect().height"
    page.evaluate(f"document.querySelector('#right .scroll').scrollTop = {at} * {height}")


def width(page: Page, selector: str) -> float:
    return page.evaluate(f"document.querySelector('{selector}').getBoundingClientRect().width")


def selected(page: Page) -> list[str]:
    return page.texts(".row.selected code")


def test_python_is_the_first_pane(page: Page):
    lines = tx.examples["gemm"].source.read_text().splitlines()
    assert page.texts("#left .tab[aria-selected=true]") == ["kernels.py"]
    assert page.texts("#left .tab")[0] == page.texts("#passes .name")[0] == "kernels.py"
    shown = [text.partition(" ") for text, _ in source_lines(page)]
    numbers = [int(number) for number, _, _ in shown]
    assert [text for _, _, text in shown] == [lines[number - 1] for number in numbers]
    assert lines[numbers[0] - 1] == "@ct.kernel"
    # Only the kernel.
    assert sum("def " in lines[number - 1] for number in numbers) == 1


def test_back_to_the_first_view(page: Page):
    captions = "#left .caption, #right .caption"
    first = page.texts(captions)
    assert page.evaluate("location.hash") == ""
    page.click('.pass[data-document="3"]')
    page.click(element_with("#views button", "Diff"))
    assert page.evaluate("location.hash").endswith("view=diff")
    page.evaluate("history.back()")
    page.wait("document.body.dataset.view === 'ir'")
    assert page.texts(captions) != first
    page.evaluate("history.back()")
    page.wait("location.hash === ''")
    assert page.texts(captions) == first


def test_remarks_are_at_their_lines(page: Page):
    assert any("wgmma" in text for text in chips(page, "ct.mma"))
    assert any("TMA load" in text for text in chips(page, "x = ct.load"))
    assert any("clocks" in text for text in chips(page, "for step in"))
    page.click(element_with("#left .row", "def matmul"))
    notes = "\n".join(page.texts("#notes li"))
    assert "limited by" in notes
    if any(note["about"] == "occupancy" for note in data_of_gemm()["notes"]):
        assert "registers per thread" in notes
        assert "bytes of shared memory" in notes
        assert "CTA per SM" in notes


def test_a_product_leads_to_its_instructions(page: Page):
    for stage, wanted in (
        ("ptx", "wgmma.mma_async"),
        ("sass", "HGMMA"),
        ("nvvm", "nvvm.wgmma.mma_async"),
        ("llvm", "wgmma.mma_async"),
    ):
        page.click(f"#right [data-stage={stage}]")
        page.click(element_with("#left .row", "def matmul"))
        page.click(element_with("#left .row", "ct.mma"))
        (target,) = page.texts("#right .row.target")
        assert wanted in target
        (row,) = [text for text in page.texts("#trail .trail-row") if text.startswith(stage)][-1:]
        assert wanted in row.partition(",")[0]
    # And back.
    page.click("#right [data-stage=sass]")
    page.click(element_with("#right .row", "HGMMA"))
    assert "ct.mma" in page.texts("#left .row.target")[0]
    # What waits for it leads to what waits, not to the product.
    page.click("#left [data-stage=nvvm]")
    scroll_to_machine_code(page, "TRYWAIT")
    page.click(element_with("#right .row", "TRYWAIT"))
    assert "wait" in "".join(page.texts("#left .row.target, #left .row.target + .row"))


def test_links(page: Page):
    page.click('.pass[data-document="3"]')
    page.click(element_with("#right .row", "cuda_tile.mmaf"))
    link = page.evaluate("location.hash")
    assert link.startswith("#pass=cuda-tile/cse&left=canonicalize&op=")
    page.click(element_with("#right .row", "load_view_tko"))
    assert page.evaluate("location.hash") != link
    page.evaluate("history.back()")
    page.wait(f"location.hash === '{link}' && document.querySelector('.row.selected')")
    assert "mmaf" in selected(page)[0]
    page.evaluate("history.back()")
    page.wait("!document.querySelector('#right .row.selected')")
    assert shown_step(page, "right").startswith("after cse")
    # Every op has a link of its own.
    page.click(element_with("#right .op-row a.number", "6"))
    number = page.texts("#right .row.selected .number")[0]
    assert page.evaluate("window.copied").endswith(f"gemm.html#pass=cuda-tile/cse&op={number}")
    page.click("#copy-link")
    page.wait(f"window.copied.endsWith('op={number}')")
    # One that was sent to us, by name, by stage, of Python, and of another report.
    for link, words in {
        "#pass=tileas-assign-dot-layouts&op=12": ("#right", "after tileas-assign-dot-layouts"),
        "#pass=ptx&op=20": ("#right", "ptx"),
        "#pass=tileaa": ("#right", "after unroll-loops"),
        "#pass=python&op=45": ("#left", "kernels.py"),
    }.items():
        page.evaluate(f"location.hash = '{link}'")
        page.wait(
            f"document.querySelector('{words[0]} .caption').textContent.startsWith('{words[1]}')"
        )
    assert "ct.mma" in selected(page)[0]
    page.evaluate("location.hash = '#pass=no-such-pass'")
    page.wait("document.querySelector('#toast').textContent.includes('no-such-pass')")


def test_keyboard(page: Page):
    page.evaluate("location.hash = '#pass=cse&left=python'; document.activeElement.blur()")
    page.wait("document.querySelector('#right .caption').textContent.startsWith('after cse')")
    page.press("?")
    assert any("next op" in text for text in page.texts("#large[open] td"))
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Escape", windowsVirtualKeyCode=27)
    page.wait("!document.querySelector('#large').open")
    # Ops of a pane, and of the other one.
    page.evaluate("document.querySelector('#left .scroll').focus()")
    for _ in range(20):
        page.press("j")
        if "ct.mma" in "".join(selected(page)):
            break
    assert "ct.mma" in selected(page)[0]
    page.press("o")
    assert "cuda_tile.mmaf" in selected(page)[0]
    page.press("k")
    assert "load_view_tko" in selected(page)[0]
    page.press("ArrowDown")
    assert "cuda_tile.mmaf" in selected(page)[0]
    # Passes: of the pane, and from the one that has the focus.
    page.press("]")
    assert shown_step(page, "right").startswith("after guard-masks")
    page.press("[")
    assert shown_step(page, "right").startswith("after cse")
    page.evaluate("document.querySelector('.pass[data-document=\"5\"]').focus()")
    page.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.document") == "6"
    assert page.texts(".pass[aria-current=true] .name") == [data_of_gemm()["steps"][6]["name"]]
    # Lines that were found.
    page.press("/")
    page.type("tiled_load")
    page.wait("document.querySelectorAll('.hit').length")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", text="\r")
    first = selected(page)
    assert "tiled_load" in first[0]
    page.evaluate("document.activeElement.blur()")
    page.press("n")
    assert "tiled_load" in selected(page)[0]
    page.press("N")
    assert selected(page) == first
    page.press("d")
    assert page.evaluate("document.body.dataset.view") == "diff"
    page.press("s")
    page.press("Escape")
    assert selected(page) == []


def test_borders(page: Page):
    before = width(page, "#left"), width(page, "nav"), width(page, "#inspector")
    drag(page, "#split-panes", 60)
    drag(page, "#split-passes", -50)
    drag(page, "#split-inspector", -40)
    after = width(page, "#left"), width(page, "nav"), width(page, "#inspector")
    assert after[1:] == (before[1] - 50, before[2] + 40)
    assert after[0] > before[0] + 20
    page.evaluate("document.querySelector('#split-passes').focus()")
    page.press("ArrowRight")
    assert width(page, "nav") == after[1] + 24
    # They are kept, and a link opens what it names.
    page.evaluate("location.hash = '#pass=ptx&op=20'; delete document.body.dataset.ready")
    page.call("Page.reload")
    page.wait(READY)
    assert width(page, "nav") == after[1] + 24
    assert width(page, "#inspector") == after[2]
    assert shown_step(page, "right").startswith("ptx")
    assert page.texts("#right .row.selected .number") == ["20"]


def test_small_and_dark(browser: Chromium, tmp_path: Path):
    """A phone at night, without a place to keep sizes."""
    path = tmp_path / "gemm.html"
    path.write_text(make_page(data_of_gemm()), encoding="utf-8")
    blocked = (
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked'); }})"
    )
    page = browser.open(path, width=390, height=844, scheme="dark", before=blocked)
    page.wait(READY)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    # The source is what one sees first, and remarks are in sight.
    assert shown_step(page, "right").startswith("kernels.py")
    assert page.evaluate(
        "Array.from(document.querySelectorAll('#right .note-chip'),"
        "(each) => each.getBoundingClientRect().left).every((left) => left < 195)"
    )
    page.evaluate("document.querySelector('#right .scroll').scrollTop = 200")
    page.wait("document.querySelector('#right').textContent.includes('ct.mma')")
    page.click(element_with("#right .row", "ct.mma"))
    (row,) = [text for text in page.texts("#trail .trail-row") if text.startswith("ptx")]
    page.click(element_with("#trail .trail-row", row))
    assert "wgmma.mma_async" in page.texts("#right .row.target")[0]
    drag(page, "#split-below", 0, -40)
    for view in ("diff", "pictures", "ir"):
        page.click(f"#views [data-view={view}]")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.errors == []
    page.close()
