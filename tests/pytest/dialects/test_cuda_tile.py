"""
What is asked of the `cuda_tile` dialect and needs Python: whole modules, passes, and
statements about all ops. The others are in `tests/filecheck/dialects/cuda_tile`.
"""

from collections import Counter
from pathlib import Path

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntegerAttr, ModuleOp
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator, Pure, is_side_effect_free
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.transforms.dead_code_elimination import DeadCodeElimination
from xdsl.utils.exceptions import ParseError, VerifyException

from tileiras_xdsl.dialects.cuda_tile import CudaTile, CudaTileOperation, EntryOp
from tileiras_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileiras_xdsl.dialects.cuda_tile.base import AnyType, TypeSet
from tileiras_xdsl.dialects.cuda_tile.types import StringType, TokenType

from ..harness.modules import context, parse, parse_unverified, print_module
from ..harness.passes import apply

CORPUS = Path(__file__).parents[2] / "corpus"

OP_CLASSES = tuple(op for op in CudaTile.operations if issubclass(op, CudaTileOperation))
NAMES = tuple(op.name for op in OP_CLASSES)

PASSES: tuple[ModulePass, ...] = (
    DeadCodeElimination(),
    CommonSubexpressionElimination(),
    CanonicalizePass(),
)


def in_function(arguments: str, body: str) -> str:
    return f"cuda_tile.module @m {{ testing$func @f({arguments}) {{ {body}\n return }} }}"


def count_ops(module: ModuleOp) -> Counter[str]:
    return Counter(op.name for op in module.walk())


# The dialect


@pytest.mark.requirement("A-01")
def test_one_dialect_is_enough():
    """
    A kernel needs no op of another dialect. That what verifies also compiles is tested with the
    pipeline.
    """
    assert CudaTile.name == "cuda_tile"
    assert all(name.startswith("cuda_tile.") for name in NAMES)
    for kernel in ("vector_add", "matmul_fp4_mxfp4", "causal_attention"):
        module = parse((CORPUS / "text" / "13.4" / f"{kernel}.mlir").read_text())
        names = {op.name for op in module.walk() if op is not module}
        assert names
        assert all(name.startswith("cuda_tile.") for name in names)


@pytest.mark.requirement("A-02")
def test_modules_hold_entries():
    """Two entries are two symbols, none is valid too; kernels come out of the pipeline."""
    module = parse(
        """
        cuda_tile.module @m {
          cuda_tile.entry @a() { cuda_tile.return }
          cuda_tile.entry @b() { cuda_tile.return }
        }
        """
    )
    entries = [op for op in module.walk() if isinstance(op, EntryOp)]
    assert [entry.symbol for entry in entries] == ["a", "b"]
    assert print_module(parse("cuda_tile.module @m {}")).count("cuda_tile.module @m {") == 1


@pytest.mark.requirement("A-03")
def test_control_flow_is_the_dialects_own():
    module = parse(
        """
        cuda_tile.module @m {
          entry @k(%c: tile<i1>, %n: tile<i32>) {
            %f = for %i in (%n to %n, step %n) : tile<i32> iter_values(%a = %n) -> (tile<i32>) {
              %b = if %c -> (tile<i32>) {
                yield %a : tile<i32>
              } else {
                yield %i : tile<i32>
              }
              continue %b : tile<i32>
            }
            %l = loop iter_values(%d = %f) : tile<i32> -> tile<i32> {
              if %c {
                break %d : tile<i32>
              }
              continue %d : tile<i32>
            }
            return
          }
        }
        """
    )
    words = ("if", "for", "loop", "yield", "break", "continue", "return")
    assert {f"cuda_tile.{word}" for word in words} <= set(count_ops(module))


