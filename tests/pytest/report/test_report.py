"""The text of reports; what browsers make of it is in `test_browser`."""

import json
import re
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from importlib.resources import files
from itertools import accumulate
from typing import Any

from tileiras_xdsl.inspection.exploration import compare
from tileiras_xdsl.inspection.exploration.report import SCRIPTS, make_frame, make_page, pack

DATA: dict[str, Any] = {
    "title": 'a < b & "c"',
    "options": {"gpu": "sm_90", "opt": 3},
    "error": None,
    "strings": ["module {", "  </script>", "}", "  %0 = f.g ü"],
    "steps": [
        {
            "name": "read",
            "stage": "cuda-tile",
            "time_ms": 1.5,
            "ops": 2,
            "changed": True,
            "lines": [0, 1, 3, 2],
            "marks": [[0], [], [1, 2], []],
        },
        {
            "name": "cse",
            "stage": "cuda-tile",
            "time_ms": 0.5,
            "ops": 2,
            "changed": False,
            "same_as": 0,
        },
    ],
    "texts": [{"name": "ptx", "lines": [2, 2], "marks": [[1, 2], []]}],
    "pictures": [{"title": "t", "kind": "layout", "step": 0, "marks": [1], "svg": "<svg/>"}],
}


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the texts in scripts."""

    def __init__(self, page: str):
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.in_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.in_script = tag == "script"
        if self.in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False

    def handle_data(self, data: str) -> None:
        if self.in_script:
            self.scripts[-1] += data


def unpack(packed: str) -> dict[str, Any]:
    return json.loads(zlib.decompress(b64decode(packed)))


def test_packed_data_is_the_same():
    packed = unpack(pack(DATA))
    assert packed["strings"].split("\n") == DATA["strings"]
    for name in ("options", "error", "pictures"):
        assert packed[name] == DATA[name]
    for kind in ("steps", "texts"):
        for document, original in zip(packed[kind], DATA[kind], strict=True):
            assert document.keys() == original.keys()
            if "lines" in original:
                lines: list[int] = document["lines"]
                assert list(accumulate(lines)) == original["lines"]
                numbers: list[int] = document["marks"]
                marks = [packed["sets"][number] for number in accumulate(numbers)]
                assert marks == original["marks"]


def test_marks_are_said_once():
    assert unpack(pack(DATA))["sets"] == [[], [0], [1, 2]]


def test_texts_need_no_marks():
    data = {**DATA, "texts": [{"name": "ptx", "lines": [2, 2]}]}
    assert unpack(pack(data))["texts"][0]["marks"] == [0, 0]


def test_page_is_made_of_one_script_and_the_data():
    page = Elements(make_page(DATA))
    data, script = page.scripts
    assert unpack(data)["strings"].split("\n") == DATA["strings"]
    assets = files("tileiras_xdsl.inspection.exploration") / "assets"
    assert all((assets / name).read_text() in script for name in SCRIPTS)


def test_all_scripts_are_used():
    assets = files("tileiras_xdsl.inspection.exploration") / "assets"
    scripts = {each.name for each in assets.iterdir() if each.name.endswith(".js")}
    assert scripts == {*SCRIPTS, *compare.SCRIPTS}


def test_page_refers_to_nothing():
    page = make_page(DATA)
    for tag, attributes in Elements(page).found:
        assert not {"src", "href", "action", "data"} & attributes.keys(), tag
        assert tag not in ("link", "base", "img", "object", "embed")
    assert not re.search(r"https?://|@import|url\(|fetch\(|XMLHttp|WebSocket|import\(", page)


def test_nothing_but_the_script_may_run():
    page = Elements(make_page(DATA))
    digest = b64encode(sha256(page.scripts[1].encode()).digest()).decode()
    (policy,) = (
        attributes["content"]
        for _, attributes in page.found
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}';" in policy


def test_titles_are_escaped():
    page = make_page(DATA)
    assert page.count("a &lt; b &amp; &quot;c&quot;") == 2
    assert 'a < b & "c"' not in page


def test_frame_holds_the_page():
    ((style, _), (tag, attributes)) = Elements(make_frame(DATA, height=300)).found
    assert (style, tag) == ("style", "iframe")
    assert attributes["srcdoc"] == make_page(DATA)
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["title"] == unescape("a &lt; b &amp; &quot;c&quot;")
    assert "height: 300px" in str(attributes["style"])
