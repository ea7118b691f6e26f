// RUN: TILEIRAS_VERIFY_INVALID

// -----

// `reduce`, in the order of the checks.

// CHECK: 'cuda_tile.reduce' op requires the same shape for all operands
%0:2 = cuda_tile.reduce %t8xf32, %t16xf32 dim=7 identities=[0.0 : f32] : !t8xf32, !t16xf32 -> !f32, !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op [[constraint:attribute 'dim' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative]]
%0 = cuda_tile.reduce %t8xf32 dim=-10 identities=[0.0 : f32, 0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op dimension (3) is out of bound [0, 1)
%0 = cuda_tile.reduce %t8xf32 dim=3 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op [[identities:expect identities to match the number of operands but got: 1 operands and 2 identities]]
%0 = cuda_tile.reduce %t8xf32 dim=3 identities=[0.0 : f32, 0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op dimension (0) is out of bound [0, 0)
%0 = cuda_tile.reduce %f32 dim=0 identities=[0.0 : f32] : !f32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op [[operands:expect same number of operands and results]]
%0:2 = cuda_tile.reduce %t8xf32 dim=1 identities=[0.0 : f32] : !t8xf32 -> !f32, !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op [[operands]]
%0:2 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32, 0.0 : f32] : !t8xf32 -> !f32, !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op inferred type(s) '!f32' are incompatible with return type(s) of operation '!t1xf32'
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !t1xf32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op inferred type(s) '!t4xf32', '!t4xi32' are incompatible with return type(s) of operation '!t4xf32', '!t4xi64'
%0:2 = cuda_tile.reduce %t4x8xf32, %t4x8xi32 dim=1 identities=[0.0 : f32, 0 : i32] : !t4x8xf32, !t4x8xi32 -> !t4xf32, !t4xi64 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op [[identities]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32, 0 : i32] : !t8xf32 -> !f32 (%a: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op [[identities_1:expect identities to match the number of operands but got: 2 operands and 0 identities]]
%0:2 = cuda_tile.reduce %t8xf32, %t8xi32 dim=0 identities=[] : !t8xf32, !t8xi32 -> !f32, !i32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op [[identity:expect same type for operand at index: 0 and identity at index: 0 but got: 'f32' and 'i32']]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0 : i32] : !t8xf32 -> !f32 (%a: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op [[identity_1:expect same type for operand at index: 1 and identity at index: 1 but got: 'i32' and 'f32']]
%0:2 = cuda_tile.reduce %t8xf32, %t8xi32 dim=0 identities=[0.0 : f32, 0.0 : f32] : !t8xf32, !t8xi32 -> !f32, !i32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op [[identity_2:expect same type for operand at index: 0 and identity at index: 0 but got: 'f16' and 'f32']]
%0 = cuda_tile.reduce %t8xf16 dim=0 identities=[0.0 : f32] : !t8xf16 -> !f16 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// So pointers have no identity, and no aggregates.

// CHECK: 'cuda_tile.reduce' op expect same type for operand at index: 0 and identity at index: 0 but got: '!cuda_tile.ptr<f32>' and 'i64'
%0 = cuda_tile.reduce %t8xptr_f32 dim=0 identities=[0 : i64] : !t8xptr_f32 -> !ptr_f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op [[identity_3:expect same type for operand at index: 0 and identity at index: 0 but got: 'f32' and 'none']]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=["zero"] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op expect 2 block arguments but got: 0
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 () {
  yield
}

// CHECK: 'cuda_tile.reduce' op expect 2 block arguments but got: 1
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !t1xf32) {
  yield
}

// CHECK: 'cuda_tile.reduce' op expect 4 block arguments but got: 2
%0:2 = cuda_tile.reduce %t8xf32, %t8xi32 dim=0 identities=[0.0 : f32, 0 : i32] : !t8xf32, !t8xi32 -> !f32, !i32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op expect 0-rank tile type at index: 0 but got: '!t1xf32'
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !t1xf32, %b: !i32) {
  yield
}

// CHECK: 'cuda_tile.reduce' op [[expect:expect 0-rank tile type at index: 1 but got: 'f32']]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: f32) {
  yield
}

// CHECK: 'cuda_tile.reduce' op [[argument:expect same element type for block argument at index: 0 and 1 but got: 'f32' and 'i32']]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !i32) {
  yield
}

// CHECK: 'cuda_tile.reduce' op [[argument_1:expect same element type for block argument at index: 2 and 3 but got: 'i32' and 'f32']]
%0:2 = cuda_tile.reduce %t8xf32, %t8xi32 dim=0 identities=[0.0 : f32, 0 : i32] : !t8xf32, !t8xi32 -> !f32, !i32 (%a: !f32, %b: !f32, %c: !i32, %d: !f32) {
  yield
}