ARCHITECTURES = ("sm_80", "sm_90", "sm_90a", "sm_100", "sm_120", "sm_1")


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.requirement("A-08")
def test_verifiers_do_not_know_the_target(arch: str):
    """What only some architectures can do is valid for all; so are hints that make no sense."""
    module = parse(
        f"""
        builtin.module attributes {{
          nv_tileaa.compute_capability = "{arch}", target = "{arch}", arch = "{arch}"
        }} {{
          cuda_tile.module @m attributes {{arch = "{arch}"}} {{
            entry @k() optimization_hints=<{arch} = {{num_cta_in_cga = 16, occupancy = 999}}> {{
              %l = constant <f4E2M1FN: 1.0> : tile<16x64xf4E2M1FN>
              %r = constant <f4E2M1FN: 1.0> : tile<64x8xf4E2M1FN>
              %a = constant <f32: 0.0> : tile<16x8xf32>
              %s = constant <f8E8M0FNU: 1.0> : tile<16x2xf8E8M0FNU>
              %t = constant <f8E8M0FNU: 1.0> : tile<2x8xf8E8M0FNU>
              %m = mmaf_scaled %l, %r, %a, %s, %t : tile<16x64xf4E2M1FN>, tile<64x8xf4E2M1FN>,
                tile<16x8xf32>, tile<16x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
              %w = gdc_wait_tko -> token
              return
            }}
          }}
        }}
        """
    )
    assert count_ops(module)["cuda_tile.mmaf_scaled"] == 1


@pytest.mark.requirement("A-08")
def test_verify_takes_no_target():
    for op_class in OP_CLASSES:
        for name in ("verify_op", "verify_regions_"):
            assert getattr(op_class, name).__code__.co_argcount == 1
        assert op_class.verify is CudaTileOperation.verify


# Operation families

FAMILIES = {
    "arithmetic": "addf addi mulf cmpf cmpi shli xori fma subf subi muli divf divi andi ori shri "
    "maxf",
    "math": "exp exp2 log log2 pow rsqrt sin cos sqrt tanh",
    "memory": "load_ptr_tko load_view_tko store_ptr_tko store_view_tko atomic_cas_tko "
    "atomic_rmw_tko offset",
    "structure": "module entry if for loop yield break continue return",
    "shapes": "broadcast cat extract permute reshape iota select",
    "aggregates": "reduce scan",
    "mma": "mmaf mmai",
    "conversions": "exti trunci itof ftoi ftof bitcast int_to_ptr ptr_to_int ptr_to_ptr",
    "symbols and diagnostics": "assert assume print constant global get_global",
}


@pytest.mark.requirement("A-09", "A-10", "A-11", "A-12", "A-13", "A-14", "A-15", "A-16", "A-17")
def test_families_of_ops_exist():
    for mnemonics in FAMILIES.values():
        for mnemonic in mnemonics.split():
            assert f"cuda_tile.{mnemonic}" in NAMES


@pytest.mark.parametrize(
    "line",
    [
        "%0 = addf %f, %f rounding<zero> flush_to_zero : tile<f32>",
        "%0 = fma %f, %f, %f rounding<positive_inf> : tile<f32>",
        '%0 = mulf %f, %f {fastmath = "contract"} : tile<f32>',
        "%0 = addi %i, %i overflow<no_wrap> : tile<i32>",
        "%0 = shli %i, %i overflow<no_signed_wrap> : tile<i32>",
        "%0 = shri %i, %i unsigned : tile<i32>",
        "%0 = divi %i, %i signed rounding<negative_inf> : tile<i32>",
        "%0 = cmpf not_equal unordered %f, %f : tile<f32> -> tile<i1>",
        "%0 = cmpi less_than %i, %i, unsigned : tile<i32> -> tile<i1>",
    ],
)
@pytest.mark.requirement("A-09")
def test_attributes_of_arithmetic_survive_a_round_trip(line: str):
    module = parse(in_function("%f: tile<f32>, %i: tile<i32>", line))
    text = print_module(module)
    (op,) = (op for op in module.walk() if op.results and not op.regions)
    attributes = {**op.properties, **op.attributes}
    again = parse(text)
    (other,) = (op for op in again.walk() if op.results and not op.regions)
    assert attributes
    assert {**other.properties, **other.attributes} == attributes
    assert print_module(again) == text


