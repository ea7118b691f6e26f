"""
Reports in a browser, clicked through as a person would.

Every page is checked for script errors, and for requests: it asks for nothing but itself.
"""

import json
import random
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tileiras_xdsl.inspection.exploration.report import make_frame, make_page
from tileiras_xdsl.xdsl_extras.reading import Reading

from .chromium import Chromium, Page
from .explorations import exploration, explore, explore_text

pytestmark = pytest.mark.xdist_group("browser")

READY = "document.body?.dataset.ready"
OPS = 5000
OPENING_MS = 1000
RESPONSE_MS = 1000

Open = Callable[..., Page]


@pytest.fixture(scope="module", params=[pytest.param("gemm", marks=pytest.mark.long), "attention"])
def name(request: pytest.FixtureRequest) -> str:
    """A GEMM, and attention."""
    return request.param


@pytest.fixture(scope="module")
def program(name: str) -> dict[str, Any]:
    """What there is to show of a program, but for pictures."""
    return explore_text(name)


@pytest.fixture(scope="module")
def drawn_program(name: str) -> dict[str, Any]:
    """The same with pictures."""
    return explore(name)


@pytest.fixture
def show(browser: Chromium, tmp_path: Path) -> Iterator[Open]:
    """Shows the text of a page until it is ready; at the end nothing may have gone wrong."""
    pages: list[Page] = []
    path = tmp_path / "page.html"

    def show(text: str, ready: str = READY, **options: Any) -> Page:
        path.write_text(text, encoding="utf-8")
        pages.append(browser.open(path, **options))
        pages[-1].wait(ready)
        return pages[-1]

    yield show
    for page in pages:
        page.evaluate("new Promise((done) => setTimeout(done, 50))")
        assert page.errors == []
        assert set(page.requests) <= {path.as_uri(), "about:srcdoc"}
        page.close()


def quote(text: str) -> str:
    return json.dumps(text)


def element_with(selector: str, text: str) -> str:
    """An expression for the first element of a selector that has a text."""
    return (
        f"(Array.from(document.querySelectorAll({quote(selector)}))"
        f".find((each) => each.textContent.includes({quote(text)})))"
    )


def find(page: Page, query: str, step: str) -> None:
    """Searches, and clicks on the first place in a step."""
    page.click("#search")
    page.evaluate("document.querySelector('#search').select()")
    page.type(query)
    groups = "Array.from(document.querySelectorAll('#results .group'))"
    hit = (
        f"({groups}.find((each) => each.firstChild.textContent.startsWith({quote(step)}))"
        "?.querySelector('.hit'))"
    )
    page.wait(f"{hit} !== undefined")
    page.click(hit)


def shown_step(page: Page, side: str) -> str:
    return page.texts(f"#{side} .caption")[0]


# Clicking through


def test_stages(show: Open, program: dict[str, Any]):
    page = show(make_page(program))
    stages = ["cuda-tile", "tileaa", "tileas", "nvgpu", "nvvm", "llvm", "ptx"]
    for side in ("left", "right"):
        tabs = page.texts(f"#{side} .tab")
        assert tabs[:7] == stages
        for stage in stages:
            page.click(element_with(f"#{side} .tab", stage))
            assert page.texts(f"#{side} .tab[aria-selected=true]") == [stage]
            last = [step["name"] for step in program["steps"] if step["stage"] == stage]
            caption = shown_step(page, side)
            assert caption.startswith(f"after {last[-1]}" if last else stage)


@pytest.mark.every(3, first=1)
@pytest.mark.parametrize("stage", ["cuda-tile", "tileas", "nvvm"])
def test_reading(show: Open, stage: str):
    """What is folded away, and how one sees it; notebooks and terminals show the same."""
    page = show(make_page(explore_text("attention")), width=2600, height=2000)
    page.click(f"#left [data-stage={stage}]")
    scroll = "document.querySelector('#left .scroll')"
    assert page.evaluate(f"{scroll}.scrollWidth <= {scroll}.clientWidth")
    page.click("#reading [data-reading=wrap]")
    lines = exploration("attention").step(stage).snapshot.listing.unwrapped
    texts = page.texts("#left .row code")
    assert len(texts) > 70
    shown = [text if "×" in text else text.replace(" …", "") for text in texts]
    assert shown == str(Reading(lines, wrap=False)).split("\n")[: len(texts)]
    for name in ("types", "assumes"):
        page.click(f"#reading [data-reading={name}]")
    texts = page.texts("#left .row code")
    all_of_it = Reading(lines, types=True, assumes=True, aliases=True, wrap=False)
    assert texts == str(all_of_it).split("\n")[: len(texts)]


