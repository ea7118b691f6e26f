"""Attacks on `hoist-views`: tensors in loops and branches, of sizes that are wrong elsewhere."""

import pytest

from .attacks import Attack
from .square_products import T, arguments, kernel, load, loop, store

ATTACK = Attack("hoist-views", then=("tileas", "nvgpu"))


def sized(name: str, rows: str) -> str:
    """A view of a tensor with some rows, with zeros outside."""
    tensor = "tensor_view<?x16xf32, strides=[16,1]>"
    return (
        f"{name}m = make_tensor_view %p, shape = [{rows}, 16], strides = [16, 1] "
        f": tile<i32> -> {tensor}\n"
        f"{name} = make_partition_view {name}m : "
        f"partition_view<tile=(16x16), padding_value = zero, {tensor}>\n"
    )


def load_sized(tile: str, token: str, name: str) -> str:
    tensor = "tensor_view<?x16xf32, strides=[16,1]>"
    ty = f"partition_view<tile=(16x16), padding_value = zero, {tensor}>"
    return f"{tile}, {token} = load_view_tko weak {name}[%z, %z] : {ty}, tile<i32> -> {T}, token\n"


def branch(condition: str, body: str) -> str:
    return f"""
  %c = cmpi {condition}, signed : tile<i32> -> tile<i1>
  %s = if %c -> ({T}) {{
    {body}
  }} else {{
    yield %zero : {T}
  }}
"""


def added(result: str, tile: str) -> str:
    return f"{result} = addf %a, {tile} : {T}\n"


END = store("%s", "%end", "%w2")
# A tensor of the kernel that depends on nothing of the loop or branch around it.
MOVED = {
    "in a branch": branch(
        "greater_than %n, %z", sized("%v", "%n") + load_sized("%x", "%t1", "%v") + f"yield %x : {T}"
    )
    + END,
    "in a branch of a loop": loop(
        "%s",
        "%a = %zero",
        T,
        "%e = andi %i, %one : tile<i32>\n%c = cmpi equal %e, %z, signed : tile<i32> -> tile<i1>\n"
        f"%b = if %c -> ({T}) {{\n"
        + sized("%v", "%n")
        + load_sized("%x", "%t1", "%v")
        + added("%d", "%x")
        + f"yield %d : {T}\n}} else {{ yield %a : {T} }}\ncontinue %b : {T}",
    )
    + END,
    # Without the branch the tensor has a negative number of rows.
    "with its size": branch(
        "greater_than %n, %one",
        "%rows = subi %n, %one : tile<i32>\n"
        + sized("%v", "%rows")
        + load_sized("%x", "%t1", "%v")
        + f"yield %x : {T}",
    )
    + END,
}
STAY = {
    "of the iteration": loop(
        "%s",
        "%a = %zero",
        T,
        sized("%v", "%i")
        + load_sized("%x", "%t1", "%v")
        + added("%b", "%x")
        + f"continue %b : {T}",
    )
    + END,
    # Nobody divides by zero where the branch is not taken.
    "by a division": branch(
        "greater_than %n, %z",
        "%rows = divi %one, %n signed : tile<i32>\n"
        + sized("%v", "%rows")
        + load_sized("%x", "%t1", "%v")
        + f"yield %x : {T}",
    )
    + END,
    "none in the branch": branch("greater_than %n, %z", load("%x", "%t1") + f"yield %x : {T}")
    + END,
}


@pytest.mark.parametrize("name", MOVED)
def test_moved(name: str):
    ATTACK.run(kernel(MOVED[name]), arguments(0, 1, 3))


@pytest.mark.parametrize("name", STAY)
def test_stay(name: str):
    ATTACK.but(fires=False).run(kernel(STAY[name]), arguments(0, 1, 3))
