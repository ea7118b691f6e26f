"""Proves all rules, prints the table, and writes it to docs/reference/proofs.md with `--write`."""

from __future__ import annotations

import argparse

from .table import DOCS, PARTS, START, format_table, make_table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/reference/proofs.md")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    arguments = parser.parse_args()
    table = make_table(arguments.parts or PARTS)
    text = format_table(table)
    print(text)
    if arguments.write:
        head, _, _ = DOCS.read_text().partition(START)
        DOCS.write_text(f"{head}{START}\n\n{text}")
    return int(any(row.answers["refuted"] for row in table.rows.values()))


if __name__ == "__main__":
    raise SystemExit(main())
