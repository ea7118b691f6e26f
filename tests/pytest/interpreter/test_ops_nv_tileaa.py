"""Ops and forms of `nv_tileaa` that no `cuda_tile` program becomes, or not in this form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.interpreter.errors import ExecutionError

from .kernels import Array, Tile, floats, ints, numbers, raw

POINTER = "!llvm.ptr<1>"


@dataclass(frozen=True)
class Case:
    """A kernel at level 1; its parameters are pointers."""

    name: str
    body: str
    arguments: Mapping[str, Tile]
    wanted: Mapping[str, Tile]
    grid: int | tuple[int, ...] = 1
    symbols: str = ""

    @property
    def text(self) -> str:
        types = ", ".join([POINTER] * len(self.arguments))
        parameters = ", ".join(f"%{name}: {POINTER}" for name in self.arguments)
        return (
            f'"gpu.module"() <{{sym_name = "m"}}> ({{\n{self.symbols}\n'
            f'"gpu.func"() <{{function_type = ({types}) -> (), kernel}}> ({{\n'
            f'^bb0({parameters}):\n{self.body}\n"gpu.return"() : () -> ()\n'
            f'}}) {{sym_name = "k"}} : () -> ()\n}}) : () -> ()'
        )

    def run(self) -> dict[str, Array]:
        arrays = {name: tile.to_memory() for name, tile in self.arguments.items()}
        tx.run(self.text, grid=self.grid, args=list(arrays.values()), engine="interpreter")
        return arrays


def tensor(tile: Tile) -> str:
    """`tensor<4x8xf32>`, or a scalar's type."""
    element = {"fnv8E5M3FNU": "!cuda_tile.fnv8E5M3FNU"}.get(tile.element, tile.element)
    if not tile.shape:
        return element
    return f"tensor<{'x'.join(str(size) for size in tile.shape)}x{element}>"


def access_text(op: str, name: str, tile: Tile) -> str:
    """Loads or stores `%name`, all of `%name_memory` in row-major order, without tokens."""
    pointer = f"%{name}_memory"
    if not tile.shape:
        if op == "load":
            return f"%{name} = nv_tileaa.load {pointer} : {POINTER} -> {tensor(tile)}\n"
        return f"nv_tileaa.store {pointer}, %{name} : {POINTER}, {tensor(tile)}\n"
    sizes: list[str] = []
    strides: list[str] = []
    step = 1
    for size in reversed(tile.shape):
        sizes.insert(0, str(size))
        strides.insert(0, str(step))
        step *= size
    shape = "x".join(sizes)
    element = tensor(Tile(tile.element, (), (0,)))
    memory = f"!nv_tileaa.memref<{shape}x{element}, strides = [{', '.join(strides)}]>"
    view = f"!nv_tileaa.tiled_view<{shape}, {memory}>"
    groups = ", ".join(f"[{dim}]" for dim in range(len(tile.shape)))
    index = ", ".join(["%zero_index"] * len(tile.shape))
    types = ", ".join(["i32"] * len(tile.shape))
    text = (
        f"%{name}_tensor = nv_tileaa.make_memref {pointer} : {POINTER} -> {memory}\n"
        f"%{name}_view = nv_tileaa.block_tile %{name}_tensor "
        f"{{tileSizes = array<i64: {', '.join(sizes)}>, dimGroups = [{groups}]}} : "
        f"{memory} -> {view}\n"
    )
    if op == "load":
        return text + (
            f"%{name} = nv_tileaa.tiled_load %{name}_view[{index}] : {view}, {types} "
            f"-> {tensor(tile)}\n"
        )
    return text + (
        f"nv_tileaa.tiled_store %{name}, %{name}_view[{index}] : {tensor(tile)}, {view}, {types}\n"
    )


def on_tensors(name: str, body: str, given: Mapping[str, Tile], wanted: Mapping[str, Tile]) -> Case:
    """A case whose body makes the wanted tensors of the given ones, all by name."""
    loads = "".join(access_text("load", key, tile) for key, tile in given.items())
    stores = "".join(access_text("store", key, tile) for key, tile in wanted.items())
    outputs = {f"{key}_memory": tile for key, tile in wanted.items()}
    blank = {key: Tile(t.element, t.shape, (0,) * len(t.bits)) for key, t in outputs.items()}
    return Case(
        name,
        f"%zero_index = arith.constant 0 : i32\n{loads}{body}\n{stores}",
        {**{f"{key}_memory": tile for key, tile in given.items()}, **blank},
        outputs,
    )


