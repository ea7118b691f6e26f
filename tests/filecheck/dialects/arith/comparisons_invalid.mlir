// RUN: tileiras-opt %s --verify-diagnostics --split-input-file | filecheck %s

%v = "test.op"() : () -> vector<4xi32>
// CHECK: expects operands of one type and a result of type 'vector<4xi1>', but got 'vector<4xi32>', 'vector<4xi32>' and 'i1'
%0 = "arith.cmpi"(%v, %v) <{predicate = 0 : i64}> : (vector<4xi32>, vector<4xi32>) -> i1

// -----

%v, %w = "test.op"() : () -> (vector<4xf32>, f32)
// CHECK: expects operands of one type and a result of type 'vector<4xi1>', but got 'vector<4xf32>', 'f32' and 'vector<4xi1>'
%0 = "arith.cmpf"(%v, %w) <{predicate = 0 : i64, fastmath = #arith.fastmath<none>}> : (vector<4xf32>, f32) -> vector<4xi1>

// -----

%v = "test.op"() : () -> vector<4xi32>
// CHECK: Destination bit-width must be smaller than the input bit-width
%0 = arith.trunci %v : vector<4xi32> to vector<4xi32>

// -----

%x = "test.op"() : () -> index
// CHECK: 'index' and 'vector<1xi32>' are cast incompatible
%0 = arith.index_castui %x : index to vector<1xi32>

// -----

%x = "test.op"() : () -> i64
// CHECK: 'i64' and 'i32' are cast incompatible
%0 = arith.index_cast %x : i64 to i32
