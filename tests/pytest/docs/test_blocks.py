"""The blocks of pages do what the pages say; see `tests/pytest/harness/pages.py`."""

import os
from collections.abc import Callable
from pathlib import Path
from select import select
from types import ModuleType

import pytest
from tests.pytest.harness.pages import (
    NOT_RUN,
    ROOT,
    blocks_of,
    find_pages,
    ir_problems,
    language_problems,
    matches,
    run_page,
    source_problems,
)

PAGES = find_pages()
QUICK = ("CONTRIBUTING.md", "upstream.md")
"""Pages whose blocks run in `make test`, which takes a moment; the others in `make more`."""


def has_commands(page: Path) -> bool:
    return any(block.language in ("python", "pycon", "console") for block in blocks_of(page))


def cases() -> list[object]:
    """A case for each page on which something runs."""
    return [
        pytest.param(
            page,
            id=page.relative_to(ROOT).as_posix(),
            marks=[] if page.name in QUICK else [pytest.mark.part("docs")],
        )
        for page in filter(has_commands, PAGES)
    ]


@pytest.mark.parametrize("page", cases())
def test_blocks_run(page: Path, oracle_module: Callable[[str], ModuleType]):
    if "import cuda.tile" in page.read_text(encoding="utf-8"):
        oracle_module("cuda.tile")
    assert run_page(page) == ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_hold(page: Path):
    """Without running them: IR verifies, and code of the repository is what it shows."""
    assert [*language_problems(page), *source_problems(page), *ir_problems(page)] == []


PAGE = """
<!-- files: src/tileiras_xdsl/driver/demos/vector_add.mlir copy.mlir=docs/images/gemm.mlir -->
<!-- setup:
one = 1
-->

```python
two = one + 1
```

1. In a list:

   ```pycon
   >>> print(two, "or more")
   2 …
   >>> two
   3
   >>> no
   NameError: name 'no' is not defined
   >>> "nothing is shown"
   ```

<!-- not run: needs a GPU -->
```python
1 / 0
```

<!-- file: mine.py -->
```python
three = 3
```

```python
from mine import three

two / 0
```

```console
$ WORD=$(ls copy.mlir \\
  vector_add.mlir)
$ echo a "$WORD"   # a comment
a copy.mlir vector_add.…
$ echo error: no; false
error: …
$ make everything
$ false
$ echo b
c
```

<!-- from: pyproject.toml -->
```toml
[project]
version = "0.0"
```

<!-- from: tests/pytest/docs/test_blocks.py -->
```python
def matches(
```

```rust
```
"""


def test_what_is_noticed(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    problems = run_page(page)
    assert [line for line in problems.splitlines() if line.startswith("page.md:")] == [
        "page.md:14: two",
        'page.md:14: "nothing is shown"',
        "page.md:34: Traceback (most recent call last):",
        "page.md:40: false",
        "page.md:40: echo b",
    ]
    assert run_page(page, gpu=True).count("page.md:") == 6
    assert list(source_problems(page)) == ["page.md:54: not in pyproject.toml"]
    assert list(language_problems(page)) == ["page.md:64: language 'rust'"]


@pytest.mark.parametrize(
    "command",
    [
        "make all",
        "true; pip uninstall -y some",
        "cd x && git push",
        "python -m pip install some",
        ".venv/bin/pip install some",
        "(rm -rf some)",
    ],
)
def test_commands_that_change_the_environment(command: str):
    assert NOT_RUN.search(command)


HOME_PAGE = """
```python
import os, tempfile
from pathlib import Path

places = [os.environ[name] for name in ("XDG_CACHE_HOME", "XDG_RUNTIME_DIR")]
for place in (*places, Path.home(), tempfile.gettempdir()):
    assert Path(place).is_relative_to(Path.cwd())
assert "TILEIRAS_XDSL_CACHE_DIR" not in os.environ
```

```console
$ for place in ~ $TMPDIR $XDG_CACHE_HOME $XDG_RUNTIME_DIR; do echo ${place#$PWD/}; done
.home .tmp .home/.cache .run
$ echo format $TILEIRAS_XDSL_CACHE_DIR; echo git
format
git
```
"""


def test_a_page_does_not_see_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE_DIR", str(tmp_path))
    page = tmp_path / "page.md"
    page.write_text(HOME_PAGE)
    assert run_page(page) == ""


def test_a_page_that_ends_its_process(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("```python\nimport os\n\nos._exit(3)\n```\n")
    assert run_page(page) == "page.md ends its process\n"
    page.write_text('```python\nimport sys\n\nprint("logged", file=sys.stderr)\n```\n')
    assert run_page(page) == ""


def test_a_page_ends_when_time_is_up(tmp_path: Path):
    """With all that it has started: the pipe that is read here stays open until that has ended."""
    page, pipe = tmp_path / "page.md", tmp_path / "pipe"
    os.mkfifo(pipe)
    page.write_text(f"```console\n$ (echo on; sleep 600) > {pipe} & sleep 600\n```\n")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run_page(page, seconds=6) == "page.md takes more than 6 seconds\n"
        for expected in (b"on\n", b""):
            # What was killed ends a moment later.
            assert select([reader], [], [], 60)[0], "it still runs"
            assert os.read(reader, 3) == expected
    finally:
        os.close(reader)


def test_wildcards():
    assert matches("a …\nb", "a  c\n  d b\n")
    assert not matches("a …\nb", "a c\n")
    assert not matches("a.c", "abc")