def test_what_is_folded_can_be_opened(show: Open):
    """One at a time."""
    page = show(make_page(explore_text("attention")), width=2600, height=2000)
    page.click("#left [data-stage=cuda-tile]")
    folds = page.texts("#left .fold")
    page.click(element_with("#left .fold", "cuda_tile.assume"))
    assert len(page.texts("#left .fold")) == len(folds) - 1
    assert any("assume div_by<16>" in text for text in page.texts("#left .row code"))
    row = element_with("#left .row", "cuda_tile.mmaf")
    assert "!tile_" not in page.evaluate(f"{row}.textContent")
    assert "!tile_128x64xf16" in page.evaluate(f"{row}.querySelector('.hint').title")
    page.click(f"{row}.querySelector('.hint')")
    assert any("!tile_128x64xf16," in text for text in page.texts("#left .row code"))
    signature = element_with("#left .row", "cuda_tile.entry")
    assert "parameters)" in page.evaluate(f"{signature}.textContent")
    page.click(f"{signature}.querySelector('.hint')")
    # Aliases say what they stand for.
    alias = element_with("#left .row .type", "!tile_ptr_f16")
    assert page.evaluate(f"{alias}.title") == "!tile_ptr_f16 = !cuda_tile.tile<ptr<f16>>"
    # What one searches for is not left out, and what one follows is brought out of its fold.
    find(page, "cuda_tile.assume div_by<16>", "cuda-tile: read")
    assert page.texts(".row.selected .found")
    find(page, "!tile_128x128xf32, !tile_1", "cuda-tile: read")
    page.wait("document.querySelectorAll('.row.selected .found').length")


def test_machine_code(show: Open):
    """Stalls, barriers and live registers stand before instructions."""
    data = explore_text("gemm")
    strings = [*data["strings"], "        /*0000*/  LDC R1, c[0x0][0x28] ;", "\t.target\tsm_90a"]
    code = {
        "name": "sass",
        "lines": [len(strings) - 1, len(strings) - 2],
        "marks": [[], [3]],
        "control": [[], [0x718, 42]],
    }
    texts = [*(text for text in data["texts"] if text["name"] != "sass"), code]
    page = show(make_page({**data, "strings": strings, "texts": texts}))
    page.click("#right [data-stage=sass]")
    assert page.texts("#right .columns span") == ["", "st", "bar", "live"]
    assert page.texts("#right .row .stall") == ["", "8"]
    assert page.texts("#right .row .barriers") == ["", "W0"]
    assert page.texts("#right .row .live") == ["", "42"]
    assert page.texts("#right .row code")[1] == "0000 LDC R1, c[0x0][0x28] ;"
    widths = [
        page.evaluate(
            f"document.querySelectorAll('#right .row {each}')[1].getBoundingClientRect().width"
        )
        for each in (".stall", ".barriers", ".live")
    ]
    assert sum(widths) < 120
    title = page.evaluate("document.querySelectorAll('#right .row .live')[1].title")
    assert "after 8 cycles" in title
    assert "barrier 0 is released when the result is written" in title
    assert "42 registers live" in title
    # Long instructions are wrapped, and a column in which nothing is takes no room.
    long = [*strings[:-2], f"        /*0000*/  LDC R1, {'c[0x0][0x28], ' * 9}R2 ;", strings[-1]]
    texts[-1] = {**code, "control": [[], [0x7F8, 42]]}
    page = show(make_page({**data, "strings": long, "texts": texts}))
    page.click("#right [data-stage=sass]")
    wrapped = page.texts("#right .row code")
    assert len(wrapped) > 2
    assert all(len(each) < 70 for each in wrapped)
    style = "getComputedStyle(document.querySelector('#right .row .barriers')).display"
    assert page.evaluate(style) == "none"


