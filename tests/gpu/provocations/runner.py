"""
Runs the cases of a bundle: in processes that may hang, or under the compute sanitizer.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

from .bundle import INDEX, use_launcher
from .cases import CASES, Bench, Case, Outcome
from .gpu import Gpu

SCRIPT = Path(__file__).parents[1] / "provoke.py"
START, FIRST, RESULT = "@start ", "@first ", "@result "
"""How the lines of a process begin that runs cases."""
READY_LIMIT = 60.0
"""Seconds that a process may take until its first case."""
BAD = ("WRONG", "hung", "failed")
REPORTS = (
    r"========= (?:.*\b(?:Error|Warning|Invalid|[Hh]azard|Barrier error|Uninitialized|Program hit))"
)
"""How the sanitizer begins what it has to say about an access."""


def name_of(case: Case, abi: str) -> str:
    """A case for one ABI."""
    return f"{case.name}.{abi}"


def select(pattern: str) -> dict[str, tuple[Case, str]]:
    """The cases whose name, or the number of the defect, matches."""
    chosen: dict[str, tuple[Case, str]] = {}
    for case in CASES:
        for abi in case.abis:
            if re.search(pattern, name_of(case, abi)) or pattern == case.defect:
                chosen[name_of(case, abi)] = case, abi
    return chosen


def refusals(folder: Path) -> dict[str, str]:
    """The kernels that the compiler refused, and why."""
    index = json.loads((folder / INDEX).read_text())
    return {name: each["refused"] for name, each in index.items() if "refused" in each}


def state_of(outcome: Outcome) -> str:
    """What became of a case, in a word."""
    if outcome.wrong_rounds:
        return "WRONG"
    return "refused" if outcome.refused else "ok"


def work(folder: Path, names: list[str], rounds: int, *, serial: bool) -> int:
    """Runs cases in this process, and prints what becomes of each; stops at the first error."""
    use_launcher(folder)
    # A kernel that waits for another one would wait forever if that was loaded only when launched.
    os.environ["CUDA_MODULE_LOADING"] = "EAGER"
    from tileiras_xdsl.backend.driver import CudaError, load_library
    from tileiras_xdsl.backend.errors import BackendError

    library = load_library()
    gpus: dict[str, Gpu] = {}
    cases = select(".")
    for name in names:
        case, abi = cases[name]
        if abi not in gpus:
            gpus[abi] = Gpu(library, folder, abi)
        for kernel in case.kernels:
            gpus[abi].kernel(kernel)
        bench = Bench(gpus[abi], rounds or case.rounds, serial)
        bench.outcome.tell = lambda text: print(FIRST + text, flush=True)
        print(START + name, flush=True)
        begin, failed = time.perf_counter(), ""
        try:
            case.run(bench)
        except (CudaError, RuntimeError) as error:
            failed = str(error)
        except BackendError as error:
            bench.outcome.refused = str(error)
        outcome = bench.outcome
        report = {
            "state": "failed" if failed else state_of(outcome),
            "seconds": round(time.perf_counter() - begin, 2),
            "rounds": outcome.rounds,
            "wrong_rounds": outcome.wrong_rounds,
            "wrong_elements": outcome.wrong_elements,
            "first": failed or outcome.first,
            "refused": outcome.refused,
        }
        print(RESULT + json.dumps({"name": name, **report}), flush=True)
        if failed:
            # The context is lost, and its end may fail too.
            sys.stdout.flush()
            os._exit(1)
    return 0


def worker_command(folder: Path, names: list[str], rounds: int, *, serial: bool) -> list[str]:
    """Runs cases in another process."""
    command = [sys.executable, str(SCRIPT), "work", str(folder), ",".join(names)]
    return command + ["--rounds", str(rounds)] + (["--serial"] if serial else [])


def read_lines(process: subprocess.Popen[str], lines: Queue[str | None]) -> None:
    """Passes on what a process prints; `None` at its end."""
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line.rstrip("\n"))
    lines.put(None)


def attempt(folder: Path, names: list[str], rounds: int) -> Iterator[dict[str, Any]]:
    """Runs cases until one hangs or fails."""
    limits = {name: case.limit for name, (case, _) in select(".").items()}
    command = worker_command(folder, names, rounds, serial=False)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    lines: Queue[str | None] = Queue()
    reader = Thread(target=read_lines, args=(process, lines), daemon=True)
    reader.start()
    current, limit, first, rest = names[0], READY_LIMIT, "", ""
    try:
        while True:
            line = lines.get(timeout=limit)
            if line is None:
                if current:
                    yield {"name": current, "state": "failed", "first": rest[-300:] or "it ended"}
                return
            if line.startswith(START):
                current = line.removeprefix(START)
                limit, first = limits[current], ""
            elif line.startswith(FIRST):
                first = f"; {line.removeprefix(FIRST)}"
            elif line.startswith(RESULT):
                current, limit = "", READY_LIMIT
                yield json.loads(line.removeprefix(RESULT))
            else:
                rest += f"{line} "
    except Empty:
        yield {"name": current, "state": "hung", "first": f"no end after {limit:.0f} s{first}"}
    finally:
        process.kill()
        reader.join()
        process.communicate()


def print_row(defect: str, name: str, report: dict[str, Any]) -> None:
    """A line of the table."""
    counts = [report.get(key, "") for key in ("rounds", "wrong_rounds", "wrong_elements")]
    case, abi = name.rsplit(".", 1)
    text = report.get("first") or report.get("refused") or ""
    print(
        f"{defect:>3} {case:20} {abi:11} {report['state']:8} {counts[0]:>6} {counts[1]:>6} "
        f"{counts[2]:>10} {report.get('seconds', ''):>6} {text[:110]}",
        flush=True,
    )


def run(folder: Path, pattern: str, rounds: int) -> int:
    """Runs all cases, prints a table, and says whether something was wrong."""
    cases, refused = select(pattern), refusals(folder)
    reports: dict[str, dict[str, Any]] = {}
    print(f"{folder}: defect, case, abi, state, rounds, wrong, elements, seconds")
    for name, (case, abi) in cases.items():
        missing = [each for each in case.kernels if f"{each}.{abi}" in refused]
        if missing:
            reports[name] = {"state": "refused", "refused": refused[f"{missing[0]}.{abi}"]}
            print_row(case.defect, name, reports[name])
    while names := [name for name in cases if name not in reports]:
        for report in attempt(folder, names, rounds):
            name = report.pop("name")
            reports[name] = report
            print_row(cases[name][0].defect, name, report)
    wrong = [name for name, report in reports.items() if report["state"] in BAD]
    print(f"{folder}: {len(reports) - len(wrong)} of {len(reports)} are not wrong")
    save(folder, "run", json.dumps(reports, indent=1))
    return 1 if wrong else 0


def save(folder: Path, what: str, text: str) -> None:
    """Keeps results where they are brought back from, or in the folder."""
    target = Path(os.environ.get("OUT") or folder)
    suffix = "json" if text.startswith("{") else "log"
    (target / f"provoke-{folder.resolve().name}-{what}.{suffix}").write_text(text)


def check(folder: Path, tool: str, pattern: str, rounds: int, limit: float) -> int:
    """Runs all cases under a tool of the sanitizer, one after the other, and counts reports."""
    refused = refusals(folder)
    names = [
        name
        for name, (case, abi) in select(pattern).items()
        if not any(f"{each}.{abi}" in refused for each in case.kernels)
    ]
    worker = worker_command(folder, names, rounds or 1, serial=True)
    command = ["compute-sanitizer", "--tool", tool]
    if tool == "memcheck":
        command += ["--destroy-on-device-error", "kernel"]
    process = subprocess.Popen(
        command + worker,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output = process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        # The tool does not end with what it runs, nor that with the tool.
        os.killpg(process.pid, signal.SIGKILL)
        output = process.communicate()[0] + f"\n@timeout after {limit:.0f} s\n"
    save(folder, tool, output)
    return summarize(names, output)


def summarize(names: list[str], output: str) -> int:
    """Prints what a tool reported about each case; whether that is anything."""
    current, reports = "", {name: list[str]() for name in ["", *names]}
    states: dict[str, dict[str, Any]] = {}
    for line in output.splitlines():
        if line.startswith(START):
            current = line.removeprefix(START)
        elif line.startswith(RESULT):
            report = json.loads(line.removeprefix(RESULT))
            states[report.pop("name")] = report
        elif re.match(r"========= \S* ?SUMMARY|@timeout", line):
            print(line)
        elif re.match(REPORTS, line):
            reports[current].append(line.removeprefix("=========").strip())
    bad = False
    for name, texts in reports.items():
        report = states.get(name, {"state": "not run" if name else "outside of cases"})
        is_bad = bool(texts) or report["state"] in (*BAD, "not run")
        bad |= is_bad
        if is_bad:
            print(f"{name:32} {report['state']:8} {len(texts):>5} reports; {texts[:1]}")
    print(f"{len(states)} of {len(names)} cases ran")
    return 1 if bad else 0