// CHECK: 'cuda_tile.reduce' op [[argument_2:expect same type for operand at index: 0 and block argument at index: 0 but got: 'f32' and 'i32']]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !i32, %b: !i32) {
  yield
}

// CHECK: 'cuda_tile.reduce' op [[argument_3:expect same type for operand at index: 1 and block argument at index: 2 but got: 'i32' and 'f32']]
%0:2 = cuda_tile.reduce %t8xf32, %t8xi32 dim=0 identities=[0.0 : f32, 0 : i32] : !t8xf32, !t8xi32 -> !f32, !i32 (%a: !f32, %b: !f32, %c: !f32, %d: !f32) {
  yield
}

// CHECK: 'cuda_tile.reduce' op [[terminators:expect number of terminators operands \(0\) to match number of operands \(1\)]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  yield
}

// CHECK: 'cuda_tile.reduce' op [[terminators_1:expect number of terminators operands \(2\) to match number of operands \(1\)]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a, %b : !f32, !f32
}

// CHECK: 'cuda_tile.reduce' op [[terminator:expect same type for operand at index: 0 and terminator argument at index: 0 but got: 'f32' and 'i32']]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  %c = constant <i32: 1> : !i32
  yield %c : !i32
}

// CHECK: 'cuda_tile.reduce' op [[terminator_1:expect same type for operand at index: 1 and terminator argument at index: 1 but got: 'i32' and 'f32']]
%0:2 = cuda_tile.reduce %t8xf32, %t8xi32 dim=0 identities=[0.0 : f32, 0 : i32] : !t8xf32, !t8xi32 -> !f32, !i32 (%a: !f32, %b: !f32, %c: !i32, %d: !i32) {
  yield %a, %b : !f32, !f32
}

// CHECK: block with no terminator, has 'cuda_tile.addf' op
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  %c = addf %a, %b : !f32
}

// CHECK: 'cuda_tile.continue' op [[expects:expects parent op to be one of 'cuda_tile\.for, cuda_tile\.if, cuda_tile\.loop']]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  continue %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.store_ptr_tko' op [[operations:only memory-effect-free operations are allowed inside 'cuda_tile\.reduce' \(only pure operations are allowed inside 'cuda_tile\.reduce'\)]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  %t = store_ptr_tko weak %ptr_f32, %a : !ptr_f32, !f32 -> token
  yield %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.load_ptr_tko' op [[operations]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  %v, %t = load_ptr_tko weak %ptr_f32 : !ptr_f32 -> !f32, token
  yield %v : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.atomic_rmw_tko' op [[operations]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  %v, %t = atomic_rmw_tko relaxed device %ptr_f32, addf, %a : !ptr_f32, !f32 -> !f32, token
  yield %v : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.print_tko' op [[operations]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  %t = print_tko "step" -> token
  yield %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.print' op [[operations]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  print "step"
  yield %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.assert' op [[operations]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  %c = constant <i1: true> : !i1
  assert %c, "no" : !i1
  yield %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.assume' op [[operations]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  %c = constant <i32: 4> : !i32
  %d = assume div_by<4>, %c : !i32
  yield %a : !f32
}

// CHECK: 'cuda_tile.alloca' op [[operations]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  %c = alloca num_elem = 4, alignment = 4 : !ptr_f32
  yield %a : !f32
}

// CHECK: 'test.op' op [[operations]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  "test.op"() : () -> ()
  yield %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.print_tko' op [[operations]]
%0 = cuda_tile.reduce %t8xf32 dim=0 identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  %c = constant <i1: true> : !i1
  if %c {
    %t = print_tko "deep" -> token
  }
  yield %a : !f32
}

// `scan`, in the order of the checks.