def test_passes(show: Open, program: dict[str, Any]):
    page = show(make_page(program))
    assert page.texts("#passes .pass .name") == [
        each["name"] for each in (*program["steps"], *program["texts"])
    ]
    assert page.texts("#passes .pass .ops") == [str(step["ops"]) for step in program["steps"]] + [
        ""
    ] * len(program["texts"])
    assert all(re.fullmatch(r"[\d.]+ m?s", time) for time in page.texts(".pass .time") if time)
    # A pass is shown beside what it was given.
    names = [step["name"] for step in program["steps"]]
    index = names.index("tileas-assign-dot-layouts")
    page.click(f'.pass[data-document="{index}"]')
    assert shown_step(page, "left").startswith(f"after {names[index - 1]} ")
    assert shown_step(page, "right").startswith(f"after {names[index]} ")
    assert page.texts(".pass[aria-current=true] .name") == [names[index]]


def test_provenance(show: Open, program: dict[str, Any]):
    """The product of tiles, from what was read to the instructions of the tensor cores."""
    page = show(make_page(program))
    page.click("#left [data-stage=cuda-tile]")
    find(page, "cuda_tile.mmaf", "cuda-tile: read")
    page.click("#right [data-stage=tileaa]")
    assert "cuda_tile.mmaf" in page.texts("#right .row.selected, #left .row.selected")[0]
    related = page.texts("#right .row.related code")
    assert any("nv_tileaa.dot" in text for text in related)

    trail = page.texts("#trail .trail-row")
    assert trail[0].startswith("cuda-tile: read")
    assert "cuda_tile.mmaf" in trail[0]
    (row,) = [text for text in trail if text.startswith("nvgpu")]
    page.click(element_with("#trail .trail-row", row))
    assert "convert-tileas-to-nvgpu" in shown_step(page, "right")
    find(page, "wgmma.mma_async", "nvvm: convert-to-llvm")
    assert any("mmaf" in text for text in page.texts("#trail .trail-row")[:1])
    # PTX knows where it came from, too.
    (row,) = [text for text in page.texts("#trail .trail-row") if text.startswith("ptx")]
    page.click(element_with("#trail .trail-row", row))
    # Of all that the product has become there, the instruction itself is in sight.
    assert any("wgmma.mma_async" in text for text in page.texts(".row.related code"))
    page.click("#left [data-stage=llvm]")
    assert any("wgmma.mma_async" in text for text in page.texts("#left .row.related code"))


def test_pointing(show: Open, program: dict[str, Any]):
    page = show(make_page(program))
    page.click("#right [data-stage=tileaa]")
    page.point(element_with("#left .row", "cuda_tile.make_tensor_view"))
    assert any("make_tensor_view" in text for text in page.texts("#left .row.hovered"))
    page.wait("document.querySelectorAll('#right .row.hovered').length")
    assert any("nv_tileaa.make_memref" in text for text in page.texts("#right .row.hovered"))
    assert page.texts(".row.selected") == []
    page.point("(document.querySelector('h1'))")
    assert page.texts(".row.hovered") == []


def test_values(show: Open):
    """A click on a value shows where it is used."""
    page = show(make_page(explore_text("gemm")), height=2000)
    page.click(element_with("#left .row .value", "%view"))
    assert set(page.texts("#left .same-value")) == {"%view"}
    assert len(page.texts("#left .same-value")) >= 2


SCROLL = "document.querySelector('#diff .scroll')"


