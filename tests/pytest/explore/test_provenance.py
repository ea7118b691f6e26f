"""Marks that tell where ops came from, through passes that keep locations and others."""

from xdsl.dialects import arith, test
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, i32
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter
from xdsl.transforms.convert_scf_to_cf import ConvertScfToCf

from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.inspection.exploration.provenance import (
    Tracker,
    get_branches,
    get_marks,
    get_source,
    mark_branches,
    set_marks,
)

from ..harness.modules import context

LOOP = """
builtin.module {
  func.func @f(%n: index, %x: i32) -> i32 {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %sum = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> (i32) {
      %t = arith.addi %s, %x : i32
      scf.yield %t : i32
    }
    %y = arith.muli %sum, %sum : i32
    func.return %y : i32
  }
}
"""


def find(module: ModuleOp, name: str) -> list[Operation]:
    return [op for op in module.walk() if op.name == name]


def test_marks_keep_the_location():
    place = FileLineColLoc(StringAttr("a.py"), IntAttr(3), IntAttr(1))
    op = test.TestOp()
    op.location = place
    assert get_marks(op) == ()
    set_marks(op, {7, 3})
    set_marks(op, {9, *get_marks(op)})
    assert get_marks(op) == (3, 7, 9)
    assert get_source(op) == place
    assert get_marks(op.clone()) == (3, 7, 9)


def test_every_op_has_a_mark():
    module = load(LOOP)
    Tracker(module)
    assert [get_marks(op) for op in module.walk()] == [(n,) for n in range(len([*module.walk()]))]


def test_nothing_changed():
    tracker = Tracker(module := load(LOOP))
    assert not tracker.follow()
    find(module, "arith.muli")[0].attributes["x"] = StringAttr("y")
    assert tracker.follow()
    assert not tracker.follow()
    total = find(module, "arith.muli")[0].operands[0]
    find(module, "func.return")[0].operands[0] = total
    assert tracker.follow()


def test_a_loop_lives_on_in_its_jumps():
    tracker = Tracker(module := load(LOOP))
    loop = get_marks(find(module, "scf.for")[0])
    ConvertScfToCf().apply(context(), module)
    assert tracker.follow()
    jumps = [*find(module, "cf.br"), *find(module, "cf.cond_br"), *find(module, "arith.cmpi")]
    assert len(jumps) == 4
    assert {get_marks(op) for op in jumps} == {loop}
    assert all(get_marks(op) for op in module.walk())


def test_what_took_the_place_of_an_op():
    tracker = Tracker(module := load(LOOP))
    product, end = find(module, "arith.muli")[0], find(module, "func.return")[0]
    other = arith.AddiOp(product.operands[0], product.operands[1], result_type=i32)
    set_marks(other, get_marks(end))
    marks = get_marks(product)
    Rewriter.replace_op(product, other)
    assert tracker.follow()
    assert get_marks(other) == tuple(sorted({*marks, *get_marks(end)}))


def test_an_op_without_a_location():
    tracker = Tracker(module := load(LOOP))
    product = find(module, "arith.muli")[0]
    block = product.parent
    assert block is not None
    constant = arith.ConstantOp.from_int_and_width(1, 32)
    block.insert_op_before(constant, product)
    product.operands[1] = constant.result
    last = test.TestOp()
    block.insert_op_before(last, find(module, "func.return")[0])
    assert tracker.follow()
    assert get_marks(constant) == get_marks(product)
    assert get_marks(last) == get_marks(product)


BRANCHES = """
builtin.module {
  func.func @f(%c: i1, %x: i32) -> i32 {
    %y = scf.if %c -> (i32) {
      %a = arith.addi %x, %x : i32
      scf.yield %a : i32
    } else {
      %z = scf.if %c -> (i32) {
        %b = arith.muli %x, %x : i32
        scf.yield %b : i32
      } else {
        scf.yield %x : i32
      }
      scf.yield %z : i32
    }
    func.return %y : i32
  }
}
"""


def test_branches_live_on():
    tracker = Tracker(module := load(BRANCHES))
    product = find(module, "arith.muli")[0]
    marks, source = get_marks(product), get_source(product)
    mark_branches(module)
    assert get_branches(find(module, "arith.addi")[0]) == (0,)
    assert (get_marks(product), get_branches(product)) == (marks, (1, 2))
    assert get_branches(find(module, "func.return")[0]) == ()
    assert [get_branches(op) for op in find(module, "scf.if")] == [(), (1,)]
    ConvertScfToCf().apply(context(), module)
    assert tracker.follow()
    set_marks(product, {*get_marks(product), 99})
    assert (get_marks(product), get_branches(product)) == ((*marks, 99), (1, 2))
    assert get_source(product) == source
    # What is in no branch any more is in none.
    mark_branches(module)
    assert not any(map(get_branches, module.walk()))
