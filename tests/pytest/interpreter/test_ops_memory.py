"""Pointers, atomics, tokens, globals and private memory of `cuda_tile`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

import tileiras_xdsl as tx

from . import exact
from .exact import to_signed
from .kernels import (
    ELEMENTS,
    INTEGERS,
    NUMBERS,
    Case,
    check,
    float_bits,
    floats,
    ints,
    lowered,
    on_tiles,
    parametrize,
    raw,
    run_case,
    tile_type,
    value_of,
    width_of,
)

LANES = 8


def pointers(name: str, base: str, element: str, offsets: str, index: str = "i32") -> str:
    """`%name`: pointers to elements at the offsets of a tile of eight integers."""
    one, many = f"tile<1xptr<{element}>>", f"tile<{LANES}xptr<{element}>>"
    return (
        f"%{name}_one = reshape {base} : tile<ptr<{element}>> -> {one}\n"
        f"%{name}_all = broadcast %{name}_one : {one} -> {many}\n"
        f"%{name} = offset %{name}_all, {offsets} : {many}, tile<{LANES}x{index}> -> {many}\n"
    )


def samples(element: str, count: int = LANES) -> list[int]:
    """Bit patterns of a type."""
    if element in INTEGERS:
        found = exact.integer_samples(width_of(element), count)
    else:
        found = exact.special_bits(ELEMENTS[element])
    return [found[number % len(found)] for number in range(3, 3 + count)]


# Loads and stores


def access_cases() -> Iterator[Case]:
    """Masked and whole, of all types but the packed one, in every order of memory."""
    orders = ["weak", "relaxed device", "acquire sys", "relaxed tl_blk"]
    for number, element in enumerate(name for name in NUMBERS if name != "f4E2M1FN"):
        ordering = orders[number % len(orders)]
        release = ordering.replace("acquire", "release")
        tile, many = tile_type(element, (LANES,)), f"tile<{LANES}xptr<{element}>>"
        mask = [1, 0, 1, 1, 0, 0, 1, 0]
        bits, fill = samples(element), samples(element)[::-1]
        arguments = {
            "x": raw(element, bits),
            "fill": raw(element, fill),
            "mask": ints("i1", mask),
            "copy": raw(element, [0] * LANES),
            "padded": raw(element, [0] * LANES),
            "partly": raw(element, fill),
        }
        body = "%n = iota : tile<8xi32>\n" + "".join(
            pointers(f"{name}_p", f"%{name}", "i1" if name == "mask" else element, "%n")
            for name in arguments
        )
        body += f"""
        %m, %t0 = load_ptr_tko weak %mask_p : tile<8xptr<i1>> -> tile<8xi1>, token
        %a, %t1 = load_ptr_tko {ordering} %x_p : {many} -> {tile}, token
        %f, %t2 = load_ptr_tko weak %fill_p : {many} -> {tile}, token
        %b, %t3 = load_ptr_tko {ordering} %x_p, %m, %f token=%t1 :
            {many}, tile<8xi1>, {tile} -> {tile}, token
        %c, %t4 = load_ptr_tko {ordering} %x_p, %m : {many}, tile<8xi1> -> {tile}, token
        %t5 = store_ptr_tko {release} %copy_p, %a token=%t3 : {many}, {tile} -> token
        %t6 = store_ptr_tko weak %padded_p, %b : {many}, {tile} -> token
        %t7 = store_ptr_tko {release} %partly_p, %c, %m token=%t5 :
            {many}, {tile}, tile<8xi1> -> token
        """
        chosen = [b if m else f for b, f, m in zip(bits, fill, mask, strict=True)]
        wanted = {
            **arguments,
            "copy": raw(element, bits),
            "padded": raw(element, chosen),
            "partly": raw(element, chosen),
        }
        yield Case(f"access-{element}", body, arguments, wanted)


def offset_cases() -> Iterator[Case]:
    """Offsets are signed, of any width, and count elements."""
    for index in ("i8", "i16", "i32", "i64"):
        places = [-4, 3, 0, -1, 1, 2, -2, -3]
        memory = ints("i16", range(100, 108))
        body = (
            "%four = constant <i32: 4> : tile<i32>\n"
            "%middle = offset %x_memory, %four : tile<ptr<i16>>, tile<i32> -> tile<ptr<i16>>\n"
            + pointers("p", "%middle", "i16", "%o", index)
            + "%r, %t = load_ptr_tko weak %p : tile<8xptr<i16>> -> tile<8xi16>, token"
        )
        given = {"x": memory, "o": ints(index, places)}
        yield on_tiles(
            f"offset-{index}", body, given, {"r": ints("i16", [104 + p for p in places])}
        )
    # One bit is 0 or -1.
    body = (
        "%one = constant <i32: 1> : tile<i32>\n"
        "%second = offset %x_memory, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
        "%yes = constant <i1: true> : tile<i1>\n"
        "%first = offset %second, %yes : tile<ptr<i32>>, tile<i1> -> tile<ptr<i32>>\n"
        "%r, %t = load_ptr_tko weak %first : tile<ptr<i32>> -> tile<i32>, token"
    )
    yield on_tiles("offset-i1", body, {"x": ints("i32", [5, 6, 7, 8])}, {"r": ints("i32", [5], ())})
    # Far away and back.
    body = """
    %far = constant <i64: 1099511627777> : tile<i64>
    %back = constant <i64: -1099511627776> : tile<i64>
    %p = offset %x_memory, %far : tile<ptr<f64>>, tile<i64> -> tile<ptr<f64>>
    %q = offset %p, %back : tile<ptr<f64>>, tile<i64> -> tile<ptr<f64>>
    %r, %t = load_ptr_tko weak %q : tile<ptr<f64>> -> tile<f64>, token
    """
    yield on_tiles(
        "offset-far", body, {"x": floats("f64", [1.0, 2.0])}, {"r": floats("f64", [2.0], ())}
    )


def unaligned_cases() -> Iterator[Case]:
    """Elements at addresses that are no multiples of their size."""
    body = """
    %a = ptr_to_int %x_memory : tile<ptr<i8>> -> tile<i64>
    %one = constant <i64: 1> : tile<i64>
    %b = addi %a, %one : tile<i64>
    %p = int_to_ptr %b : tile<i64> -> tile<ptr<i32>>
    %r, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    """
    given = {"x": ints("i8", range(1, 9))}
    yield on_tiles("unaligned", body, given, {"r": ints("i32", [0x05040302], ())})


# Atomics

Combine = Callable[[int, int, str], int | None]


def integers(function: Callable[[int, int], int], *, signed: bool = False) -> Combine:
    def combine(old: int, value: int, element: str) -> int:
        width = width_of(element)
        if signed:
            old, value = to_signed(old, width), to_signed(value, width)
        return function(old, value) % (1 << width)

    return combine


def added(old: int, value: int, element: str) -> int | None:
    return float_bits(value_of(old, element) + value_of(value, element), element)


MODES: dict[str, tuple[Sequence[str], Combine]] = {
    "and": (("i32", "i64"), integers(lambda x, y: x & y)),
    "or": (("i32", "i64"), integers(lambda x, y: x | y)),
    "xor": (("i32", "i64"), integers(lambda x, y: x ^ y)),
    "add": (("i32", "i64"), integers(lambda x, y: x + y)),
    "addf": (("f16", "bf16", "f32", "f64"), added),
    "max": (("i32", "i64"), integers(max, signed=True)),
    "min": (("i32", "i64"), integers(min, signed=True)),
    "umax": (("i32", "i64"), integers(max)),
    "umin": (("i32", "i64"), integers(min)),
    "xchg": (("i32", "i64", "f32", "f64"), lambda old, value, element: value),
}


def rmw_cases() -> Iterator[Case]:
    """Each lane after the one before it, also where several have one address."""
    orders = ("relaxed device", "acquire sys", "release tl_blk", "acq_rel device")
    number = 0
    for mode, (elements, combine) in MODES.items():
        for element in elements:
            for places in (range(LANES), (0, 0, 1, 5, 0, 5, 5, 2)):
                number += 1
                yield rmw_case(mode, element, combine, list(places), orders[number % len(orders)])


def atomic_values(element: str) -> list[int | None]:
    """Numbers whose sums are exact."""
    if element in INTEGERS:
        return [b for b in exact.integer_samples(width_of(element), LANES + 4)[3 : 3 + LANES]]
    return list(floats(element, [1.0, -2.0, 0.5, 8.0, 3.0, -0.25, 4.0, 16.0]).bits)


def rmw_case(mode: str, element: str, combine: Combine, places: list[int], ordering: str) -> Case:
    tile, many = tile_type(element, (LANES,)), f"tile<{LANES}xptr<{element}>>"
    memory = [bits or 0 for bits in atomic_values(element)[::-1]]
    values = [bits or 0 for bits in atomic_values(element)]
    mask = [1, 1, 0, 1, 1, 1, 0, 1]
    arguments = {
        "x": raw(element, memory),
        "values_memory": raw(element, values),
        "mask_memory": ints("i1", mask),
        "places_memory": ints("i32", places),
    }
    after: list[int | None] = list(memory)
    old: list[int | None] = [0] * LANES
    second: list[int | None] = [0] * LANES
    for lane in range(LANES):
        old[lane] = after[places[lane]]
        after[places[lane]] = combine(old[lane] or 0, values[lane], element)
    for lane in range(LANES):
        if mask[lane]:
            second[lane] = after[places[lane]]
            after[places[lane]] = combine(second[lane] or 0, values[lane], element)
    loads = "".join(
        pointers(f"{name}_p", f"%{name}_memory", ty, "%n")
        + f"%{name}, %{name}_t = load_ptr_tko weak %{name}_p : "
        f"tile<8xptr<{ty}>> -> tile<8x{ty}>, token\n"
        for name, ty in (("values", element), ("mask", "i1"), ("places", "i32"))
    )
    body = f"""
    %n = iota : tile<8xi32>
    {loads}
    {pointers("p", "%x", element, "%places")}
    {pointers("q", "%old", element, "%n")}
    {pointers("s", "%second", element, "%n")}
    %a, %t0 = atomic_rmw_tko {ordering} %p, {mode}, %values : {many}, {tile} -> {tile}, token
    %b, %t1 = atomic_rmw_tko {ordering} %p, {mode}, %values, %mask token=%t0 :
        {many}, {tile}, tile<8xi1> -> {tile}, token
    %t2 = store_ptr_tko weak %q, %a : {many}, {tile} -> token
    %t3 = store_ptr_tko weak %s, %b, %mask : {many}, {tile}, tile<8xi1> -> token
    """
    blank = raw(element, [0] * LANES)
    shared = "shared" if len(set(places)) < LANES else "apart"
    return Case(
        f"rmw-{mode}-{element}-{shared}",
        body,
        {**arguments, "old": blank, "second": blank},
        {
            **arguments,
            "x": raw(element, after),
            "old": raw(element, old),
            "second": raw(element, second),
        },
    )


def cas_cases() -> Iterator[Case]:
    """Bits are compared, not numbers."""
    for element in ("i32", "i64", "f32", "f64"):
        sign = 1 << (width_of(element) - 1)
        nan = sign - 1
        memory = [0, sign, nan, 5, 6, 7, 8, 9]
        wanted_old = [sign, sign, nan, 5, 0, 7, 8, 0]
        new = [11, 12, 13, 14, 15, 16, 17, 18]
        mask = [1, 1, 1, 1, 1, 0, 1, 0]
        after = [
            n if m and x == w else x
            for x, w, n, m in zip(memory, wanted_old, new, mask, strict=True)
        ]
        # A lane that is masked out yields what it compares with.
        found = [x if m else w for x, w, m in zip(memory, wanted_old, mask, strict=True)]
        given = {
            "cmp": raw(element, wanted_old),
            "val": raw(element, new),
            "mask": ints("i1", mask),
            "x": raw(element, memory),
        }
        many, tile = f"tile<8xptr<{element}>>", tile_type(element, (8,))
        body = f"""
        %n = iota : tile<8xi32>
        {pointers("p", "%x_memory", element, "%n")}
        %r, %t = atomic_cas_tko acq_rel device %p, %cmp, %val, %mask :
            {many}, {tile}, tile<8xi1> -> {tile}, token
        """
        case = on_tiles(f"cas-{element}", body, given, {"r": raw(element, found)})
        yield Case(
            case.name, case.body, case.arguments, {**case.wanted, "x_memory": raw(element, after)}
        )


def cas_loop_cases() -> Iterator[Case]:
    """CTAs add to one number by comparing and exchanging until they succeed."""
    body = """
    %x, %y, %z = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %mine = addi %x, %one : tile<i32>
    %first, %t = load_ptr_tko relaxed device %total : tile<ptr<i32>> -> tile<i32>, token
    %last = loop iter_values(%old = %first) : tile<i32> -> tile<i32> {
      %new = addi %old, %mine : tile<i32>
      %seen, %u = atomic_cas_tko acq_rel device %total, %old, %new :
          tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %same = cmpi equal %seen, %old, signed : tile<i32> -> tile<i1>
      if %same { break %new : tile<i32> }
      continue %seen : tile<i32>
    }
    """
    arguments = {"total": ints("i32", [100], ())}
    wanted = {"total": ints("i32", [100 + sum(range(1, 9))], ())}
    yield Case("cas-loop", body, arguments, wanted, grid=8)
    # Eight lanes of each CTA contend for two numbers; those that fail try again.
    body = f"""
    %n = iota : tile<8xi32>
    %one = constant <i32: 1> : tile<8xi32>
    %half = andi %n, %one : tile<8xi32>
    {pointers("p", "%total", "i32", "%half")}
    %all = constant <i1: true> : tile<8xi1>
    loop iter_values(%todo = %all) : tile<8xi1> {{
      %zero = constant <i32: 0> : tile<8xi32>
      %old, %t = load_ptr_tko relaxed device %p, %todo, %zero :
          tile<8xptr<i32>>, tile<8xi1>, tile<8xi32> -> tile<8xi32>, token
      %new = addi %old, %one : tile<8xi32>
      %seen, %u = atomic_cas_tko relaxed device %p, %old, %new, %todo token=%t :
          tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> tile<8xi32>, token
      %lost = cmpi not_equal %seen, %old, signed : tile<8xi32> -> tile<8xi1>
      %left = andi %lost, %todo : tile<8xi1>
      %any = reduce %left dim=0 identities=[false] : tile<8xi1> -> tile<i1>
      (%a: tile<i1>, %b: tile<i1>) {{
        %o = ori %a, %b : tile<i1>
        yield %o : tile<i1>
      }}
      if %any {{ continue %left : tile<8xi1> }}
      break
    }}
    """
    arguments = {"total": ints("i32", [0, 1000])}
    yield Case("cas-lanes", body, arguments, {"total": ints("i32", [12, 1012])}, grid=3)


# Globals and private memory


def global_cases() -> Iterator[Case]:
    """Initial values of every type; a variable is written, and read by the next CTA."""
    for element in NUMBERS:
        bits = samples(element, 4)
        literals = ", ".join(_literal(b, element) for b in bits)
        symbols = (
            f"global @g <{element}: [{literals}]> : tile<4x{element}>\n"
            f"global constant @c alignment = 64 <{element}: [{literals}]> : tile<4x{element}>\n"
        )
        many = raw(element, bits, (4,))
        body = f"""
        %g = get_global @g : tile<ptr<{element}>>
        %c = get_global @c : tile<ptr<{element}>>
        """
        for name in "gc":
            body += f"""
            %{name}_t = make_tensor_view %{name}, shape = [4], strides = [1] :
                tensor_view<4x{element}, strides=[1]>
            %{name}_v = make_partition_view %{name}_t :
                partition_view<tile=(4), tensor_view<4x{element}, strides=[1]>>
            %{name}_r, %{name}_k = load_view_tko weak %{name}_v[%zero_index] :
                partition_view<tile=(4), tensor_view<4x{element}, strides=[1]>>, tile<i32>
                -> tile<4x{element}>, token
            """
        wanted = {"g_r": many, "c_r": many}
        yield on_tiles(f"global-{element}", body, {}, wanted, symbols)
    body = """
    %x, %y, %z = get_tile_block_id : tile<i32>
    %g = get_global @count : tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %old, %t0 = atomic_rmw_tko relaxed device %g, add, %one :
        tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %p = offset %seen, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t1 = store_ptr_tko weak %p, %old : tile<ptr<i32>>, tile<i32> -> token
    """
    yield Case(
        "global-written",
        body,
        {"seen": ints("i32", [0] * 4)},
        {"seen": ints("i32", [7, 8, 9, 10])},
        4,
        "global private @count <i32: 7> : tile<1xi32>",
    )


def _literal(bits: int, element: str) -> str:
    if element == "i1":
        return "true" if bits else "false"
    if element in INTEGERS:
        return str(to_signed(bits, width_of(element)))
    return f"0x{bits:0{-(-width_of(element) // 4)}X}"


def alloca_cases() -> Iterator[Case]:
    for element in ("i1", "i8", "f16", "f32", "i64", "tf32"):
        given = {"x": raw(element, samples(element))}
        many = f"tile<8xptr<{element}>>"
        body = f"""
        %n = iota : tile<8xi32>
        %m = alloca num_elem = 8, alignment = 128 : tile<ptr<{element}>>
        %o = alloca num_elem = 8, alignment = 512 global : tile<ptr<{element}>>
        {pointers("p", "%m", element, "%n")}
        {pointers("q", "%o", element, "%n")}
        %t0 = store_ptr_tko weak %p, %x : {many}, {given["x"].type} -> token
        %t1 = store_ptr_tko weak %q, %x : {many}, {given["x"].type} -> token
        %r, %t2 = load_ptr_tko weak %p token=%t0 : {many} -> {given["x"].type}, token
        %s, %t3 = load_ptr_tko weak %q token=%t1 : {many} -> {given["x"].type}, token
        %address = ptr_to_int %o : tile<ptr<{element}>> -> tile<i64>
        %size = constant <i64: 512> : tile<i64>
        %rest = remi %address, %size unsigned : tile<i64>
        """
        wanted = {"r": given["x"], "s": given["x"], "rest": ints("i64", [0], ())}
        yield on_tiles(f"alloca-{element}", body, given, wanted)


# Tokens


def token_cases() -> Iterator[Case]:
    body = """
    %a = make_token : token
    %b = make_token : token
    %c = join_tokens %a, %b : token
    %d = token.join [%c] : token
    %e = token.join [] : token
    %f = join_tokens %d, %e, %a : token
    %g = memory_fence_alias_tko %f
    %h = gdc_wait_tko token = %g -> token
    %i = gdc_wait_tko -> token
    %j = gdc_launch_dependents_tko token = %h -> token
    %k = gdc_launch_dependents_tko -> token
    %l = join_tokens %i, %j, %k : token
    %x, %m = load_ptr_tko weak %p token=%l : tile<ptr<i32>> -> tile<i32>, token
    %n = store_ptr_tko weak %q, %x token=%m : tile<ptr<i32>>, tile<i32> -> token
    %y, %o = load_ptr_tko weak %q token=%n : tile<ptr<i32>> -> tile<i32>, token
    %s = addi %y, %y : tile<i32>
    %r = store_ptr_tko weak %p, %s token=%o : tile<ptr<i32>>, tile<i32> -> token
    """
    arguments = {"p": ints("i32", [21], ()), "q": ints("i32", [0], ())}
    yield Case("tokens", body, arguments, {"p": ints("i32", [42], ()), "q": arguments["p"]})


CASES = [
    *access_cases(),
    *offset_cases(),
    *unaligned_cases(),
    *rmw_cases(),
    *cas_cases(),
    *cas_loop_cases(),
    *global_cases(),
    *alloca_cases(),
    *token_cases(),
]


@parametrize(CASES)
def test_memory_op(case: Case):
    """Memory holds what it must afterwards."""
    check(case)


WRITTEN = next(case for case in CASES if case.name == "global-written")


def test_globals_are_fresh():
    """Each run begins with the initial values."""
    module = tx.load(WRITTEN.text)
    assert run_case(WRITTEN, module)["seen"].tolist() == [7, 8, 9, 10]
    assert run_case(WRITTEN, module)["seen"].tolist() == [7, 8, 9, 10]


@pytest.mark.parametrize("level", [0, 1])
def test_spare_bits_of_tf32_are_not_read(level: int):
    """Memory of tf32 is that of float32, of which thirteen bits do not matter."""
    given = {"x": floats("tf32", [1.0, 2.0])}
    case = on_tiles(
        "", "%r = ftof %x : tile<2xtf32> -> tile<2xf32>", given, {"r": floats("f32", [1.0, 2.0])}
    )
    module = tx.load(case.text)
    if level:
        lowered(module)
    array = np.array([1.0, 2.0], np.float32)
    array.view(np.uint32)[...] |= 0x1FFF
    result = np.zeros(2, np.float32)
    tx.run(module, grid=1, args=[array, result], engine="interpreter")
    assert result.tolist() == [1.0, 2.0]