def test_diff(show: Open, program: dict[str, Any]):
    page = show(make_page(program))
    page.click("#views [data-view=diff]")
    names = [step["name"] for step in program["steps"]]
    # This one only takes ops away, whatever that does to the numbers of values.
    index = names.index("cse")
    page.click(f'.pass[data-document="{index}"]')
    ops = [step["ops"] for step in program["steps"]]
    removed = ops[index - 1] - ops[index]
    assert f"cse: 0 lines added, {removed} removed" in page.texts("#diff .caption")[0]
    assert page.texts("#diff .row.gone code")
    assert page.texts("#diff .row.new") == []
    # What was folded away can be opened.
    folds = len(page.texts("#diff .fold"))
    assert folds
    page.click("#diff .fold")
    assert len(page.texts("#diff .fold")) < folds

    page.click(f'.pass[data-document="{names.index("verify-no-cuda-tile")}"]')
    assert page.texts("#diff .caption") == ["verify-no-cuda-tile changed nothing"]
    assert page.texts("#diff .row") == []

    page.click(f'.pass[data-document="{names.index("tileas-assign-dot-layouts")}"]')
    # Types are shown where they changed, and on demand; aliases are folded; lines fit the pane.
    assert any("mma0" in text for text in page.texts("#diff .row.new .differs"))
    assert any(text.endswith(" …") for text in page.texts("#diff .row.same code"))
    assert not any(text.startswith("#mma0 = ") for text in page.texts("#diff .row.new code"))
    page.click(element_with("#diff .fold", "aliases, +"))
    assert any(text.startswith("#mma0 = ") for text in page.texts("#diff .row.new code"))
    assert page.evaluate(f"{SCROLL}.scrollWidth <= {SCROLL}.clientWidth")
    page.click("#reading [data-reading=wrap]")
    assert page.evaluate(f"{SCROLL}.scrollWidth > {SCROLL}.clientWidth")
    page.click("#reading [data-reading=types]")
    assert not any(text.endswith(" …") for text in page.texts("#diff .row.same code"))
    # Its lines are ops like others.
    page.click(element_with("#diff .row.new", "nv_tileas.dot"))
    assert any("cuda_tile.mmaf" in text for text in page.texts("#trail .trail-row"))


def test_search(show: Open, program: dict[str, Any]):
    page = show(make_page(program))
    page.click("#search")
    page.type("/WGMMA\\.(fence|commit)/")
    page.wait("document.querySelectorAll('.hit').length")
    hits = page.texts(".hit code")
    assert all(re.search(r"wgmma\.(fence|commit)", text) for text in hits)
    wanted = sum(
        bool(re.search(r"wgmma\.(fence|commit)", program["strings"][line]))
        for document in (*program["steps"], *program["texts"])
        for line in document.get("lines", ())
    )
    assert page.texts("#results > .note")[0].startswith(f"{wanted} lines in ")
    page.click(".hit")
    assert "wgmma" in page.texts("#right .row.selected .found")[0]
    page.click("#search")
    page.evaluate("document.querySelector('#search').select()")
    page.type("/(/")
    page.wait("document.querySelector('#results').textContent.includes('regular expression')")


def test_keys(show: Open):
    page = show(make_page(explore_text("gemm")))
    page.click('.pass[data-document="2"]')
    page.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.document") == "3"
    assert page.texts(".pass[aria-current=true] .name") == ["cse"]
    page.press("ArrowUp")
    assert page.texts(".pass[aria-current=true] .name") == ["canonicalize"]
    page.click(element_with("#left .row", "make_token"))
    assert page.texts("#left .row.selected")
    page.press("Escape")
    assert page.texts("#left .row.selected") == []
    page.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    assert page.evaluate("document.activeElement.value") == ""


def test_layout_picture(show: Open, drawn_program: dict[str, Any]):
    """The layout of an op, beside the op, and large."""
    page = show(make_page(drawn_program))
    find(page, "nv_tileas.dot", "tileas: tileas-assign-dot-layouts")
    page.wait("document.querySelectorAll('#inspector .picture[data-kind=layout]').length")
    drawn = "document.querySelector('#inspector .picture[data-kind=layout] .drawing').shadowRoot"
    assert page.evaluate(f"{drawn}.querySelectorAll('svg rect, svg path').length") > 16
    (title, *_) = page.texts("#inspector .picture[data-kind=layout] .picture-title")
    page.click("#inspector .picture[data-kind=layout]")
    assert page.texts("#large[open] strong") == [title]
    large = "document.querySelector('#large .drawing')"
    assert page.evaluate(f"{large}.getBoundingClientRect().width") > 300
    page.click("#large button")
    assert page.texts("#large[open]") == []


def test_all_pictures(show: Open, drawn_program: dict[str, Any]):
    page = show(make_page(drawn_program))
    page.click("#views [data-view=pictures]")
    titles = [picture["title"] for picture in drawn_program["pictures"]]
    assert titles
    assert page.texts("#gallery .picture-title") == titles
    heads = "host.shadowRoot.querySelectorAll('text.head')"
    shown = page.evaluate(
        "Array.from(document.querySelectorAll('#gallery .drawing'))"
        f".flatMap((host) => Array.from({heads}, (head) => head.textContent))"
    )
    assert not set(shown) & set(titles)
    # Pictures have no lines whose cost could be shown.
    assert page.evaluate("document.querySelector('#cost-button').disabled")
    page.click(element_with("#kinds button", "tokens"))
    assert page.texts("#gallery .picture-title") == [
        picture["title"] for picture in drawn_program["pictures"] if picture["kind"] == "tokens"
    ]
    page.click(element_with("#kinds button", "all"))
    drawings = "Array.from(document.querySelectorAll('#gallery .drawing'))"
    assert page.evaluate(
        f"{drawings}.every((each) => each.shadowRoot.querySelector('svg').clientWidth > 50)"
    )


