"""Attacks on `cse`: equal ops that are not the same, zeros of both signs, order, regions."""

from __future__ import annotations

import numpy as np
import pytest

from .attacks import Attack

ATTACK = Attack("cse")


def kernel(body: str) -> str:
    """A kernel that stores four floats and as many integers, `%f0` to `%f3` and `%i0` to `%i3`."""
    places = "".join(
        f"""
  %n{i} = constant <i32: {i}> : tile<i32>
  %{kind}p{i} = offset %{kind}, %n{i} : tile<ptr<{ty}>>, tile<i32> -> tile<ptr<{ty}>>
  %{kind}s{i} = store_ptr_tko weak %{kind}p{i}, %{kind}{i} : tile<ptr<{ty}>>, tile<{ty}> -> token"""
        if kind == "i"
        else f"""
  %{kind}p{i} = offset %{kind}, %n{i} : tile<ptr<{ty}>>, tile<i32> -> tile<ptr<{ty}>>
  %{kind}s{i} = store_ptr_tko weak %{kind}p{i}, %{kind}{i} : tile<ptr<{ty}>>, tile<{ty}> -> token"""
        for i in range(4)
        for kind, ty in (("i", "i32"), ("f", "f32"))
    )
    return f"""
entry @k(%p: tile<ptr<i32>>, %f: tile<ptr<f32>>, %i: tile<ptr<i32>>, %x: tile<i32>,
         %y: tile<f32>) {{
  %t0 = make_token : token
  %one = constant <i32: 1> : tile<i32>
  %zero = constant <f32: 0.0> : tile<f32>
  {body}
  {places}
  return
}}"""


INTEGERS = "\n".join(f"%i{n} = constant <i32: {n}> : tile<i32>" for n in range(4))
FLOATS = "\n".join(f"%f{n} = constant <f32: {n}.5> : tile<f32>" for n in range(4))


def old(name: str, token: str, after: str = "%t0") -> str:
    return (
        f"{name}, {token} = atomic_rmw_tko relaxed device %p, add, %one token = {after}"
        " : tile<ptr<i32>>, tile<i32> -> tile<i32>, token\n"
    )


def read(name: str, token: str, after: str, how: str = "weak") -> str:
    return (
        f"{name}, {token} = load_ptr_tko {how} %p token = {after}"
        " : tile<ptr<i32>> -> tile<i32>, token\n"
    )


BODIES = {
    "zeros": INTEGERS
    + """
  %f0 = constant <f32: 0.0> : tile<f32>
  %f1 = constant <f32: -0.0> : tile<f32>
  %f2 = subf %f1, %f0 : tile<f32>
  %f3 = subf %f0, %f1 : tile<f32>""",
    "rounding": INTEGERS
    + """
  %f0 = addf %y, %y rounding<nearest_even> : tile<f32>
  %third = constant <f32: 3.0> : tile<f32>
  %f1 = divf %y, %third rounding<zero> : tile<f32>
  %f2 = divf %y, %third rounding<positive_inf> : tile<f32>
  %f3 = divf %y, %third rounding<negative_inf> : tile<f32>""",
    "signs": FLOATS
    + """
  %i0 = shri %x, %one signed : tile<i32>
  %i1 = shri %x, %one unsigned : tile<i32>
  %i2 = divi %x, %one signed : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %i3 = remi %x, %three unsigned : tile<i32>""",
    "atomics": FLOATS
    + old("%i0", "%t1")
    + old("%i1", "%t2", "%t1")
    + read("%i2", "%t3", "%t2")
    + old("%o", "%t4", "%t3")
    + read("%i3", "%t5", "%t4"),
    "loads": FLOATS
    + read("%i0", "%t1", "%t0")
    + read("%i1", "%t2", "%t0")
    + "%t3 = join_tokens %t1, %t2 : token\n"
    + "%t4 = store_ptr_tko weak %p, %x token = %t3 : tile<ptr<i32>>, tile<i32> -> token\n"
    + read("%i2", "%t5", "%t4")
    + read("%i3", "%t6", "%t4"),
    "regions": FLOATS
    + "%iota = iota : tile<4xi32>\n"
    + "".join(
        f"""
  %i{n} = reduce %iota dim=0 identities=[{identity} : i32] : tile<4xi32> -> tile<i32>
    (%a: tile<i32>, %b: tile<i32>) {{
      %c = {op} %a, %b {sign} : tile<i32>
      yield %c : tile<i32>
    }}"""
        for n, (op, sign, identity) in enumerate(
            (("addi", "", 0), ("muli", "", 1), ("maxi", "signed", -9), ("maxi", "unsigned", 0))
        )
    ),
    "prints": INTEGERS + FLOATS + '\nprint_tko "a" -> token\nprint_tko "a" -> token\n',
}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str):
    inputs = [
        [np.full(1, 5, np.int32), np.zeros(4, np.float32), np.zeros(4, np.int32), x, y]
        for x, y in ((-7, 1.1), (2**31 - 1, -0.0))
    ]
    ATTACK.but(fires=None, then=("tileas", "nvgpu")).run(kernel(BODIES[name]), inputs)


def test_fires():
    body = INTEGERS + FLOATS + "\n%s0 = addi %x, %x : tile<i32>\n%s1 = addi %x, %x : tile<i32>\n"
    body += 'print_tko "%i %i", %s0, %s1 : tile<i32>, tile<i32> -> token\n'
    inputs = [[np.zeros(1, np.int32), np.zeros(4, np.float32), np.zeros(4, np.int32), 3, 1.0]]
    ATTACK.but(prepare=False, fires=None).run(kernel(body), inputs)
    after = ATTACK.but(prepare=False).run(kernel(body), inputs)
    assert sum(op.name == "cuda_tile.addi" for op in after.walk()) == 1


def test_constants_with_zeros_of_both_signs():
    text = """
entry @k(%o: tile<ptr<f32>>) {
  %v = constant <f32: [0.0, -0.0, -0.0, 0.0]> : tile<4xf32>
  %i = iota : tile<4xi32>
  %p0 = reshape %o : tile<ptr<f32>> -> tile<1xptr<f32>>
  %p = broadcast %p0 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %q = offset %p, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %t = store_ptr_tko weak %q, %v : tile<4xptr<f32>>, tile<4xf32> -> token
  return
}"""
    ATTACK.but(fires=None, then=("tileas", "nvgpu")).run(text, [[np.full(4, 7, np.float32)]])