@pytest.mark.parametrize(
    "mnemonic", "exp exp2 log log2 rsqrt sin cos tanh ceil floor negf absf tan sinh cosh".split()
)
@pytest.mark.requirement("A-10")
def test_passes_keep_math_functions_as_they_are(mnemonic: str):
    """They stay themselves and are not expanded, in the canonical form as well."""
    line = f"%0 = {mnemonic} %f : tile<4xf32>"
    use = '"test.op"(%0) : (!cuda_tile.tile<4xf32>) -> ()'
    module = parse(in_function("%f: tile<4xf32>", f"{line}\n {use}"))
    apply(module, *PASSES, check="each")
    assert count_ops(module)[f"cuda_tile.{mnemonic}"] == 1


@pytest.mark.requirement("A-12")
def test_structured_ops_know_their_places():
    """An entry is not an expression: the structured ops know their places."""
    with pytest.raises(VerifyException, match="expects parent op to be one of"):
        parse("cuda_tile.module @m { entry @k() { continue } }")
    with pytest.raises(VerifyException, match="entry op must have scalar types"):
        parse("cuda_tile.module @m { entry @k(%a: tile<4xi32>) { return } }")


@pytest.mark.requirement("A-13")
def test_shape_algebra_has_no_layout():
    """The ops take shapes only; a layout is at most an attribute that nobody reads."""
    for mnemonic in FAMILIES["shapes"].split():
        op_class = next(op for op in OP_CLASSES if op.name == f"cuda_tile.{mnemonic}")
        properties = set(op_class.get_irdl_definition().properties)
        assert properties <= {"dim", "permutation", "operandSegmentSizes"}
        assert op_class.has_trait(Pure)


MIXED = (
    ("addf", "f32", "f16"),
    ("mulf", "f32", "f64"),
    ("divf", "f16", "bf16"),
    ("maxf", "f32", "f64"),
    ("remf", "f64", "f32"),
    ("addi", "i32", "i64"),
    ("andi", "i1", "i8"),
    ("shli", "i32", "i8"),
    ("mulhii", "i16", "i32"),
    ("cmpi", "i32", "i64"),
    ("cmpf", "f32", "f16"),
    ("cat", "f32", "f16"),
    ("fma", "f32", "f16"),
)


@pytest.mark.parametrize(("mnemonic", "left", "right"), MIXED)
@pytest.mark.requirement("A-16")
def test_nothing_converts_implicitly(mnemonic: str, left: str, right: str):
    attributes = {
        "addi": "overflow = #cuda_tile.overflow<none>",
        "shli": "overflow = #cuda_tile.overflow<none>",
        "cmpi": "comparison_predicate = #cuda_tile.comparison_predicate<equal>, "
        "signedness = #cuda_tile.signedness<signed>",
        "cmpf": "comparison_predicate = #cuda_tile.comparison_predicate<equal>, "
        "comparison_ordering = #cuda_tile.comparison_ordering<ordered>",
        "cat": "dim = 0 : i64",
    }.get(mnemonic, "rounding_mode = #cuda_tile.rounding<nearest_even>")
    if mnemonic in ("maxf", "remf", "andi", "mulhii"):
        attributes = ""
    types = [f"!cuda_tile.tile<4x{element}>" for element in (left, right)]
    names = ["%0", "%1"]
    if mnemonic == "fma":
        types, names = [*types, types[0]], [*names, "%0"]
    result = {"cat": f"!cuda_tile.tile<8x{left}>"}.get(mnemonic, types[0])
    if mnemonic.startswith("cmp"):
        result = "!cuda_tile.tile<4xi1>"
    op = f'"cuda_tile.{mnemonic}"({", ".join(names)}) <{{{attributes}}}>'
    text = f"""
        %0, %1 = "test.op"() : () -> ({types[0]}, {types[1]})
        %2 = {op} : ({", ".join(types)}) -> {result}
    """
    with pytest.raises(VerifyException, match=r"have (the )?same (element )?type"):
        parse(text)


@pytest.mark.requirement("A-18")
def test_the_print_op_has_its_own_name():
    text = print_module(parse('cuda_tile.print "hello"'))
    assert 'cuda_tile.print "hello"' in text
    assert "print_tko" not in text