# Colours and places


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours(show: Open, scheme: str):
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>rect{fill:#fff}'
        "@media (prefers-color-scheme: dark){rect{fill:#000}}</style>"
        '<rect width="9" height="9"/></svg>'
    )
    picture: dict[str, Any] = {"title": "t", "kind": "layout", "step": 0, "marks": [], "svg": svg}
    data: dict[str, Any] = {**explore("gemm"), "pictures": [picture]}
    page = show(make_page(data), scheme=scheme)
    page.click("#views [data-view=pictures]")

    def brightness(element: str, of: str) -> int:
        return page.evaluate(
            f"getComputedStyle({element}).{of}.match(/\\d+/g).slice(0, 3)"
            ".reduce((sum, part) => sum + Number(part), 0)"
        )

    for is_dark in (scheme == "dark", scheme != "dark"):
        assert (brightness("document.body", "backgroundColor") < 384) == is_dark
        assert (brightness("document.body", "color") > 384) == is_dark
        rect = "document.querySelector('#gallery .drawing').shadowRoot.querySelector('rect')"
        assert (brightness(rect, "fill") == 0) == is_dark
        page.click("#theme")


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("scheme", "attributes", "wanted"),
    [
        ("light", "", "light"),
        ("dark", "", "dark"),
        ("light", 'data-jp-theme-light="false"', "dark"),
        ("dark", 'data-jp-theme-light="true"', "light"),
        ("light", 'class="vscode-dark"', "dark"),
    ],
)
def test_frame_of_notebooks(show: Open, scheme: str, attributes: str, wanted: str):
    """The page works inside of another one, which it cannot reach, in the colours around it."""
    data = explore_text("gemm")
    host = f"<!doctype html><title>notebook</title><body {attributes}>{make_frame(data)}</body>"
    page = show(host, ready="document.querySelector('iframe')", scheme=scheme, width=1000)
    inner = page.frame()
    inner.wait(READY)
    inner.wait(f"document.documentElement.dataset.theme === {quote(wanted)}")
    assert inner.texts("h1") == [data["title"]]
    assert "aliases" in inner.texts("#left .row code")[0]
    assert (
        inner.evaluate("(() => { try { return parent.document.title } catch { return '' } })()")
        == ""
    )
    assert inner.errors == []


def test_narrow_window(show: Open):
    page = show(make_page(explore_text("gemm")), width=600, height=900)
    assert page.evaluate("document.documentElement.scrollWidth") <= 600
    assert page.texts("#right .row code")


def test_program_that_cannot_be_compiled(show: Open):
    """As little as there can be: what was read, and why that is all."""
    step = explore("gemm")["steps"][0]
    text = [explore("gemm")["strings"][line] for line in step["lines"]]
    line = next(n for n, each in enumerate(text) if "mmaf" in each)
    note = {"kind": "error", "about": "error", "text": "not this one", "reason": "", "row": None}
    data: dict[str, Any] = {
        **explore("gemm"),
        "error": "error: not this one",
        "texts": [],
        "steps": [step],
        "pictures": [],
        "notes": [{**note, "marks": step["marks"][line]}],
    }
    page = show(make_page(data))
    assert "error: not this one" in page.texts("#error:not([hidden])")[0]
    # It leads to the op.
    page.click("#error a")
    page.wait("document.querySelector('#right .row.selected')")
    assert "cuda_tile.mmaf" in page.texts("#right .row.selected code")[0]
    assert page.texts("#right .row.selected .note-chip") == ["✖ not this one"]
    for view in ("diff", "pictures", "ir"):
        page.click(f"#views [data-view={view}]")
    assert page.texts("#right .tab") == ["cuda-tile"]
    page.click("#right .row")


# Size


