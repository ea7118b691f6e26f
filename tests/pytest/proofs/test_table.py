"""docs/reference/proofs.md has all rules."""

from __future__ import annotations

import re

from .table import DOCS, START, known_rules


def test_every_rule_is_in_the_docs():
    """`make prove` writes the table."""
    _, _, table = DOCS.read_text().partition(START)
    assert "**wrong**" not in table
    listed = set(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE))
    assert known_rules() <= listed, f"missing: {known_rules() - listed}"