@pytest.mark.requirement("A-19")
def test_atan2_belongs_to_13_2():
    """
    An ordinary op of the dialect that says which version it needs; the conversion for 13.1 will
    refuse it by that.
    """
    module = parse(in_function("%x: tile<4xf32>", "%0 = atan2 %x, %x : tile<4xf32>"))
    (atan2,) = (op for op in module.walk() if op.name == "cuda_tile.atan2")
    assert isinstance(atan2, CudaTileOperation)
    assert atan2.SINCE == "13.2"
    newer = {op.name for op in OP_CLASSES if op.SINCE != "13.1"}
    documented = {f"cuda_tile.{word}" for family in FAMILIES.values() for word in family.split()}
    assert not newer & documented


@pytest.mark.requirement("A-20")
def test_names_are_unique():
    assert len(set(NAMES)) == len(NAMES)
    assert {"cuda_tile.print", "cuda_tile.print_tko", "cuda_tile.atan2"} <= set(NAMES)


@pytest.mark.parametrize("op_class", OP_CLASSES, ids=NAMES)
@pytest.mark.requirement("A-20")
def test_the_name_is_the_one_printed_and_diagnosed(op_class: type[CudaTileOperation]):
    """`fpowf` is the newer name of `pow` and gives that op."""
    name = "cuda_tile.pow" if op_class.name == "cuda_tile.fpowf" else op_class.name
    op = op_class.create()
    assert print_module(op, generic=True).startswith(f'"{name}"(')
    assert context().get_op(op_class.name) is op_class
    with pytest.raises(VerifyException) as raised:
        op.fail("message")
    assert str(raised.value) == f"'{name}' op message"


@pytest.mark.parametrize("path", sorted((CORPUS / "text" / "13.4").glob("*.mlir"))[::2])
@pytest.mark.requirement("A-21")
def test_public_syntax_is_the_reference(path: Path):
    """Samples; `corpus/test_text_round_trip.py` has all of them, and what is printed."""
    module = parse(path.read_text())
    assert len(list(module.walk())) > 2


# Types that only some ops may have


@pytest.mark.requirement("A-26")
def test_tokens_have_no_value():
    """No op computes with a token; those that take one order effects."""
    for op_class in OP_CLASSES:
        takes_token = any(
            types is not AnyType and types.contains(TokenType()) for types in type_sets(op_class)
        )
        assert takes_token == op_class.name.endswith(
            ("_tko", "make_token", "join_tokens", "token.join")
        )
    with pytest.raises(VerifyException, match="operand #0 must be tile of i1 or i8"):
        parse(
            """
            %0 = cuda_tile.make_token : token
            %1 = cuda_tile.addi %0, %0 : token
            """
        )


def type_sets(op_class: type[CudaTileOperation]) -> list[TypeSet]:
    """The type sets of the operands and results of an op class."""
    definition = op_class.get_irdl_definition()
    found: list[TypeSet] = []
    pending: list[object] = [value.constr for _, value in definition.operands]
    pending += [value.constr for _, value in definition.results]
    while pending:
        constraint = pending.pop()
        if isinstance(constraint, TypeSet):
            found.append(constraint)
            continue
        for name in ("constr", "constraint"):
            if hasattr(constraint, name):
                pending.append(getattr(constraint, name))
    return found


@pytest.mark.requirement("A-27")
def test_no_op_produces_a_string():
    assert str(StringType()) == "!cuda_tile.string"
    for op_class in OP_CLASSES:
        for types in type_sets(op_class):
            assert types is AnyType or not types.contains(StringType())


# The memory model