def repeat(data: dict[str, Any], copies: int) -> dict[str, Any]:
    """The same program several times in a row, with values of their own."""
    strings: dict[str, int] = {}

    def copied(document: dict[str, Any]) -> dict[str, Any]:
        if "lines" not in document:
            return {**document, "ops": document["ops"] * copies}
        texts = [data["strings"][line] for line in document["lines"]]
        lines = [
            strings.setdefault(text.replace("%", f"%c{copy}_"), len(strings))
            for copy in range(copies)
            for text in texts
        ]
        marks = [
            [mark + copy * 1000 for mark in marks]
            for copy in range(copies)
            for marks in document["marks"]
        ]
        repeated = {**document, "lines": lines, "marks": marks}
        return {**repeated, "ops": document["ops"] * copies} if "ops" in document else repeated

    steps = [copied(step) for step in data["steps"]]
    texts = [copied(text) for text in data["texts"]]
    return {**data, "steps": steps, "texts": texts, "strings": list(strings)}


def busy_time(page: Page) -> float:
    """
    Milliseconds of processor time that a page has taken since this was first asked: what counts is
    the page, not what else the machine does.
    """
    page.call("Performance.enable", timeDomain="threadTicks")
    metrics = page.call("Performance.getMetrics")["metrics"]
    return 1000 * next(each["value"] for each in metrics if each["name"] == "TaskDuration")


def opening_time(page: Page) -> float:
    """Milliseconds that it takes to open a page."""
    before = busy_time(page)
    page.evaluate("delete document.body.dataset.ready")
    page.call("Page.reload")
    page.wait(READY)
    return busy_time(page) - before