def shape_cases() -> Iterator[Case]:
    given = {
        "x": ints("i32", range(8)),
        "s": floats("f16", [2.5], ()),
        "one": ints("i8", [7], (1, 1)),
    }
    body = """
    %splat = nv_tileaa.splat %s : f16 to tensor<2x4xf16>
    %view = nv_tileaa.view %x : tensor<8xi32> -> tensor<2x4xi32>
    %scalar = nv_tileaa.view %one : tensor<1x1xi8> -> i8
    %front = nv_tileaa.expand_dims %x {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
    %back = nv_tileaa.expand_dims %x {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %grown = nv_tileaa.expand_dims %s {axis = 0 : i32} : f16 -> tensor<1xf16>
    %wide = nv_tileaa.broadcast %back : tensor<8x1xi32> -> tensor<8x2xi32>
    """
    yield on_tensors(
        "shapes",
        body,
        given,
        {
            "splat": floats("f16", [2.5] * 8, (2, 4)),
            "view": ints("i32", range(8), (2, 4)),
            "scalar": ints("i8", [7], ()),
            "front": ints("i32", range(8), (1, 8)),
            "back": ints("i32", range(8), (8, 1)),
            "grown": floats("f16", [2.5]),
            "wide": ints("i32", [number // 2 for number in range(16)], (8, 2)),
        },
    )
    body = """
    %i = arith.constant 1 : i32
    %j = arith.constant 1 : i64
    %a = nv_tileaa.extract %x[%i, %j] : (tensor<2x4xi32>, i32, i64) -> tensor<1x2xi32>
    %b = nv_tileaa.extract %x[%i, %j] : (tensor<2x4xi32>, i32, i64) -> i32
    %c = nv_tileaa.insert %a into %x[%zero_index, %zero_index] :
        (tensor<1x2xi32>, tensor<2x4xi32>, i32, i32) -> tensor<2x4xi32>
    """
    wanted = {
        "a": ints("i32", [6, 7], (1, 2)),
        "b": ints("i32", [5], ()),
        "c": ints("i32", [6, 7, 2, 3, 4, 5, 6, 7], (2, 4)),
    }
    yield on_tensors("slices", body, {"x": ints("i32", range(8), (2, 4))}, wanted)


def range_cases() -> Iterator[Case]:
    """Ranges begin anywhere."""
    for element, start in (("i32", 0), ("i32", 5), ("i32", -3), ("i64", 1 << 40), ("i8", 125)):
        body = f"""
        %a = arith.constant {start} : {element}
        %b = arith.constant {start + 8 if element != "i8" else start} : {element}
        %r = nv_tileaa.make_range %a, %b : {element} to tensor<8x{element}>
        """
        wanted = {"r": ints(element, range(start, start + 8))}
        yield on_tensors(f"range-{element}-{start}", body, {}, wanted)


def pointer_cases() -> Iterator[Case]:
    """Pointers to no type in particular; loads without tokens, with masks, with others."""
    for element, size in (("i8", "i8"), ("f16", "f16"), ("i32", "i32"), ("f64", "f64")):
        values = numbers(element, range(1, 9))
        fill = numbers(element, [9] * 8)
        mask = [1, 1, 0, 0, 1, 0, 1, 1]
        body = f"""
        %n = arith.constant 0 : i32
        %e = arith.constant 8 : i32
        %i = nv_tileaa.make_range %n, %e : i32 to tensor<8xi32>
        %s = nv_tileaa.splat %p : {POINTER} to tensor<8x{POINTER}>
        %q = nv_tileaa.addptr %s, %i {{elem_type = {size}}} : tensor<8x{POINTER}>, tensor<8xi32>
        %all = nv_tileaa.load %q : tensor<8x{POINTER}> -> tensor<8x{element}>
        %some = nv_tileaa.load %q mask(%mask : tensor<8xi1>) other(%fill : tensor<8x{element}>) :
            tensor<8x{POINTER}> -> tensor<8x{element}>
        %unmasked = nv_tileaa.load %q other(%fill : tensor<8x{element}>) :
            tensor<8x{POINTER}> -> tensor<8x{element}>
        %two = arith.constant 2 : i64
        %third = nv_tileaa.addptr %p, %two {{elem_type = {size}}} : {POINTER}, i64
        %one = nv_tileaa.load %third {{mem_semantic = "relaxed", mem_scope = "gpu", volatile}} :
            {POINTER} -> {element}
        nv_tileaa.store %q, %fill mask(%mask : tensor<8xi1>) :
            tensor<8x{POINTER}>, tensor<8x{element}>
        """
        chosen = [v if m else f for v, f, m in zip(values.bits, fill.bits, mask, strict=True)]
        stored = [f if m else v for v, f, m in zip(values.bits, fill.bits, mask, strict=True)]
        case = on_tensors(
            f"pointers-{element}",
            body,
            {"fill": fill, "mask": ints("i1", mask)},
            {
                "all": values,
                "some": raw(element, chosen),
                "unmasked": values,
                "one": Tile(element, (), values.bits[2:3]),
            },
        )
        yield Case(
            case.name,
            case.body,
            {**case.arguments, "p": values},
            {**case.wanted, "p": raw(element, stored)},
        )


def scan_cases() -> Iterator[Case]:
    """Exclusive scans begin with the identity."""
    for reverse in (False, True):
        for identities in ("", ", identities = [0 : i32]"):
            body = f"""
            %r = nv_tileaa.scan %x {{axis = 1 : i32, inclusive = false,
                reverse = {str(reverse).lower()}{identities}}} :
                tensor<2x4xi32> -> tensor<2x4xi32> {{
            ^bb0(%a: i32, %b: i32):
              %s = nv_tileaa.addi %a, %b : i32
              nv_tileaa.yield %s : i32
            }}
            """
            rows = [[1, 2, 3, 4], [5, 6, 7, 8]]
            wanted = [sum(row[i + 1 :] if reverse else row[:i]) for row in rows for i in range(4)]
            given = {"x": ints("i32", [n for row in rows for n in row], (2, 4))}
            way = "down" if reverse else "up"
            name = f"scan-{way}-{'given' if identities else 'none'}"
            yield on_tensors(name, body, given, {"r": ints("i32", wanted, (2, 4))})
    body = """
    %r = nv_tileaa.scan %x {axis = 0 : i32, inclusive = false, reverse = false,
        identities = [1.0 : bf16]} : tensor<4xbf16> -> tensor<4xbf16> {
    ^bb0(%a: bf16, %b: bf16):
      %s = nv_tileaa.mulf %a, %b : bf16
      nv_tileaa.yield %s : bf16
    }
    %t = nv_tileaa.reduce %x {axis = 0 : i32} : tensor<4xbf16> -> bf16 {
    ^bb0(%a: bf16, %b: bf16):
      %s = nv_tileaa.maxf %a, %b : bf16
      nv_tileaa.yield %s : bf16
    }
    """
    wanted = {"r": floats("bf16", [1.0, 2.0, 6.0, 24.0]), "t": floats("bf16", [5.0], ())}
    yield on_tensors("scan-bf16", body, {"x": floats("bf16", [2.0, 3.0, 4.0, 5.0])}, wanted)


def dot_cases() -> Iterator[Case]:
    """Operands of two types, of four bits, and integers with default signs."""
    types = [("f8E4M3FN", "f8E5M2", "f32"), ("f4E2M1FN", "f4E2M1FN", "f32"), ("f16", "f16", "f16")]
    for left, right, acc in types:
        x, y = (
            floats(left, [1.0, 2.0, -1.0, 0.5], (2, 2)),
            floats(right, [2.0, 1.0, 4.0, -2.0], (2, 2)),
        )
        z = floats(acc, [0.5, 0.0, 0.0, 1.0], (2, 2))
        body = f"%r = nv_tileaa.dot %x, %y, %z : {tensor(x)}, {tensor(y)}, {tensor(z)}"
        wanted = {"r": floats(acc, [10.5, -3.0, 0.0, -1.0], (2, 2))}
        yield on_tensors(f"dot-{left}-{right}-{acc}", body, {"x": x, "y": y, "z": z}, wanted)
    # 1 + 2^-12 has more bits than a tf32.
    fine = floats("f32", [1.0 + 2.0**-12], (1, 1))
    one, zero = floats("f32", [1.0], (1, 1)), floats("f32", [0.0], (1, 1))
    types_text = ", ".join([tensor(fine)] * 3)
    body = f"""
    %r = nv_tileaa.dot %x, %y, %z {{input_precision = "ieee"}} : {types_text}
    %u = nv_tileaa.dot %x, %y, %z {{input_precision = "tf32"}} : {types_text}
    """
    yield on_tensors("dot-precision", body, {"x": fine, "y": one, "z": zero}, {"r": fine, "u": one})
    given = {
        "x": ints("i8", [1, -1], (1, 2)),
        "y": ints("i8", [2, 3], (2, 1)),
        "z": ints("i32", [10], (1, 1)),
    }
    types_text = ", ".join(tensor(tile) for tile in given.values())
    body = f"""
    %r = nv_tileaa.dot %x, %y, %z : {types_text}
    %u = nv_tileaa.dot %x, %y, %z {{signedness_lhs = "unsigned", signedness_rhs = "signed"}} :
        {types_text}
    """
    wanted = {"r": ints("i32", [9], (1, 1)), "u": ints("i32", [777], (1, 1))}
    yield on_tensors("dot-i8", body, given, wanted)


def atomic_cases() -> Iterator[Case]:
    """Modes that `cuda_tile` has not; floats are compared as numbers."""
    cases = [
        ("addu", "i64", -3, 5, 2),
        ("max", "bf16", -3.0, -2.0, -2.0),
        ("min", "bf16", -3.0, -2.0, -3.0),
        ("max", "f32", 1.5, -8.0, 1.5),
        ("min", "f32", 1.5, -8.0, -8.0),
    ]
    for mode, element, before, value, after in cases:
        memory = numbers(element, [before], ())
        body = f"""
        %old = nv_tileaa.atomic_rmw %p, %v {{rmw_mode = "{mode}", mem_semantic = "seq_cst",
            mem_scope = "sys"}} : {POINTER}, {element} -> {element}
        """
        case = on_tensors(
            f"atomic-{mode}-{element}", body, {"v": numbers(element, [value], ())}, {"old": memory}
        )
        yield Case(
            case.name,
            case.body,
            {**case.arguments, "p": memory},
            {**case.wanted, "p": numbers(element, [after], ())},
        )


def view_cases() -> Iterator[Case]:
    """A tensor that begins at an offset; a load with a padding of its own."""
    memory = "!nv_tileaa.memref<?xf32, strides = [?]>"
    view = f"!nv_tileaa.tiled_view<4, {memory}, padding = zero>"
    body = f"""
    %two = arith.constant 2 : i64
    %six = arith.constant 6 : i32
    %step = arith.constant 2 : i32
    %m = nv_tileaa.make_memref %p offset(%two : i64) sizes(%six : i32) strides(%step : i32) :
        {POINTER} -> {memory}
    %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: 4>, dimGroups = [[0]]}} :
        {memory} -> {view}
    %one = arith.constant 1 : i64
    %a = nv_tileaa.tiled_load %v[%one] : {view}, i64 -> tensor<4xf32>
    %b = nv_tileaa.tiled_load %v[%one] {{padding_value = "neg_inf"}} : {view}, i64 -> tensor<4xf32>
    %n = nv_tileaa.get_tensor_shape %m : {memory} -> i64
    %k = nv_tileaa.get_index_space_shape %v : {view} -> i32
    """
    infinity = float("inf")
    case = on_tensors(
        "views",
        body,
        {},
        {
            "a": floats("f32", [10.0, 12.0, 0.0, 0.0]),
            "b": floats("f32", [10.0, 12.0, -infinity, -infinity]),
            "n": ints("i64", [6], ()),
            "k": ints("i32", [2], ()),
        },
    )
    memory_tile = floats("f32", range(16))
    yield Case(case.name, case.body, {**case.arguments, "p": memory_tile}, case.wanted)


def token_cases() -> Iterator[Case]:
    """Tokens with a scope, joins of none, effects without a result."""
    body = f"""
    %a = nv_tileaa.create_mem_token scope(%p : {POINTER}) {{num_producers = 2 : i32}} :
        !nv_tileaa.mem_token
    %b = nv_tileaa.join_mem_token [] : !nv_tileaa.mem_token
    %c = nv_tileaa.join_mem_token [%a, %b] : !nv_tileaa.mem_token
    nv_tileaa.memory_fence_alias_tko token(%c)
    nv_tileaa.memory_fence_alias_tko {{my.tag}}
    %d = nv_tileaa.memory_fence_alias_tko -> !nv_tileaa.mem_token
    %e = nv_tileaa.gdc_wait_tko token(%d) -> !nv_tileaa.mem_token
    %v, %f = nv_tileaa.load %p token(%e) : {POINTER} -> i32, !nv_tileaa.mem_token
    %w = nv_tileaa.addi %v, %v : i32
    %g = nv_tileaa.store %p, %w token(%f) : {POINTER}, i32 -> !nv_tileaa.mem_token
    """
    yield Case("tokens", body, {"p": ints("i32", [4], ())}, {"p": ints("i32", [8], ())})


def control_cases() -> Iterator[Case]:
    """`scf` and `arith` on numbers and on `index`."""
    body = f"""
    %x = "gpu.block_id"() <{{dimension = #gpu<dim x>}}> : () -> index
    %y = "gpu.block_id"() <{{dimension = #gpu<dim y>}}> : () -> index
    %n = "gpu.grid_dim"() <{{dimension = #gpu<dim x>}}> : () -> index
    %a = arith.muli %y, %n : index
    %b = arith.addi %a, %x : index
    %c = arith.index_cast %b : index to i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %s = scf.for %i = %zero to %c step %one iter_args(%t = %zero) -> (i32) : i32 {{
      %u = arith.addi %t, %i : i32
      scf.yield %u : i32
    }}
    %w, %k = scf.while (%d = %c, %e = %zero) : (i32, i32) -> (i32, i32) {{
      %go = arith.cmpi sgt, %d, %zero : i32
      scf.condition(%go) %d, %e : i32, i32
    }} do {{
    ^bb0(%d: i32, %e: i32):
      %f = arith.subi %d, %one : i32
      %g = arith.addi %e, %d : i32
      scf.yield %f, %g : i32, i32
    }}
    %even = arith.andi %c, %one : i32
    %is = arith.cmpi eq, %even, %zero : i32
    %r = scf.if %is -> (i32) {{ scf.yield %s : i32 }} else {{ scf.yield %k : i32 }}
    %q = nv_tileaa.addptr %p, %c {{elem_type = i32}} : {POINTER}, i32
    nv_tileaa.store %q, %r : {POINTER}, i32
    """
    wanted = [sum(range(n)) if n % 2 == 0 else sum(range(n + 1)) for n in range(6)]
    yield Case(
        "control", body, {"p": ints("i32", [-1] * 6)}, {"p": ints("i32", wanted)}, grid=(3, 2)
    )


def global_cases() -> Iterator[Case]:
    symbols = "nv_tileaa.global @g {value = dense<[1.0, 2.5]> : tensor<2xf16>}"
    body = f"""
    %g = nv_tileaa.get_global @g : {POINTER}
    %one = arith.constant 1 : i32
    %q = nv_tileaa.addptr %g, %one {{elem_type = f16}} : {POINTER}, i32
    %v = nv_tileaa.load %q : {POINTER} -> f16
    nv_tileaa.store %p, %v : {POINTER}, f16
    %m = nv_tileaa.alloca {{num_elem = 4 : i64, alignment = 16 : i64, elem_type = f16}} :
        !llvm.ptr<3>
    nv_tileaa.store %m, %v : !llvm.ptr<3>, f16
    %w = nv_tileaa.load %m : !llvm.ptr<3> -> f16
    %s = nv_tileaa.addptr %p, %one {{elem_type = f16}} : {POINTER}, i32
    nv_tileaa.store %s, %w : {POINTER}, f16
    """
    yield Case(
        "globals",
        body,
        {"p": floats("f16", [0.0, 0.0])},
        {"p": floats("f16", [2.5, 2.5])},
        symbols=symbols,
    )


CASES = [
    *shape_cases(),
    *range_cases(),
    *pointer_cases(),
    *scan_cases(),
    *dot_cases(),
    *atomic_cases(),
    *view_cases(),
    *token_cases(),
    *control_cases(),
    *global_cases(),
]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_tileaa_op(case: Case):
    """Memory holds what it must afterwards."""
    arrays = case.run()
    for name, tile in case.wanted.items():
        tile.compare(arrays[name], f"%{name}")


def test_print_and_assert(capsys: pytest.CaptureFixture[str]):
    """Both without tokens; messages as at level 0."""
    body = f"""
    %x = nv_tileaa.load %p : {POINTER} -> i32
    nv_tileaa.print "x=%d ", %x : i32
    %t = nv_tileaa.print "done\\n" -> !nv_tileaa.mem_token
    %zero = arith.constant 0 : i32
    %is = arith.cmpi eq, %x, %zero : i32
    nv_tileaa.assert %is, "x is not zero" : i1
    """
    Case("", body, {"p": ints("i32", [0], ())}, {}).run()
    assert capsys.readouterr().out == "x=0 done\n"
    with pytest.raises(ExecutionError, match=r"x is not zero \(CTA \(0, 0, 0\)\)"):
        Case("", body, {"p": ints("i32", [3], ())}, {}).run()
    assert capsys.readouterr().out == "x=3 done\n"


def test_ops_of_later_stages():
    """What belongs to later stages is refused by name."""
    case = Case("", "%q = nv_tileaa.create_queue : !nv_tileaa.queue", {}, {})
    with pytest.raises(ExecutionError, match=r"'nv_tileaa.create_queue' cannot be run on the CPU"):
        case.run()