ARGUMENTS = (
    "%p: tile<ptr<i32>>, %x: tile<i32>, %c: tile<i1>, %t: token, %i: tile<i32>, "
    "%y: tile<8xi32>, %v: partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>"
)
VIEW = "partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>"
EFFECTS = {
    "load_ptr_tko": "weak %p : tile<ptr<i32>> -> tile<i32>, token",
    "store_ptr_tko": "weak %p, %x : tile<ptr<i32>>, tile<i32> -> token",
    "load_view_tko": f"weak %v[%i] : {VIEW} -> tile<8xi32>, token",
    "store_view_tko": f"weak %v[%i], %y : {VIEW}, tile<8xi32> -> token",
    "atomic_rmw_tko": "relaxed gpu add %p, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token",
    "atomic_cas_tko": "relaxed gpu %p, %x, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token",
    "atomic_red_view_tko": f"relaxed gpu %v[%i], add, %y : tile<8xi32>, {VIEW} -> token",
    "print_tko": '"%d", %x : tile<i32> -> token',
    "print": '"%d", %x : tile<i32>',
    "assert": '%c, "message" : tile<i1>',
    "assume": "div_by<4>, %x : tile<i32>",
    "alloca": "num_elem = 4, alignment = 4 : tile<ptr<i32>>",
    "gdc_wait_tko": "-> token",
    "gdc_launch_dependents_tko": "-> token",
    "memory_fence_alias_tko": "%t -> token",
}
"""Ops with effects, in forms whose results nobody uses."""
RESULTS = {"load_ptr_tko": 2, "load_view_tko": 2, "atomic_rmw_tko": 2, "atomic_cas_tko": 2}


def effect_line(mnemonic: str, index: int) -> str:
    count = 0 if mnemonic in ("print", "assert") else RESULTS.get(mnemonic, 1)
    results = ", ".join(f"%r{index}_{number}" for number in range(count))
    return f"{results}{' = ' if count else ''}{mnemonic} {EFFECTS[mnemonic]}"


@pytest.mark.requirement("A-54")
def test_tko_ops_are_ordered_by_tokens():
    """Each takes a token and gives one; a token may be used any number of times."""
    for op_class in OP_CLASSES:
        definition = op_class.get_irdl_definition()
        if op_class.name.endswith("_tko"):
            assert "token" in dict(definition.operands)
            assert "result_token" in dict(definition.results)
            assert definition.results[-1][0] == "result_token"
    assert {f"cuda_tile.{name}" for name in EFFECTS if name.endswith("_tko")} == {
        name for name in NAMES if name.endswith("_tko")
    }
    store = "store_ptr_tko weak %p, %x token=%t : tile<ptr<i32>>, tile<i32> -> token"
    parse(in_function(ARGUMENTS, f"%a = {store}\n%b = {store}\n%c0 = join_tokens %a, %b : token"))


@pytest.mark.parametrize("mnemonic", EFFECTS)
@pytest.mark.requirement("A-54", "A-55")
def test_effects_are_not_pure(mnemonic: str):
    module = parse(in_function(ARGUMENTS, effect_line(mnemonic, 0)))
    (op,) = (op for op in module.walk() if op.name == f"cuda_tile.{mnemonic}")
    assert not is_side_effect_free(op)
    assert not op.has_trait(Pure)


@pytest.mark.parametrize("mnemonic", EFFECTS)
@pytest.mark.requirement("A-55")
def test_passes_keep_unused_effects(mnemonic: str):
    """Two equal ones whose results nobody uses: neither is removed, and they are not merged."""
    lines = [effect_line(mnemonic, index) for index in range(2)]
    module = parse(in_function(ARGUMENTS, "\n".join(lines)))
    apply(module, *PASSES, check="each")
    assert count_ops(module)[f"cuda_tile.{mnemonic}"] == 2


@pytest.mark.requirement("A-55")
def test_passes_keep_the_order():
    """All of them in a row come out in the same order."""
    lines = [effect_line(mnemonic, index) for index, mnemonic in enumerate(EFFECTS)]
    module = parse(in_function(ARGUMENTS, "\n".join(lines)))
    apply(module, *PASSES, check="each")
    names = [op.name.removeprefix("cuda_tile.") for op in module.walk()]
    assert [name for name in names if name in EFFECTS] == list(EFFECTS)


