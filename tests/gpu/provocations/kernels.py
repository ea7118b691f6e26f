"""
The kernels, as Tile IR text.

Shapes are static and the same everywhere: up to `BLOCKS` CTAs, each with a row of tiles of its
own. What a kernel has to wait for changes from round to round, so that stale data is wrong data.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

BLOCKS = 128
"""The most CTAs of a grid; all of them run at once on the 132 SMs of an H200."""
FLAG_STRIDE = 32
"""Elements from flag to flag, so that each has a cache line of its own."""
LANES = 1024
"""Elements of the vectors that are exchanged through shared memory."""
STEPS = 2
"""Iterations of the main loops."""
DEPTH = 64
"""Size of a tile along the reduction dimension."""
READS = 64
"""How often a CTA looks at a flag that others toggle."""
MOST_TRIPS = 4
"""The largest trip count that is written to such a flag."""


@dataclass(frozen=True)
class View:
    """A row-major tensor that an entry takes as a pointer, with the tiles that are accessed."""

    name: str
    element: str
    shape: tuple[int, int]
    tile: tuple[int, int]

    @property
    def tensor(self) -> str:
        """The type of the tensor view."""
        rows, columns = self.shape
        return f"tensor_view<{rows}x{columns}x{self.element}, strides=[{columns},1]>"

    @property
    def type(self) -> str:
        """The type of the partition view."""
        rows, columns = self.tile
        return f"partition_view<tile=({rows}x{columns}), {self.tensor}>"

    @property
    def tile_type(self) -> str:
        """The type of a tile."""
        rows, columns = self.tile
        return f"tile<{rows}x{columns}x{self.element}>"

    @property
    def parameter(self) -> str:
        """How the entry takes it."""
        return f"%p{self.name}: tile<ptr<{self.element}>>"

    def declare(self) -> str:
        """The operations that make `%v<name>`."""
        name, (rows, columns) = self.name, self.shape
        return f"""
    %q{name} = assume div_by<16>, %p{name} : tile<ptr<{self.element}>>
    %t{name} = make_tensor_view %q{name}, shape = [{rows}, {columns}], strides = [{columns}, 1]
        : {self.tensor}
    %v{name} = make_partition_view %t{name} : {self.type}"""

    def load(self, result: str, row: str, column: str, token: str) -> str:
        """Loads `%<result>`, with the token `%<result>_token`."""
        return f"""
    %{result}, %{result}_token = load_view_tko weak %v{self.name}[{row}, {column}] token={token}
        : {self.type}, tile<i32> -> {self.tile_type}, token"""

    def store(self, value: str, row: str, column: str, token: str, result: str) -> str:
        """Stores a tile, with the token `%<result>`."""
        return f"""
    %{result} = store_view_tko weak {value}, %v{self.name}[{row}, {column}] token={token}
        : {self.tile_type}, {self.type}, tile<i32> -> token"""


def module(
    entry: str, parameters: Iterable[str], views: Iterable[View], body: str, hints: str = ""
) -> str:
    """A module of one entry, whose body has the views, `%i`, the block, constants and a token."""
    declared = tuple(views)
    signature = ", ".join((*(view.parameter for view in declared), *parameters))
    given = f" optimization_hints=<{hints}>" if hints else ""
    return f"""