// CHECK: 'cuda_tile.scan' op requires the same shape for all operands
%0:2 = cuda_tile.scan %t8xf32, %t16xf32 dim=7 reverse=false identities=[0.0 : f32] : !t8xf32, !t16xf32 -> !t8xf32, !t8xf32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op [[constraint]]
%0 = cuda_tile.scan %t8xf32 dim=-10 reverse=false identities=[0.0 : f32, 0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op dimension (3) is out of bound [0, 1)
%0 = cuda_tile.scan %t8xf32 dim=3 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op dimension (0) is out of bound [0, 0)
%0 = cuda_tile.scan %f32 dim=0 reverse=false identities=[0.0 : f32] : !f32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op [[operands]]
%0:2 = cuda_tile.scan %t8xf32 dim=1 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32, !t8xf32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op [[operands]]
%0:2 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32, 0.0 : f32] : !t8xf32 -> !t8xf32, !t8xf32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op expect same type for operand at index: 0 and result at index: 0
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op [[identity_1]]
%0:2 = cuda_tile.scan %t8xf32, %t8xi32 dim=0 reverse=false identities=[0.0 : f32, 0.0 : f32] : !t8xf32, !t8xi32 -> !t8xf32, !t8xf32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op [[identities]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32, 0 : i32] : !t8xf32 -> !t8xf32 (%a: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op [[identities_1]]
%0:2 = cuda_tile.scan %t8xf32, %t8xi32 dim=0 reverse=false identities=[] : !t8xf32, !t8xi32 -> !t8xf32, !t8xi32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op [[identity]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0 : i32] : !t8xf32 -> !t8xf32 (%a: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op [[identity_1]]
%0:2 = cuda_tile.scan %t8xf32, %t8xi32 dim=0 reverse=false identities=[0.0 : f32, 0.0 : f32] : !t8xf32, !t8xi32 -> !t8xf32, !t8xi32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op [[identity_2]]
%0 = cuda_tile.scan %t8xf16 dim=0 reverse=false identities=[0.0 : f32] : !t8xf16 -> !t8xf16 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// So pointers have no identity, and no aggregates.

// CHECK: 'cuda_tile.scan' op expect same type for operand at index: 0 and identity at index: 0 but got: '!cuda_tile.ptr<f32>' and 'i64'
%0 = cuda_tile.scan %t8xptr_f32 dim=0 reverse=false identities=[0 : i64] : !t8xptr_f32 -> !t8xptr_f32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op [[identity_3]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=["zero"] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op expect 2 block arguments but got: 0
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 () {
  yield
}

// CHECK: 'cuda_tile.scan' op expect 2 block arguments but got: 1
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !t1xf32) {
  yield
}

// CHECK: 'cuda_tile.scan' op expect 4 block arguments but got: 2
%0:2 = cuda_tile.scan %t8xf32, %t8xi32 dim=0 reverse=false identities=[0.0 : f32, 0 : i32] : !t8xf32, !t8xi32 -> !t8xf32, !t8xi32 (%a: !f32, %b: !f32) {
  yield %a : !f32
}

// CHECK: 'cuda_tile.scan' op expect 0-rank tile type at index: 0 but got: '!t1xf32'
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !t1xf32, %b: !i32) {
  yield
}

// CHECK: 'cuda_tile.scan' op [[expect]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: f32) {
  yield
}

// CHECK: 'cuda_tile.scan' op [[argument]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !i32) {
  yield
}

// CHECK: 'cuda_tile.scan' op [[argument_1]]
%0:2 = cuda_tile.scan %t8xf32, %t8xi32 dim=0 reverse=false identities=[0.0 : f32, 0 : i32] : !t8xf32, !t8xi32 -> !t8xf32, !t8xi32 (%a: !f32, %b: !f32, %c: !i32, %d: !f32) {
  yield
}

// CHECK: 'cuda_tile.scan' op [[argument_2]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !i32, %b: !i32) {
  yield
}

// CHECK: 'cuda_tile.scan' op [[argument_3]]
%0:2 = cuda_tile.scan %t8xf32, %t8xi32 dim=0 reverse=false identities=[0.0 : f32, 0 : i32] : !t8xf32, !t8xi32 -> !t8xf32, !t8xi32 (%a: !f32, %b: !f32, %c: !f32, %d: !f32) {
  yield
}

// CHECK: 'cuda_tile.scan' op [[terminators]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  yield
}

// CHECK: 'cuda_tile.scan' op [[terminators_1]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  yield %a, %b : !f32, !f32
}

// CHECK: 'cuda_tile.scan' op [[terminator]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  %c = constant <i32: 1> : !i32
  yield %c : !i32
}

// CHECK: 'cuda_tile.scan' op [[terminator_1]]
%0:2 = cuda_tile.scan %t8xf32, %t8xi32 dim=0 reverse=false identities=[0.0 : f32, 0 : i32] : !t8xf32, !t8xi32 -> !t8xf32, !t8xi32 (%a: !f32, %b: !f32, %c: !i32, %d: !i32) {
  yield %a, %b : !f32, !f32
}

// CHECK: block with no terminator, has 'cuda_tile.addf' op
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  %c = addf %a, %b : !f32
}

// CHECK: 'cuda_tile.continue' op [[expects]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  continue %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.store_ptr_tko' op [[operations_1:only memory-effect-free operations are allowed inside 'cuda_tile\.scan' \(only pure operations are allowed inside 'cuda_tile\.scan'\)]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  %t = store_ptr_tko weak %ptr_f32, %a : !ptr_f32, !f32 -> token
  yield %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.load_ptr_tko' op [[operations_1]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  %v, %t = load_ptr_tko weak %ptr_f32 : !ptr_f32 -> !f32, token
  yield %v : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.atomic_rmw_tko' op [[operations_1]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  %v, %t = atomic_rmw_tko relaxed device %ptr_f32, addf, %a : !ptr_f32, !f32 -> !f32, token
  yield %v : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.print_tko' op [[operations_1]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  %t = print_tko "step" -> token
  yield %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.print' op [[operations_1]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  print "step"
  yield %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.assert' op [[operations_1]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  %c = constant <i1: true> : !i1
  assert %c, "no" : !i1
  yield %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.assume' op [[operations_1]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  %c = constant <i32: 4> : !i32
  %d = assume div_by<4>, %c : !i32
  yield %a : !f32
}