@pytest.mark.requirement("A-55")
def test_passes_keep_effects_in_regions():
    body = """
        if %c {
          %a = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
        }
        for %k in (%i to %i, step %i) : tile<i32> {
          %b, %b0 = atomic_rmw_tko relaxed gpu add %p, %x : tile<ptr<i32>>, tile<i32>
            -> tile<i32>, token
        }
        loop {
          %d = print_tko "loop" -> token
          break
        }
    """
    module = parse(in_function(ARGUMENTS, body))
    apply(module, *PASSES, check="each")
    counts = count_ops(module)
    for mnemonic in ("store_ptr_tko", "atomic_rmw_tko", "print_tko"):
        assert counts[f"cuda_tile.{mnemonic}"] == 1


@pytest.mark.requirement("A-55")
def test_passes_do_remove_what_is_pure():
    """Otherwise the tests above would show nothing."""
    body = """
        %a = addi %x, %i : tile<i32>
        %b = make_token : token
        %d = join_tokens %t, %t : token
        %e = addi %x, %x : tile<i32>
        %f = addi %x, %x : tile<i32>
        "test.op"(%e, %f) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
    """
    module = parse(in_function(ARGUMENTS, body))
    apply(module, *PASSES, check="each")
    counts = count_ops(module)
    assert counts["cuda_tile.addi"] == 1
    assert counts["cuda_tile.make_token"] == 0
    assert counts["cuda_tile.join_tokens"] == 0


PURE = frozenset(
    """
    absf absi addf addi andi bitcast broadcast cat ceil cmpf cmpi constant cos cosh divf exp exp2
    exti extract floor fma ftof ftoi get_global get_num_tile_blocks get_tile_block_id int_to_ptr
    iota itof join_tokens log log2 make_partition_view make_token maxf maxi minf mini mmaf mmai
    mulf mulhii muli negf negi offset ori permute pow ptr_to_int ptr_to_ptr remf remi reshape rsqrt
    select shli shri sin sinh sqrt subf subi tan tanh trunci xori yield atan2 pack unpack
    mmaf_scaled make_gather_scatter_view make_strided_view insert fpowi token.join
    """.split()
)
"""Column `eff` of the public roster, and `token.join`, which is like `join_tokens`."""


@pytest.mark.parametrize("op_class", OP_CLASSES, ids=NAMES)
@pytest.mark.requirement("A-55")
def test_only_these_ops_are_pure(op_class: type[CudaTileOperation]):
    mnemonic = op_class.name.removeprefix("cuda_tile.")
    if mnemonic == "fpowf":
        mnemonic = "pow"
    assert op_class.has_trait(Pure) == (mnemonic in PURE)
    if mnemonic in EFFECTS:
        assert not op_class.has_trait(IsTerminator)


# Attributes


def hints_of(module: ModuleOp) -> OptimizationHintsAttr:
    (hints,) = (
        op.properties["optimization_hints"]
        for op in module.walk()
        if "optimization_hints" in op.properties
    )
    assert isinstance(hints, OptimizationHintsAttr)
    return hints


@pytest.mark.requirement("A-65")
def test_unknown_hints_are_kept_and_change_nothing():
    line = "%a, %b = load_ptr_tko weak %p {} : tile<ptr<i32>> -> tile<i32>, token"
    hints = "optimization_hints = <pluto = {x = [1, 2]}, sm_100 = {latency = 99, zzz = true}>"
    plain = parse(in_function(ARGUMENTS, line.format("")))
    hinted = parse(in_function(ARGUMENTS, line.format(hints)))
    apply(hinted, *PASSES, check="each")
    again = parse(print_module(hinted))
    assert hints_of(again) == hints_of(hinted)
    assert set(hints_of(again).value.data) == {"pluto", "sm_100"}
    for op in again.walk():
        op.properties.pop("optimization_hints", None)
    assert print_module(again) == print_module(plain)


HINTS = OptimizationHintsAttr.from_dict(
    {
        "sm_80": {"num_cta_in_cga": 2, "latency": 11, "allow_tma": 1},
        "sm_100": {"num_cta_in_cga": 2, "num_worker_warps_per_cta": 64, "occupancy": 32},
        "default": {
            "num_cta_in_cga": 4,
            "num_worker_warps_per_cta": 8,
            "occupancy": 1,
            "latency": 10,
            "allow_tma": True,
            "other": 7,
        },
    }
)