cuda_tile.module @kernels {{
  entry @{entry}({signature}){given} {{
    %start = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %steps = constant <i32: {STEPS}> : tile<i32>
    %i, %j, %k = get_tile_block_id : tile<i32>{"".join(view.declare() for view in declared)}
{body}
    return
  }}
}}
"""


def product(
    a: View, b: View, token: str, count: str = "%steps", row: str = "%i", column: str = "%zero"
) -> str:
    """The main loop: `%acc` is the product of a row of tiles of A and a column of B."""
    (m, k), n = a.tile, b.tile[1]
    total = f"tile<{m}x{n}xf32>"
    loads = a.load("a", row, "%step", token) + b.load("b", "%step", column, token)
    return f"""
    %none = constant <f32: 0.0> : {total}
    %acc = for %step in (%zero to {count}, step %one) : tile<i32>
        iter_values(%partial = %none) -> ({total}) {{{loads}
      %next = mmaf %a, %b, %partial
          : tile<{m}x{k}x{a.element}>, tile<{k}x{n}x{b.element}>, {total}
      continue %next : {total}
    }}"""


def reduction(result: str, value: str, size: str, element: str, operation: str) -> str:
    """The scalar `%<result>` of a vector of one dimension."""
    return f"""
    %{result} = reduce {value} dim=0 identities=[0 : {element}]
        : tile<{size}x{element}> -> tile<{element}> (%l: tile<{element}>, %r: tile<{element}>) {{
      %both = {operation} %l, %r : tile<{element}>
      yield %both : tile<{element}>
    }}"""


def lanes(pointer: str, result: str, element: str, index: str = "%i") -> str:
    """The pointers `%<result>` to the elements of the CTA in an array of `LANES` for each."""
    return f"""
    %{result}_size = constant <i32: {LANES}> : tile<i32>
    %{result}_first = muli {index}, %{result}_size : tile<i32>
    %{result}_base = offset {pointer}, %{result}_first
        : tile<ptr<{element}>>, tile<i32> -> tile<ptr<{element}>>
    %{result}_one = reshape %{result}_base : tile<ptr<{element}>> -> tile<1xptr<{element}>>
    %{result}_all = broadcast %{result}_one
        : tile<1xptr<{element}>> -> tile<{LANES}xptr<{element}>>
    %{result}_lane = iota : tile<{LANES}xi32>
    %{result} = offset %{result}_all, %{result}_lane
        : tile<{LANES}xptr<{element}>>, tile<{LANES}xi32> -> tile<{LANES}xptr<{element}>>"""


def splat(result: str, value: str, element: str, size: int = LANES) -> str:
    """A scalar in all elements of a vector."""
    return f"""
    %{result}_one = reshape {value} : tile<{element}> -> tile<1x{element}>
    %{result} = broadcast %{result}_one : tile<1x{element}> -> tile<{size}x{element}>"""


FLAG_ADDRESS = f"""
    %flag_stride = constant <i32: {FLAG_STRIDE}> : tile<i32>
    %flag_index = muli %i, %flag_stride : tile<i32>
    %flag = offset %pf, %flag_index : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>"""
"""`%flag`, the address of the flag of the CTA."""

SPIN = """
    %seen, %ready = loop iter_values(%old = %zero, %before = %start)
        : tile<i32>, token -> tile<i32>, token {
      %found, %after = load_ptr_tko acquire device %flag token=%before
          : tile<ptr<i32>> -> tile<i32>, token
      %is_set = cmpi equal %found, %target, signed : tile<i32> -> tile<i1>
      if %is_set { break %found, %after : tile<i32>, token }
      continue %found, %after : tile<i32>, token
    }"""
"""Waits with acquire loads of a scalar until the flag has the value of the round."""

ADD_ZERO = """
    %seen, %ready = loop iter_values(%old = %zero, %before = %start)
        : tile<i32>, token -> tile<i32>, token {
      %found, %after = atomic_rmw_tko acquire device %flag, add, %zero token=%before
          : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %is_set = cmpi equal %found, %target, signed : tile<i32> -> tile<i1>
      if %is_set { break %found, %after : tile<i32>, token }
      continue %found, %after : tile<i32>, token
    }"""
"""The same with atomics that add zero."""

GRID_WAIT = """
    %ready = gdc_wait_tko token=%start -> token"""
"""Waits for the grid that this one depends on."""

WAITS = {"gdc": GRID_WAIT, "spin": SPIN, "add0": ADD_ZERO}
TARGET = ("%pf: tile<ptr<i32>>", "%target: tile<i32>")

A = View("a", "f16", (BLOCKS * 128, STEPS * DEPTH), (128, DEPTH))
B = View("b", "f16", (STEPS * DEPTH, 128), (DEPTH, 128))
SMALL_A = View("a", "f16", (BLOCKS * 64, STEPS * DEPTH), (64, DEPTH))
SMALL_B = View("b", "f16", (STEPS * DEPTH, 64), (DEPTH, 64))
SMALL_C = View("c", "f32", (BLOCKS * 64, 64), (64, 64))
PART = View("r", "f32", (BLOCKS * 64, 64), (64, 64))


def written(element: str) -> View:
    """What the kernels of a TMA store write: 32 KB of a block, or 64."""
    return View("x", element, (BLOCKS * 128, 128), (128, 128))


def rounded(element: str) -> str:
    """`%result`, the accumulator as elements of what is stored."""
    if element == "f32":
        return """
    %result_zero = constant <f32: 0.0> : tile<128x128xf32>
    %result = addf %acc, %result_zero : tile<128x128xf32>"""
    return f"""
    %result = ftof %acc : tile<128x128xf32> -> tile<128x128x{element}>"""


EXCHANGED = f"""{lanes("%pv", "lane", "i32")}
    %ones, %ones_token = load_ptr_tko weak %lane token=%start
        : tile<{LANES}xptr<i32>> -> tile<{LANES}xi32>, token"""
"""A vector whose elements add up to one."""
EXCHANGE = reduction("sum", "%ones", str(LANES), "i32", "addi")
"""Its sum, which takes scratch memory: what a TMA store reads there has to be read before."""


def publish(element: str) -> str:
    """Stores a tile by TMA, exchanges a sum, and releases a flag by it."""
    x = written(element)
    body = (
        FLAG_ADDRESS
        + EXCHANGED
        + product(A, B, "%start")
        + rounded(element)
        + x.store("%result", "%i", "%zero", "%start", "stored")
        + EXCHANGE
        + """
    %count, %released = atomic_rmw_tko release device %flag, add, %sum token=%stored
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"""
    )
    return module("publish", ("%pv: tile<ptr<i32>>", "%pf: tile<ptr<i32>>"), (A, B, x), body)


def count_wrong(x: View, found: str, expected: str, token: str) -> str:
    """Adds how many elements of a tile are wrong to the count of the CTA."""
    rows, columns = x.tile
    shape = f"{rows}x{columns}"
    return f"""
    %differ = cmpf not_equal unordered {found}, {expected}
        : tile<{shape}x{x.element}> -> tile<{shape}xi1>
    %bad_flat = reshape %differ : tile<{shape}xi1> -> tile<{rows * columns}xi1>
    %bad_each = exti %bad_flat unsigned : tile<{rows * columns}xi1> -> tile<{rows * columns}xi32>
    {reduction("bad", "%bad_each", str(rows * columns), "i32", "addi")}
    %count_at = offset %pn, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %all_bad, %counted = atomic_rmw_tko relaxed device %count_at, add, %bad token={token}
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"""


def collect(element: str) -> str:
    """Waits for a flag, and counts the elements of a tile that are not the value of the round."""
    x = written(element)
    cast = "" if element == "f32" else f"%as = ftof %value : tile<f32> -> tile<{element}>"
    value = "%value" if element == "f32" else "%as"
    body = (
        FLAG_ADDRESS
        + SPIN
        + x.load("found", "%i", "%zero", "%ready")
        + f"""
    {cast}
    %value_one = reshape {value} : tile<{element}> -> tile<1x1x{element}>
    %expected = broadcast %value_one : tile<1x1x{element}> -> {x.tile_type}"""
        + count_wrong(x, "%found", "%expected", "%found_token")
    )
    parameters = (*TARGET, "%value: tile<f32>", "%pn: tile<ptr<i32>>")
    return module("collect", parameters, (x,), body)


def reload(element: str) -> str:
    """Stores a tile by TMA, exchanges a sum, and loads the tile again."""
    x = written(element)
    body = (
        EXCHANGED
        + product(A, B, "%start")
        + rounded(element)
        + x.store("%result", "%i", "%zero", "%start", "stored")
        + EXCHANGE
        + """
    %rest = subi %sum, %one : tile<i32>
    %row = addi %i, %rest : tile<i32>"""
        + x.load("again", "%row", "%zero", "%stored")
        + count_wrong(x, "%again", "%result", "%again_token")
    )
    return module("reload", ("%pv: tile<ptr<i32>>", "%pn: tile<ptr<i32>>"), (A, B, x), body)


def overwrite(element: str) -> str:
    """Stores a tile by TMA, exchanges a sum, and stores another tile to the same place."""
    x = written(element)
    zero = f"tile<128x128x{element}>"
    body = (
        EXCHANGED
        + product(A, B, "%start")
        + rounded(element)
        + f"""
    %minus = negf %result : {zero}"""
        + x.store("%minus", "%i", "%zero", "%start", "stored")
        + EXCHANGE
        + """
    %rest = subi %sum, %one : tile<i32>
    %row = addi %i, %rest : tile<i32>"""
        + x.store("%result", "%row", "%zero", "%stored", "overwritten")
    )
    return module("overwrite", ("%pv: tile<ptr<i32>>",), (A, B, x), body)


def slow_writer() -> str:
    """
    Lets the dependent grid start, is busy, writes vectors of three types, and releases a flag.

    `%mul` is 1 and `%add` is 0, which no compiler knows.
    """
    tile = f"tile<{LANES}xf32>"
    scalars = "".join(splat(f"{name}_all", f"%{name}", "f32") for name in ("value", "mul", "add"))
    body = f"""
    %triggered = gdc_launch_dependents_tko token=%start -> token{scalars}
    %late = for %turn in (%zero to %turns, step %one) : tile<i32>
        iter_values(%now = %value_all) -> ({tile}) {{
      %next = fma %now, %mul_all, %add_all : {tile}
      continue %next : {tile}
    }}{lanes("%ph", "half", "f16")}{lanes("%ps", "single", "f32")}{lanes("%pi", "number", "i32")}
    %halves = ftof %late : {tile} -> tile<{LANES}xf16>
    %numbers = ftoi %late signed : {tile} -> tile<{LANES}xi32>
    %w0 = store_ptr_tko weak %half, %halves token=%start
        : tile<{LANES}xptr<f16>>, tile<{LANES}xf16> -> token
    %w1 = store_ptr_tko weak %single, %late token=%start : tile<{LANES}xptr<f32>>, {tile} -> token
    %w2 = store_ptr_tko weak %number, %numbers token=%start
        : tile<{LANES}xptr<i32>>, tile<{LANES}xi32> -> token
    %all = join_tokens %w0, %w1, %w2 : token
    %count, %released = atomic_rmw_tko release device %pf, add, %one token=%all
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"""
    parameters = (
        "%ph: tile<ptr<f16>>",
        "%ps: tile<ptr<f32>>",
        "%pi: tile<ptr<i32>>",
        "%pf: tile<ptr<i32>>",
        "%turns: tile<i32>",
        "%value: tile<f32>",
        "%mul: tile<f32>",
        "%add: tile<f32>",
    )
    return module("slow_writer", parameters, (), body)


COUNTED = """
    %flag = assume div_by<4>, %pf : tile<ptr<i32>>"""
"""`%flag`, the count of the CTAs of the writer that are done."""


def operands(wait: str) -> str:
    """Waits, and then multiplies matrices, of which A is what is waited for."""
    body = (
        COUNTED
        + WAITS[wait]
        + product(SMALL_A, SMALL_B, "%ready")
        + SMALL_C.store("%acc", "%i", "%zero", "%ready", "stored")
    )
    return module("operands", TARGET, (SMALL_A, SMALL_B, SMALL_C), body)


def epilogue(wait: str) -> str:
    """Multiplies matrices, waits, and adds a tile that is what is waited for."""
    body = (
        COUNTED
        + product(SMALL_A, SMALL_B, "%start")
        + WAITS[wait]
        + PART.load("rest", "%i", "%zero", "%ready")
        + """
    %result = addf %acc, %rest : tile<64x64xf32>"""
        + SMALL_C.store("%result", "%i", "%zero", "%rest_token", "stored")
    )
    return module("epilogue", TARGET, (SMALL_A, SMALL_B, SMALL_C, PART), body)


def bounds(wait: str) -> str:
    """Waits, loads a trip count, which is what is waited for, and multiplies matrices."""
    body = (
        COUNTED
        + WAITS[wait]
        + """
    %number_at = offset %pi, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %trips, %read = load_ptr_tko weak %number_at token=%ready
        : tile<ptr<i32>> -> tile<i32>, token"""
        + product(SMALL_A, SMALL_B, "%start", count="%trips")
        + SMALL_C.store("%acc", "%i", "%zero", "%read", "stored")
    )
    parameters = ("%pi: tile<ptr<i32>>", *TARGET)
    return module("bounds", parameters, (SMALL_A, SMALL_B, SMALL_C), body)


FLAG_VIEW = f"""
    %tf = make_tensor_view %pf, shape = [{BLOCKS}], strides = [{FLAG_STRIDE}]
        : tensor_view<{BLOCKS}xi32, strides=[{FLAG_STRIDE}]>
    %vf = make_partition_view %tf
        : partition_view<tile=(1), tensor_view<{BLOCKS}xi32, strides=[{FLAG_STRIDE}]>>"""


def load_flag(order: str, token: str) -> str:
    """The flag of the CTA as a tile of one element, then as the scalar `%found`."""
    return f"""
      %found_tile, %after = load_view_tko {order} device %vf[%i] token={token}
          : partition_view<tile=(1), tensor_view<{BLOCKS}xi32, strides=[{FLAG_STRIDE}]>>, tile<i32>
          -> tile<1xi32>, token
      %found = reshape %found_tile : tile<1xi32> -> tile<i32>"""


def scan(result: str, value: str) -> str:
    """The prefix sums of a vector, which warps exchange through shared memory."""
    return f"""
    %{result} = scan {value} dim=0 reverse=false identities=[0 : i32]
        : tile<{LANES}xi32> -> tile<{LANES}xi32> (%l: tile<i32>, %r: tile<i32>) {{
      %both = addi %l, %r : tile<i32>
      yield %both : tile<i32>
    }}"""


def load_lanes(result: str, pointer: str, name: str) -> str:
    """Loads the vector of the CTA."""
    return f"""{lanes(pointer, name, "i32")}
    %{result}, %{result}_token = load_ptr_tko weak %{name} token=%start
        : tile<{LANES}xptr<i32>> -> tile<{LANES}xi32>, token"""


def spin_tile() -> str:
    """Waits for a flag that is loaded as a tile, then computes prefix sums."""
    ends = load_lanes("x", "%px", "in") + lanes("%py", "out", "i32")
    body = f"""{FLAG_VIEW}{ends}{splat("by", "%target", "i32")}
    %seen, %ready = loop iter_values(%old = %zero, %before = %start)
        : tile<i32>, token -> tile<i32>, token {{{load_flag("acquire", "%before")}
      %is_set = cmpi equal %found, %target, signed : tile<i32> -> tile<i1>
      if %is_set {{ break %found, %after : tile<i32>, token }}
      continue %found, %after : tile<i32>, token
    }}
    %shifted = addi %x, %by : tile<{LANES}xi32>{scan("sums", "%shifted")}
    %done = store_ptr_tko weak %out, %sums token=%ready
        : tile<{LANES}xptr<i32>>, tile<{LANES}xi32> -> token"""
    parameters = ("%px: tile<ptr<i32>>", "%py: tile<ptr<i32>>", *TARGET)
    return module("spin_tile", parameters, (), body)


def _reads(entry: str, work: str) -> str:
    """Looks at a flag many times, does work that depends on it and stores `%work`."""
    vector = f"tile<{LANES}xi32>"
    flag = load_flag("relaxed", "%before")
    body = f"""{FLAG_VIEW}{load_lanes("x", "%px", "in")}
    %reads = constant <i32: {READS}> : tile<i32>
    %half = constant <i32: {MOST_TRIPS // 2}> : tile<i32>
    %last = for %read in (%zero to %reads, step %one) : tile<i32>
        iter_values(%before = %start) -> (token) {{{flag}{splat("by", "%read", "i32")}
      %shifted = addi %x, %by : {vector}{work}
      %scaled = muli %i, %reads : tile<i32>
      %line = addi %scaled, %read : tile<i32>{lanes("%py", "out", "i32", "%line")}
      %done = store_ptr_tko weak %out, %work token=%after
          : tile<{LANES}xptr<i32>>, {vector} -> token
      %next = join_tokens %after, %done : token
      continue %next : token
    }}"""
    parameters = ("%px: tile<ptr<i32>>", "%py: tile<ptr<i32>>", "%pf: tile<ptr<i32>>")
    return module(entry, parameters, (), body)


def trips_tile() -> str:
    """Prefix sums of prefix sums, as often as a flag says, which is loaded as a tile."""
    vector = f"tile<{LANES}xi32>"
    return _reads(
        "trips_tile",
        f"""
      %work = for %trip in (%zero to %found, step %one) : tile<i32>
          iter_values(%now = %shifted) -> ({vector}) {{{scan("more", "%now")}
        continue %more : {vector}
      }}""",
    )


def branch_tile() -> str:
    """Prefix sums if a flag says so, which is loaded as a tile."""
    vector = f"tile<{LANES}xi32>"
    return _reads(
        "branch_tile",
        f"""
      %is_large = cmpi greater_than %found, %half, signed : tile<i32> -> tile<i1>
      %work = if %is_large -> ({vector}) {{{scan("more", "%shifted")}
        yield %more : {vector}
      }} else {{
        yield %shifted : {vector}
      }}""",
    )


def trips_matmul() -> str:
    """A product with as many steps as a flag says, which is loaded as a tile."""
    a = View("a", "f16", (BLOCKS * 64, MOST_TRIPS * DEPTH), (64, DEPTH))
    b = View("b", "f16", (MOST_TRIPS * DEPTH, 64), (DEPTH, 64))
    body = (
        FLAG_VIEW
        + load_flag("relaxed", "%start")
        + product(a, b, "%start", count="%found")
        + SMALL_C.store("%acc", "%i", "%zero", "%start", "stored")
    )
    return module("trips_product", ("%pf: tile<ptr<i32>>",), (a, b, SMALL_C), body)


def toggle() -> str:
    """Writes flags, each a number from 1 to `MOST_TRIPS`, again and again."""
    mask = MOST_TRIPS - 1
    body = f"""{FLAG_ADDRESS}
    %mask = constant <i32: {mask}> : tile<i32>
    %last = for %turn in (%zero to %turns, step %one) : tile<i32>
        iter_values(%before = %start) -> (token) {{
      %low = andi %turn, %mask : tile<i32>
      %number = addi %low, %one : tile<i32>
      %next = store_ptr_tko relaxed device %flag, %number token=%before
          : tile<ptr<i32>>, tile<i32> -> token
      continue %next : token
    }}"""
    return module("toggle", ("%pf: tile<ptr<i32>>", "%turns: tile<i32>"), (), body)


def raise_flags() -> str:
    """Sets the flags of all CTAs, one CTA of this grid for each."""
    body = f"""{FLAG_ADDRESS}
    %done = store_ptr_tko release device %flag, %value token=%start
        : tile<ptr<i32>>, tile<i32> -> token"""
    return module("raise_flags", ("%pf: tile<ptr<i32>>", "%value: tile<i32>"), (), body)


def empty() -> str:
    """Reads an empty tensor as zeros, and stores to another one, which must change nothing."""
    kind = "tensor_view<?x64xf16, strides=[64,1]>"
    full = View("a", "f16", (BLOCKS * 64, 32), (64, 32))
    z = View("z", "f32", (BLOCKS * 64, 64), (64, 64))
    read = f"partition_view<tile=(32x64), padding_value = zero, {kind}>"
    write = f"partition_view<tile=(64x64), {kind}>"
    body = f"""
    %rows = assume bounded<0, ?>, %n : tile<i32>
    %qx = assume div_by<16>, %px : tile<ptr<f16>>
    %qy = assume div_by<16>, %py : tile<ptr<f16>>
    %tx = make_tensor_view %qx, shape = [%rows, 64], strides = [64, 1] : tile<i32> -> {kind}
    %ty = make_tensor_view %qy, shape = [%rows, 64], strides = [64, 1] : tile<i32> -> {kind}
    %vx = make_partition_view %tx : {write}
    %vy = make_partition_view %ty : {read}{full.load("a", "%i", "%zero", "%start")}
    %b, %b_token = load_view_tko weak %vy[%zero, %zero] token=%start
        : {read}, tile<i32> -> tile<32x64xf16>, token
    %none = constant <f32: 0.0> : tile<64x64xf32>
    %acc = mmaf %a, %b, %none : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    %ones = constant <f32: 1.0> : tile<64x64xf32>
    %more = addf %acc, %ones : tile<64x64xf32>
    %half = ftof %more : tile<64x64xf32> -> tile<64x64xf16>
    %nothing = store_view_tko weak %half, %vx[%zero, %zero] token=%start
        : tile<64x64xf16>, {write}, tile<i32> -> token"""
    body += z.store("%acc", "%i", "%zero", "%start", "stored")
    parameters = ("%px: tile<ptr<f16>>", "%py: tile<ptr<f16>>", "%n: tile<i32>")
    return module("empty", parameters, (full, z), body)


def huge() -> str:
    """Multiplies a tile of a tensor that may have more than 2^32 rows."""
    kind = "tensor_view<?x16xf16, strides=[?,1]>"
    view = f"partition_view<tile=(64x16), padding_value = zero, {kind}>"
    b = View("b", "f16", (16, 64), (16, 64))
    c = View("c", "f32", (64, 64), (64, 64))
    body = f"""
    %first = constant <i64: 0> : tile<i64>
    %base = assume div_by<16>, %ph : tile<ptr<f16>>
    %rows = assume bounded<0, ?>, %n : tile<i64>
    %even = assume div_by<8>, %s : tile<i64>
    %stride = assume bounded<0, ?>, %even : tile<i64>
    %th = make_tensor_view %base, shape = [%rows, 16], strides = [%stride, 1] : tile<i64> -> {kind}
    %vh = make_partition_view %th : {view}
    %a, %a_token = load_view_tko weak %vh[%row, %first] token=%start
        : {view}, tile<i64> -> tile<64x16xf16>, token{b.load("b", "%zero", "%zero", "%start")}
    %none = constant <f32: 0.0> : tile<64x64xf32>
    %acc = mmaf %a, %b, %none : tile<64x16xf16>, tile<16x64xf16>, tile<64x64xf32>"""
    body += c.store("%acc", "%zero", "%zero", "%start", "stored")
    parameters = (
        "%ph: tile<ptr<f16>>",
        "%n: tile<i64>",
        "%s: tile<i64>",
        "%row: tile<i64>",
    )
    return module("huge", parameters, (b, c), body)


def reduce_to_memory(mode: str, element: str) -> str:
    """Reduces the bits of a product into memory, by TMA."""
    c = View("c", element, (BLOCKS * 128, 128), (128, 128))
    wide = (
        """
    %bits = exti %narrow signed : tile<128x128xi32> -> tile<128x128xi64>"""
        if element == "i64"
        else ""
    )
    value = "%bits" if wide else "%narrow"
    body = f"""{product(A, B, "%start")}
    %narrow = bitcast %acc : tile<128x128xf32> -> tile<128x128xi32>{wide}
    %done = atomic_red_view_tko relaxed device %vc[%i, %zero], {mode}, {value}
        : tile<128x128x{element}>, {c.type}, tile<i32> -> token"""
    return module("reduce_to_memory", (), (A, B, c), body)


def copy() -> str:
    """Copies vectors."""
    body = f"""{load_lanes("x", "%px", "in")}{lanes("%py", "out", "i32")}
    %done = store_ptr_tko weak %out, %x token=%start
        : tile<{LANES}xptr<i32>>, tile<{LANES}xi32> -> token"""
    return module("copy", ("%px: tile<ptr<i32>>", "%py: tile<ptr<i32>>"), (), body)


CLUSTER_SIZE = 1024
"""Rows, columns and depth of the matrices that clusters multiply."""


def cluster() -> str:
    """A product by clusters of two CTAs, which share tiles by multicast."""
    size = CLUSTER_SIZE
    a = View("a", "f16", (size, size), (128, 64))
    b = View("b", "f16", (size, size), (64, 128))
    c = View("c", "f32", (size, size), (128, 128))
    body = (
        f"""
    %depth = constant <i32: {size // 64}> : tile<i32>"""
        + product(a, b, "%start", count="%depth", column="%j")
        + c.store("%acc", "%i", "%j", "%start", "stored")
    )
    return module("cluster", (), (a, b, c), body, "sm_90 = {num_cta_in_cga = 2}")


def all_kernels() -> dict[str, str]:
    """The text of each kernel, by its name; entries are called as the functions here."""
    texts = {
        "slow_writer": slow_writer(),
        "spin_tile": spin_tile(),
        "trips_tile": trips_tile(),
        "branch_tile": branch_tile(),
        "trips_product": trips_matmul(),
        "toggle": toggle(),
        "raise_flags": raise_flags(),
        "empty": empty(),
        "huge": huge(),
        "copy": copy(),
        "cluster": cluster(),
    }
    for element in ("f16", "f32"):
        for make in (publish, collect, reload, overwrite):
            texts[f"{make.__name__}-{element}"] = make(element)
    for wait in WAITS:
        for make in (operands, epilogue, bounds):
            texts[f"{make.__name__}-{wait}"] = make(wait)
    for mode, element in (("umax", "i32"), ("umin", "i32"), ("umax", "i64"), ("add", "i64")):
        texts[f"reduce-{mode}-{element}"] = reduce_to_memory(mode, element)
    return texts
