// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | filecheck %s --match-full-lines

// CHECK:      %c, %tc, %vc, %f, %tf, %vf, %i, %ti, %vi = "test.op"() : () -> (i1, tensor<8xi1>, vector<4xi1>, f32, tensor<8xf32>, vector<4xf32>, i32, tensor<8xi32>, vector<4xi32>)
%c, %tc, %vc, %f, %tf, %vf, %i, %ti, %vi = "test.op"() : () -> (i1, tensor<8xi1>, vector<4xi1>, f32, tensor<8xf32>, vector<4xf32>, i32, tensor<8xi32>, vector<4xi32>)

// The condition is one bit, or one for each element; its type is shown if it is not i1.

// CHECK-NEXT: %0 = arith.select %c, %f, %f : f32
%0 = arith.select %c, %f, %f : f32
// CHECK-NEXT: %1 = arith.select %c, %tf, %tf {my.tag} : tensor<8xf32>
%1 = arith.select %c, %tf, %tf {my.tag} : tensor<8xf32>
// CHECK-NEXT: %2 = arith.select %tc, %tf, %tf : tensor<8xi1>, tensor<8xf32>
%2 = arith.select %tc, %tf, %tf : tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT: %3 = arith.select %vc, %vi, %vi : vector<4xi1>, vector<4xi32>
%3 = arith.select %vc, %vi, %vi : vector<4xi1>, vector<4xi32>
// CHECK-NEXT: %4 = arith.select %tc, %ti, %ti : tensor<8xi1>, tensor<8xi32>
%4 = "arith.select"(%tc, %ti, %ti) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
// CHECK-NEXT: %5 = arith.select %c, %c, %c : i1
%5 = arith.select %c, %c, %c : i1
// CHECK-NEXT: %6 = arith.select %c, %c, %c : i1
%6 = arith.select %c, %c, %c : i1, i1
// CHECK-NEXT: %t = "test.op"() : () -> !nv_tileaa.mem_token
%t = "test.op"() : () -> !nv_tileaa.mem_token
// CHECK-NEXT: %7 = arith.select %c, %t, %t : !nv_tileaa.mem_token
%7 = arith.select %c, %t, %t : !nv_tileaa.mem_token

// Conversions, lane by lane.

// CHECK-NEXT: %8 = arith.extsi %i : i32 to i64
%8 = arith.extsi %i : i32 to i64
// CHECK-NEXT: %9 = arith.extsi %ti : tensor<8xi32> to tensor<8xi64>
%9 = arith.extsi %ti : tensor<8xi32> to tensor<8xi64>
// CHECK-NEXT: %10 = arith.extui %c {my.tag} : i1 to i32
%10 = arith.extui %c {my.tag} : i1 to i32
// CHECK-NEXT: %11 = arith.extui %vi : vector<4xi32> to vector<4xi64>
%11 = "arith.extui"(%vi) : (vector<4xi32>) -> vector<4xi64>
// CHECK-NEXT: %12 = arith.sitofp %i : i32 to f16
%12 = arith.sitofp %i : i32 to f16
// CHECK-NEXT: %13 = arith.sitofp %ti : tensor<8xi32> to tensor<8xf32>
%13 = arith.sitofp %ti : tensor<8xi32> to tensor<8xf32>
// CHECK-NEXT: %14 = arith.uitofp %ti : tensor<8xi32> to tensor<8xf8E4M3FN>
%14 = arith.uitofp %ti : tensor<8xi32> to tensor<8xf8E4M3FN>
// CHECK-NEXT: %15 = arith.uitofp %vi : vector<4xi32> to vector<4xbf16>
%15 = arith.uitofp %vi : vector<4xi32> to vector<4xbf16>
// CHECK-NEXT: %16 = arith.fptosi %tf : tensor<8xf32> to tensor<8xi8>
%16 = arith.fptosi %tf : tensor<8xf32> to tensor<8xi8>
// CHECK-NEXT: %17 = arith.fptosi %f : f32 to i1
%17 = arith.fptosi %f : f32 to i1
// CHECK-NEXT: %18 = arith.fptoui %vf : vector<4xf32> to vector<4xi64>
%18 = arith.fptoui %vf : vector<4xf32> to vector<4xi64>
// CHECK-NEXT: %19 = arith.fptoui %tf : tensor<8xf32> to tensor<8xi32>
%19 = "arith.fptoui"(%tf) : (tensor<8xf32>) -> tensor<8xi32>
// CHECK-NEXT: %e, %te = "test.op"() : () -> (f128, tensor<?xtf32>)
%e, %te = "test.op"() : () -> (f128, tensor<?xtf32>)
// CHECK-NEXT: %20 = arith.fptosi %e : f128 to i64
%20 = arith.fptosi %e : f128 to i64
// CHECK-NEXT: %21 = arith.fptosi %te : tensor<?xtf32> to tensor<?xi64>
%21 = arith.fptosi %te : tensor<?xtf32> to tensor<?xi64>

// The rest is xDSL's.

// CHECK-NEXT: %22 = arith.addi %ti, %ti : tensor<8xi32>
%22 = arith.addi %ti, %ti : tensor<8xi32>
// CHECK-NEXT: %23 = arith.cmpi ult, %i, %i : i32
%23 = arith.cmpi ult, %i, %i : i32
// CHECK-NEXT: %24 = arith.maxui %ti, %ti : tensor<8xi32>
%24 = arith.maxui %ti, %ti : tensor<8xi32>
// CHECK-NEXT: }