@pytest.mark.parametrize(
    ("arch", "key", "value"),
    [
        ("sm_100", "num_cta_in_cga", 2),
        ("sm_100", "occupancy", 32),
        ("sm_100", "latency", 10),
        ("sm_120", "num_cta_in_cga", 4),
        ("sm_120", "other", 7),
        # Invalid values count as absent.
        ("sm_80", "num_cta_in_cga", 4),
        ("sm_80", "latency", 10),
        ("sm_80", "allow_tma", True),
        ("sm_100", "num_worker_warps_per_cta", 8),
        ("sm_100", "zzz", None),
    ],
)
@pytest.mark.requirement("A-65")
def test_hints_are_looked_up_by_architecture(arch: str, key: str, value: int | None):
    found = HINTS.lookup(arch, key)
    if value is None:
        assert found is None
    else:
        assert isinstance(found, IntegerAttr)
        assert bool(found.value.data) if value is True else found.value.data == value


INVALID = {
    "num_cta_in_cga": (0, 3, 32, -1, True),
    "num_worker_warps_per_cta": (0, 6, 64, True),
    "occupancy": (0, 33, -1, False),
    "latency": (0, 11, True),
    "allow_tma": (0, 1, 2),
}
VALID = {
    "num_cta_in_cga": (1, 2, 4, 8, 16),
    "num_worker_warps_per_cta": (1, 2, 4, 8, 16, 32),
    "occupancy": (1, 32),
    "latency": (1, 10),
    "allow_tma": (True, False),
}


@pytest.mark.parametrize("key", VALID)
@pytest.mark.requirement("A-65")
def test_only_valid_values_of_hints_are_found(key: str):
    for value in VALID[key]:
        hints = OptimizationHintsAttr.from_dict({"sm_100": {key: value}})
        assert hints.lookup("sm_100", key) is not None
    for value in INVALID[key]:
        hints = OptimizationHintsAttr.from_dict({"sm_100": {key: value}})
        assert hints.lookup("sm_100", key) is None
    for arch in ("sm_80", "sm_86", "sm_87", "sm_88", "sm_89"):
        hints = OptimizationHintsAttr.from_dict({arch: {"num_cta_in_cga": 2}})
        assert hints.lookup(arch, "num_cta_in_cga") is None
        assert OptimizationHintsAttr.from_dict({arch: {"num_cta_in_cga": 1}}).lookup(
            arch, "num_cta_in_cga"
        )


@pytest.mark.requirement("A-66")
def test_predicates_have_these_names():
    for predicate in ("div_by<4>", "bounded<0, ?>", "same_elements<[4]>"):
        parse(in_function("%x: tile<4xi32>", f"%a = assume {predicate}, %x : tile<4xi32>"))
    with pytest.raises(ParseError, match="unknown assume predicate attribute: even"):
        parse_unverified(in_function("%x: tile<4xi32>", "%a = assume even<4>, %x : tile<4xi32>"))


@pytest.mark.requirement("A-67")
def test_locations_survive_and_may_be_absent():
    """They are part of the IR from the text on; the final output comes with the pipeline."""
    line = "%a = addi %x, %x : tile<4xi32>"
    located = f'{line} loc("kernel.py":3:4)'
    module = parse(in_function("%x: tile<4xi32>", located))
    (op,) = (op for op in module.walk() if op.name == "cuda_tile.addi")
    assert isinstance(op.location, FileLineColLoc)
    assert (op.location.filename.data, op.location.line.data) == ("kernel.py", 3)
    text = print_module(module, debuginfo=True)
    assert 'loc("kernel.py":3:4)' in text
    again = parse(text)
    assert print_module(again, debuginfo=True) == text
    assert "loc(" not in print_module(module)
    unknown = parse(in_function("%x: tile<4xi32>", f"{line} loc(unknown)"))
    assert print_module(unknown) == print_module(module)
