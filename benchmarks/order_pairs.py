"""
Runs the programs of all pairs of ops in which one must not overtake the other, after every pass.

    python benchmarks/order_pairs.py [--of all|tiles|products] [--every 1] [--first 0]
        [--match TEXT] [--text]

Prints each pair with something wrong, and a report: how many pairs there are, whether their order
can be seen (`ordered`), cannot (`free`), or the program races as it is written (`undefined`, with
the reasons); which passes moved an op of how many pairs, and which did nothing to any program. The
exit code is 1 if something was wrong.

`--every` takes one pair of so many, from the one on that `--first` says; `--match` those whose
name contains a text, and `--text` prints their programs. All pairs take about 45 minutes of
processor time: 18 470 of tiles a tenth of a second each, 2 738 products half a second.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.fuzz.order_pair_runs import AnyPair, Report, examine_pair, write
from tests.pytest.strategies.order_gemms import GemmPair, all_gemm_pairs
from tests.pytest.strategies.order_kinds import WITHOUT_ORDER
from tests.pytest.strategies.order_pairs import all_pairs

from tileiras_xdsl.pipeline import PIPELINE


def select(options: argparse.Namespace) -> list[AnyPair]:
    """The pairs that options ask for."""
    found: list[AnyPair] = list(
        chain(
            all_pairs() if options.of != "products" else (),
            all_gemm_pairs() if options.of != "tiles" else (),
        )
    )
    if options.match is not None:
        return [pair for pair in found if options.match in str(pair)]
    return found[options.first :: options.every]


def place_of(pair: AnyPair) -> str:
    return f"product, {pair.where}" if isinstance(pair, GemmPair) else pair.place


def reason_of(report: Report) -> str:
    """Why nothing is known of a pair, without names and numbers."""
    reason = report.reason.partition(" op ")[2] or report.reason
    reason = re.sub(r"byte \d+|'\w+'|<text>:\d+:\d+|\(CTA.*|while .*|of CTA .*", "…", reason)
    return re.sub(r"(… ?)+", "… ", reason).strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of", choices=("all", "tiles", "products"), default="all")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--match")
    parser.add_argument("--text", action="store_true")
    options = parser.parse_args()
    pairs = select(options)
    verdicts = Counter[tuple[str, str, str]]()
    moved = Counter[tuple[str, str, str]]()
    reasons = Counter[tuple[str, str]]()
    changed = Counter[str]()
    wrong = runs = 0
    for pair in pairs:
        report = examine_pair(pair)
        runs += report.runs
        verdicts[place_of(pair), pair.story, report.verdict] += 1
        moved.update({(name, how, report.verdict) for name, how in report.moved})
        changed.update(set(report.changed))
        if report.reason:
            reasons[pair.story, reason_of(report)] += 1
        if report.is_wrong:
            wrong += 1
            print(report, flush=True)
        if options.text:
            print(f"// {report}\n{write(pair).text}")
    print(f"{len(pairs)} pairs, {runs} runs after passes, {wrong} pairs with something wrong")
    for (place, story, verdict), count in sorted(verdicts.items()):
        print(f"  {place:20}{story:16}{verdict:12}{count:6}")
    print("passes that moved an op of a pair:")
    for (name, how, verdict), count in sorted(moved.items()):
        print(f"  {name:36}{how:14}{verdict:12}{count:6}")
    idle = dict.fromkeys(step.name for step in PIPELINE if step.name not in changed)
    print(f"passes that did nothing to any program: {', '.join(idle)}")
    print("pairs of which nothing is known:")
    for (story, reason), count in reasons.most_common():
        print(f"  {count:6} {story}: {reason}")
    for op, reason in WITHOUT_ORDER.items():
        print(f"         {op}: {reason}")
    print(f"{time.process_time():.0f} s of processor time")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