@pytest.mark.long
def test_large_program(show: Open):
    """A program of 5,000 ops at first, and more and more later, opens at once and stays quick."""
    data = explore("gemm")
    data = repeat(data, -(-OPS // min(step["ops"] for step in data["steps"])))
    assert len(data["steps"]) >= 25
    text = make_page(data)
    assert len(text) < 125_000 * len(data["steps"])
    page = show(text)
    assert opening_time(page) < OPENING_MS

    count = "document.querySelectorAll('*').length"
    assert page.evaluate(count) < 5000

    def respond(action: str) -> float:
        """Milliseconds that a script takes, up to where its results can be seen."""
        before = busy_time(page)
        frame = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
        page.evaluate(f"(async () => {{ {action}; await {frame}; }})()")
        return busy_time(page) - before

    box = "document.querySelector('#right .scroll')"
    last = max(step["ops"] for step in data["steps"])
    actions = {
        "open the last stage": "document.querySelector('#right [data-stage=nvvm]').click()",
        "scroll to the end": f"{box}.scrollTop = 1e9",
        "scroll back": f"{box}.scrollTop = 0",
        "choose an op": "document.querySelectorAll('#right .op-row')[9].click()",
        "show a diff": "document.querySelector('#views [data-view=diff]').click()",
        "show another one": "document.querySelector('.pass[data-document=\"2\"]').click()",
        "show it side by side": "document.querySelector('#views [data-view=ir]').click()",
    }
    for name, action in actions.items():
        # Scripts that the browser has not compiled yet, for want of a processor, are slower.
        assert any(respond(action) < RESPONSE_MS for _ in range(6)), name
        assert page.evaluate(count) < 5000, name
        if name == "scroll to the end":
            assert int(page.texts("#right .row:last-child .number")[0].replace(",", "")) > last / 2
    page.click("#search")
    page.type("wgmma.mma_async")
    page.wait("document.querySelectorAll('.hit').length")
    assert page.evaluate(count) < 5000


# Parts


def test_browsers_that_cannot_unpack_say_so(show: Open):
    page = show(
        make_page(explore_text("gemm")),
        ready="document.querySelector('#loading')?.textContent.startsWith('This report cannot')",
        before="delete window.DecompressionStream",
    )
    assert page.texts("#loading") == [
        "This report cannot be shown: the browser is too old to unpack it, a newer one can"
    ]
    page.evaluate("new Promise((done) => setTimeout(done, 50))")
    assert len(page.errors) == 1
    page.errors.clear()


def test_diffs_hold_both_sides(show: Open):
    """What is there before and after can be read from a diff, and little of it is a change."""
    page = show("<!doctype html><body></body>", ready="document.body")
    source = (files("tileiras_xdsl.inspection.exploration") / "assets" / "diff.js").read_text()
    kinds = 40
    strings = json.dumps([f"op{n % kinds} %{n}" for n in range(400)])
    page.evaluate(
        f"window.diff = (() => {{ const strings = {strings}; {source}; return diffRows; }})(); 0"
    )
    random.seed(11)
    for size in (*[60] * 40, 4000, 9000):
        before = [random.randrange(400) for _ in range(random.randrange(size))]
        after = [line for line in before if random.random() < 0.9]
        gone = len(before) - len(after)
        added = random.randrange(size // 8)
        for _ in range(added):
            after.insert(random.randint(0, len(after)), random.randrange(400))
        marks = random.choice(([0] * len(before), before))
        documents = ({"lines": before, "marks": marks}, {"lines": after, "marks": [0] * len(after)})
        rows: list[dict[str, Any]] = page.evaluate(f"diff(...{json.dumps(documents)})")
        assert [row["a"] for row in rows if "a" in row] == list(range(len(before)))
        assert [row["b"] for row in rows if "b" in row] == list(range(len(after)))
        for row in rows:
            if row["kind"] == "same":
                assert before[row["a"]] % kinds == after[row["b"]] % kinds
        assert sum(row["kind"] != "same" for row in rows) <= 1.3 * (gone + added)


def test_lines_of_the_same_origin_are_shown_together(show: Open):
    """What a line was is marked in what it has become, wherever that is."""
    step = {"stage": "cuda-tile", "time_ms": 1.0, "ops": 2, "changed": True}
    data = {
        **explore("gemm"),
        "strings": ["a.module {", "  a.b <1>", "  a.b <2>", "  a.c <2>", "  a.d", "}"],
        "steps": [
            {"name": "read", **step, "lines": [0, 2, 1, 5], "marks": [[0], [1], [2], []]},
            {"name": "cse", **step, "lines": [0, 3, 5], "marks": [[0], [1], []]},
            {"name": "licm", **step, "lines": [0, 4, 4, 2, 5], "marks": [[0], [3], [3], [1], []]},
            {"name": "sink", **step, "lines": [0, 2, 4, 4, 5], "marks": [[0], [1], [3], [3], []]},
        ],
        "texts": [],
        "pictures": [],
    }
    page = show(make_page(data))
    page.click("#views [data-view=diff]")
    page.click('.pass[data-document="1"]')

    def rows() -> list[str]:
        return page.texts("#diff .row:not(.same) .sign, #diff .row:not(.same) code")

    assert rows() == ["−", "  a.b <2>", "+", "  a.c <2>", "−", "  a.b <1>"]
    assert page.texts("#diff .row.gone .differs, #diff .row.new .differs") == ["b", "c"]
    page.click('.pass[data-document="2"]')
    assert rows() == ["+", "  a.d", "+", "  a.d", "−", "  a.c <2>", "+", "  a.b <2>"]
    # What was moved is neither removed nor added.
    page.click('.pass[data-document="3"]')
    assert page.texts("#diff .caption")[0].startswith("sink: 0 lines added, 0 removed, 2 moved")
    assert rows() == ["<", "  a.d", "<", "  a.d", ">", "  a.d", ">", "  a.d"]


def test_an_op_that_uses_another_value_is_a_change(show: Open):
    """As in `s.diff`: another number of the same value is none."""
    step = {"stage": "cuda-tile", "time_ms": 1.0, "ops": 4, "changed": True}
    data = {
        **explore("gemm"),
        "strings": ["%0 = a.b", "%1 = a.c", "a.d %0", "%2 = a.b", "%3 = a.c", "a.d %3", "a.d %2"],
        "steps": [
            {"name": "read", **step, "lines": [0, 1, 2], "marks": [[0], [1], [2]]},
            {"name": "number", **step, "lines": [3, 4, 6], "marks": [[0], [1], [2]]},
            {"name": "swap", **step, "lines": [3, 4, 5], "marks": [[0], [1], [2]]},
        ],
        "texts": [],
        "pictures": [],
    }
    page = show(make_page(data))
    page.click("#views [data-view=diff]")
    page.click('.pass[data-document="1"]')
    assert page.texts("#diff .caption") == ["number changed nothing"]
    page.click('.pass[data-document="2"]')
    assert page.texts("#diff .row:not(.same) code") == ["a.d %2", "a.d %3"]
    assert page.texts("#diff .differs") == ["%2", "%3"]
