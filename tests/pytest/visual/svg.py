"""What tests ask of pictures."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from tileiras_xdsl.inspection.visual.picture import STYLE, Picture

SPACE = "{http://www.w3.org/2000/svg}"
CLASSES = frozenset(re.findall(r"\.([a-z][a-z0-9-]*)", STYLE))
LARGEST = 100_000


def tree_of(picture: Picture) -> ElementTree.Element:
    """The tree of a picture that a browser can show on its own, whatever else is on its page."""
    root = ElementTree.fromstring(picture.svg)
    assert root.tag == f"{SPACE}svg"
    assert len(picture.svg) < LARGEST
    title = root.find(f"{SPACE}title")
    assert title is not None
    assert title.text == picture.title
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for element in root.iter():
        assert "id" not in element.attrib, "names may clash with those of other pictures"
        assert not any("href" in name or "style" in name for name in element.attrib)
        assert set(element.attrib.get("class", "").split()) <= CLASSES
        if element.tag == f"{SPACE}text":
            assert 0 <= float(element.attrib["x"]) <= width
            assert 0 <= float(element.attrib["y"]) <= height
        if element.tag == f"{SPACE}path":
            x, y = re.findall(r"^M([\d.]+) ([\d.]+)", element.attrib["d"])[0]
            assert float(x) <= width
            assert float(y) <= height
    for rule in STYLE.splitlines():
        assert ".tx-picture" in rule, "rules must not reach what is around a picture"
    return root


def tips(picture: Picture) -> list[str]:
    """The texts of all tooltips."""
    titles = tree_of(picture).iterfind(f".//{SPACE}g/{SPACE}title")
    return [title.text or "" for title in titles]


def texts(picture: Picture) -> list[str]:
    """All that can be read without pointing at something."""
    return [text.text or "" for text in tree_of(picture).iter(f"{SPACE}text")]
