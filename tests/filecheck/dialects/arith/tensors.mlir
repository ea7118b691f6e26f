// RUN: xdsl-opt %s --print-op-generic | tileiras-opt --print-local-scope | %verbatim %s

!t8xi32 = tensor<8xi32>
%c, %tc, %vc, %f, %tf, %vf, %i, %ti, %vi = "test.op"() : () -> (i1, tensor<8xi1>, vector<4xi1>, f32, tensor<8xf32>, vector<4xf32>, i32, !t8xi32, vector<4xi32>)

// The condition is one bit, or one for each element; its type is shown if it is not i1.

%0 = arith.select %c, %f, %f : f32
%1 = arith.select %c, %tf, %tf {my.tag} : tensor<8xf32>
%2 = arith.select %tc, %tf, %tf : tensor<8xi1>, tensor<8xf32>
%3 = arith.select %vc, %vi, %vi : vector<4xi1>, vector<4xi32>
// PRINTS: %4 = arith.select %tc, %ti, %ti : tensor<8xi1>, !t8xi32
%4 = "arith.select"(%tc, %ti, %ti) : (tensor<8xi1>, !t8xi32, !t8xi32) -> !t8xi32
%5 = arith.select %c, %c, %c : i1
// PRINTS: %6 = arith.select %c, %c, %c : i1
%6 = arith.select %c, %c, %c : i1, i1
%t = "test.op"() : () -> !nv_tileaa.mem_token
%7 = arith.select %c, %t, %t : !nv_tileaa.mem_token

// Conversions, lane by lane.

%8 = arith.extsi %i : i32 to i64
%9 = arith.extsi %ti : !t8xi32 to tensor<8xi64>
%10 = arith.extui %c {my.tag} : i1 to i32
// PRINTS: %11 = arith.extui %vi : vector<4xi32> to vector<4xi64>
%11 = "arith.extui"(%vi) : (vector<4xi32>) -> vector<4xi64>
%12 = arith.sitofp %i : i32 to f16
%13 = arith.sitofp %ti : !t8xi32 to tensor<8xf32>
%14 = arith.uitofp %ti : !t8xi32 to tensor<8xf8E4M3FN>
%15 = arith.uitofp %vi : vector<4xi32> to vector<4xbf16>
%16 = arith.fptosi %tf : tensor<8xf32> to tensor<8xi8>
%17 = arith.fptosi %f : f32 to i1
%18 = arith.fptoui %vf : vector<4xf32> to vector<4xi64>
// PRINTS: %19 = arith.fptoui %tf : tensor<8xf32> to !t8xi32
%19 = "arith.fptoui"(%tf) : (tensor<8xf32>) -> !t8xi32
%e, %te = "test.op"() : () -> (f128, tensor<?xtf32>)
%20 = arith.fptosi %e : f128 to i64
%21 = arith.fptosi %te : tensor<?xtf32> to tensor<?xi64>

// The rest is xDSL's.

%22 = arith.addi %ti, %ti : !t8xi32
%23 = arith.cmpi ult, %i, %i : i32
%24 = arith.maxui %ti, %ti : !t8xi32
