"""CTAs spread over processes do what they do in one; a bar shows how far a run is."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError, Uninitialized
from tileiras_xdsl.interpreter.output import ProgressBar
from tileiras_xdsl.interpreter.run import run

from .launching import add_of, kernel, levels_of, load_of, moved, store_of, use_of

I32 = np.int32

OWN = "%four = constant <i32: 4> : tile<i32>\n%x4 = muli %x, %four : tile<i32>\n" + moved(
    "q", "%x4"
)
FILL = kernel(
    OWN
    + """
      %xr = reshape %x : tile<i32> -> tile<1xi32>
      %xb = broadcast %xr : tile<1xi32> -> tile<4xi32>
    """
    + store_of("s", "%t0", "%xb", "%q")
)


@pytest.mark.part("processes")
@pytest.mark.every(3, first=2)
@pytest.mark.parametrize("processes", [2, 3, 8])
def test_every_cta_runs(processes: int) -> None:
    for module in levels_of(FILL):
        data = np.full(4 * 50, -1, I32)
        run(module, grid=50, args=[data], processes=processes)
        assert (data == np.repeat(np.arange(50), 4)).all()


def test_more_processes_than_ctas() -> None:
    data = np.full(4, -1, I32)
    run(FILL, grid=1, args=[data], processes=4)
    assert not data.any()


@pytest.mark.part("kernels")
def test_atomics_stay_atomic() -> None:
    """More than one lane and CTA count in the same place; each sees another number."""
    body = (
        """
      %many = constant <i32: 300> : tile<i32>
      %same = reshape %row : tile<1xptr<i32>> -> tile<1xptr<i32>>
      %all4 = broadcast %same : tile<1xptr<i32>> -> tile<4xptr<i32>>
      for %i in (%zero to %many, step %one) : tile<i32> {
    """
        + add_of("r", "%t0", "%all4")
        + "}\n"
    )
    data = np.zeros(4, I32)
    run(kernel(body), grid=16, args=[data], processes=4)
    assert data.tolist() == [16 * 300 * 4, 0, 0, 0]


def test_arguments_that_alias() -> None:
    text = kernel(
        """
        %br = reshape %b : tile<ptr<i32>> -> tile<1xptr<i32>>
        %bb = broadcast %br : tile<1xptr<i32>> -> tile<4xptr<i32>>
        %bp = offset %bb, %lanes : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
        """
        + store_of("s", "%t0")
        + load_of("v", "%s_t", "%bp")
        + store_of("u", "%v_t", "%v", "%p"),
        "%a: tile<ptr<i32>>, %b: tile<ptr<i32>>",
    )
    expected, actual = np.arange(9, dtype=I32), np.arange(9, dtype=I32)
    run(text, grid=1, args=[expected[2:], expected[:6]])
    run(text, grid=1, args=[actual[2:], actual[:6]], processes=2)
    assert actual.tolist() == expected.tolist() == [0, 1, 0, 1, 0, 1, 6, 7, 8]


def test_strided_array() -> None:
    """What lies between the elements stays."""
    whole = np.arange(8 * 50, dtype=I32).reshape(-1, 8)
    before = whole.copy()
    run(kernel(store_of("s", "%t0")), grid=3, args=[whole[5:7, 2:]], processes=2)
    before[5, 2:6] = [0, 1, 2, 3]
    assert (whole == before).all()


def test_globals_are_shared() -> None:
    text = """
    global @total <i32: [0, 0]> : tile<2xi32>
    entry @k(%a: tile<ptr<i32>>) {
      %one = constant <i32: 1> : tile<i32>
      %g = get_global @total : tile<ptr<i32>>
      %o, %t1 = atomic_rmw_tko relaxed device %g, add, %one
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %p = offset %a, %o : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %t2 = store_ptr_tko weak %p, %one token=%t1 : tile<ptr<i32>>, tile<i32> -> token
      return
    }
    """
    data = np.zeros(40, I32)
    run(text, grid=40, args=[data], processes=4)
    assert data.all()


PRINT = kernel('print_tko "CTA %d\\0A", %x : tile<i32> -> token')


def printed(**options: Any) -> str:
    with redirect_stdout(io.StringIO()) as output:
        run(PRINT, grid=100, args=[np.zeros(4, I32)], **options)
    return output.getvalue()


def test_prints_come_in_the_order_of_ctas() -> None:
    assert printed(processes=3) == "".join(f"CTA {number}\n" for number in range(100))
    assert printed(processes=3, seed=4) == printed(seed=4)


FAILS = kernel(
    OWN
    + """
      print_tko "CTA %d\\0A", %x : tile<i32> -> token
      %limit = constant <i32: 20> : tile<i32>
      %c = cmpi less_than %x, %limit, signed : tile<i32> -> tile<i1>
      assert %c, "few CTAs" : tile<i1> loc("k.py":3:4)
    """
    + store_of("s", "%t0", pointers="%q", line=8)
)


def test_error_of_a_process() -> None:
    for module in levels_of(FAILS):
        errors: list[ExecutionError] = []
        outputs: list[str] = []
        for processes in (1, 3):
            with redirect_stdout(io.StringIO()) as output, pytest.raises(ExecutionError) as caught:
                run(module, grid=60, args=[np.zeros(240, I32)], processes=processes)
            errors.append(caught.value)
            outputs.append(output.getvalue())
        assert str(errors[0]) == str(errors[1])
        assert "few CTAs" in str(errors[0])
        assert errors[0].op is errors[1].op
        assert errors[1].op is not None
        assert errors[1].cta == (20, 0, 0)
        assert outputs[0] == outputs[1]


def test_checks_in_processes() -> None:
    with pytest.raises(ExecutionError) as caught:
        run(FILL, grid=12, args=[np.zeros(40, I32)], processes=2, check=["bounds"])
    assert caught.value.cta == (10, 0, 0)
    assert caught.value.lane == (0,)
    assert "reach 4 bytes past the end of 'a' (160 bytes)" in str(caught.value)


def test_uninitialized_memory_is_shared() -> None:
    """What one process writes, another may read."""
    data = np.zeros(4 * 12, I32)
    run(FILL, grid=12, args=[Uninitialized(data)], processes=3, check=["uninitialized"])
    with pytest.raises(ExecutionError, match="has not been written"):
        run(
            kernel(load_of("v", "%t0") + use_of("v")),
            grid=4,
            args=[Uninitialized(data)],
            processes=2,
            check=["uninitialized"],
        )


def spin(flag: str) -> str:
    """Waits until a flag is not zero."""
    return f"""
      loop {{
        %seen, %seen_t = load_ptr_tko acquire device {flag} token=%t0
          : tile<ptr<i32>> -> tile<i32>, token
        %set = cmpi not_equal %seen, %zero, signed : tile<i32> -> tile<i1>
        if %set {{
          break
        }}
        continue
      }}
    """


def raise_flag(flag: str, token: str) -> str:
    return f"""
      %r_t = store_ptr_tko release device {flag}, %one token={token}
        : tile<ptr<i32>>, tile<i32> -> token
    """


def test_processes_run_side_by_side() -> None:
    """Each of two CTAs waits for the other; what one has written, the other may read."""
    text = kernel(
        f"""
      %flag = offset %f, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
      if %first {{
        {store_of("s", "%t0")}
        {raise_flag("%f", "%s_t")}
        {spin("%flag")}
      }} else {{
        {spin("%f")}
        {load_of("v", "%t0")}
        {add_of("w", "%v_t")}
        {raise_flag("%flag", "%w_t")}
      }}
    """,
        "%a: tile<ptr<i32>>, %f: tile<ptr<i32>>",
    )
    for module in levels_of(text):
        data, flags = np.zeros(4, I32), np.zeros(2, I32)
        args = [Uninitialized(data), flags]
        run(module, grid=2, args=args, processes=2, check=["uninitialized", "bounds"])
        assert data.tolist() == [1, 2, 3, 4]
        assert flags.tolist() == [1, 1]


def test_error_while_another_cta_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first CTA waits for one that fails."""
    monkeypatch.setattr("tileiras_xdsl.interpreter.processes.PATIENCE", 0.1)
    text = kernel(
        f"""
      %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
      if %first {{
        {spin("%a")}
      }} else {{
        assert %first, "only one CTA" : tile<i1>
      }}
    """
    )
    with pytest.raises(ExecutionError, match=r"only one CTA \(CTA \(1, 0, 0\)\)"):
        run(text, grid=2, args=[np.zeros(4, I32)], processes=2)


def test_races_need_one_process() -> None:
    with pytest.raises(ExecutionError) as caught:
        run(FILL, grid=2, args=[np.zeros(8, I32)], processes=2, check=True)
    assert str(caught.value) == ("races are found only with processes=1, which sees all accesses")


def test_number_of_processes() -> None:
    with pytest.raises(ExecutionError, match="expected at least one process, but got 0"):
        run(FILL, grid=2, args=[np.zeros(8, I32)], processes=0)


def test_process_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    from tileiras_xdsl.interpreter import run as module

    def leave(*_: object) -> None:
        os._exit(3)

    monkeypatch.setattr(module, "run_cta", leave)
    with pytest.raises(ExecutionError, match="a process ended while it ran CTAs, with code 3"):
        run(FILL, grid=4, args=[np.zeros(16, I32)], processes=2)


# Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("processes", [1, 2])
def test_bar(processes: int) -> None:
    with redirect_stderr(io.StringIO()) as output:
        run(FILL, grid=8, args=[np.zeros(32, I32)], progress=True, processes=processes)
    text = output.getvalue()
    assert text.endswith(f"\r[{'#' * 40}] 8/8 CTAs, 0 s left \n")


def test_no_bar() -> None:
    for stream, wanted in ((Terminal(), None), (Terminal(), False), (io.StringIO(), None)):
        with redirect_stderr(stream):
            run(FILL, grid=8, args=[np.zeros(32, I32)], progress=wanted)
        assert stream.getvalue() == ""


def test_bar_of_a_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    for stream, shows in ((Terminal(), True), (io.StringIO(), False)):
        with redirect_stderr(stream):
            now = 0.0
            bar = ProgressBar(10, None)
            bar.advance()
            assert stream.getvalue() == ""
            now = 2.0
            bar.advance(4)
            assert ("5/10 CTAs, 2 s left" in stream.getvalue()) == shows
            bar.finish()
            assert stream.getvalue().endswith("\r\x1b[K") == shows


def test_bar_goes_away_after_an_error() -> None:
    module = load(FAILS)
    with redirect_stderr(Terminal()) as output, redirect_stdout(io.StringIO()):
        with pytest.raises(ExecutionError):
            run(module, grid=60, args=[np.zeros(240, I32)], progress=True)
    assert output.getvalue().endswith("\r\x1b[K")