// CHECK: 'cuda_tile.alloca' op [[operations_1]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  %c = alloca num_elem = 4, alignment = 4 : !ptr_f32
  yield %a : !f32
}

// CHECK: 'test.op' op [[operations_1]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  "test.op"() : () -> ()
  yield %a : !f32
}

// REQ: A-14

// CHECK: 'cuda_tile.print_tko' op [[operations_1]]
%0 = cuda_tile.scan %t8xf32 dim=0 reverse=false identities=[0.0 : f32] : !t8xf32 -> !t8xf32 (%a: !f32, %b: !f32) {
  %c = constant <i1: true> : !i1
  if %c {
    %t = print_tko "deep" -> token
  }
  yield %a : !f32
}

// Types of the operands; at least one.

// CHECK: 'cuda_tile.reduce' op operand #0 must be variadic of Tile type, but got '!token'
%0 = "cuda_tile.reduce"(%token) <{dim = 0 : i32, identities = [0.0 : f32]}> ({
^bb0(%a: !f32, %b: !f32):
  "cuda_tile.yield"(%a) : (!f32) -> ()
}) : (!token) -> !f32

// CHECK: 'cuda_tile.reduce' op operand #0 must be variadic of Tile type, but got 'tensor<8xf32>'
%x = "test.op"() : () -> tensor<8xf32>
%0 = cuda_tile.reduce %x {axis = 0 : i32} : tensor<8xf32> -> tensor<f32> {
^bb0(%a: !f32, %b: !f32):
  cuda_tile.yield %a : !f32
}

// CHECK: 'cuda_tile.reduce' op expected 1 or more operands, but found 0
%0 = "cuda_tile.reduce"() <{dim = 0 : i32, identities = []}> ({
^bb0(%a: !f32, %b: !f32):
  "cuda_tile.yield"(%a) : (!f32) -> ()
}) : () -> !f32

// CHECK: 'cuda_tile.reduce' op requires attribute 'dim'
%0 = "cuda_tile.reduce"(%t8xf32) <{identities = [0.0 : f32]}> ({
^bb0(%a: !f32, %b: !f32):
  "cuda_tile.yield"(%a) : (!f32) -> ()
}) : (!t8xf32) -> !f32

// CHECK: 'cuda_tile.reduce' op [[constraint]]
%0 = "cuda_tile.reduce"(%t8xf32) <{dim = 0 : i64, identities = [0.0 : f32]}> ({
^bb0(%a: !f32, %b: !f32):
  "cuda_tile.yield"(%a) : (!f32) -> ()
}) : (!t8xf32) -> !f32

// CHECK: 'cuda_tile.reduce' op [[constraint_1:region #0 \('body'\) failed to verify constraint: region with 1 blocks]]
%0 = "cuda_tile.reduce"(%t8xf32) <{dim = 0 : i32, identities = [0.0 : f32]}> ({
}) : (!t8xf32) -> !f32

// CHECK: 'cuda_tile.scan' op expected 1 or more operands, but found 0
%0 = "cuda_tile.scan"() <{dim = 0 : i32, identities = []}> ({
^bb0(%a: !f32, %b: !f32):
  "cuda_tile.yield"(%a) : (!f32) -> ()
}) : () -> !f32

// CHECK: 'cuda_tile.scan' op requires attribute 'dim'
%0 = "cuda_tile.scan"(%t8xf32) <{identities = [0.0 : f32]}> ({
^bb0(%a: !f32, %b: !f32):
  "cuda_tile.yield"(%a) : (!f32) -> ()
}) : (!t8xf32) -> !f32

// CHECK: 'cuda_tile.scan' op [[constraint]]
%0 = "cuda_tile.scan"(%t8xf32) <{dim = 0 : i64, identities = [0.0 : f32]}> ({
^bb0(%a: !f32, %b: !f32):
  "cuda_tile.yield"(%a) : (!f32) -> ()
}) : (!t8xf32) -> !f32

// CHECK: 'cuda_tile.scan' op [[constraint_1]]
%0 = "cuda_tile.scan"(%t8xf32) <{dim = 0 : i32, identities = [0.0 : f32]}> ({
}) : (!t8xf32) -> !t8xf32
