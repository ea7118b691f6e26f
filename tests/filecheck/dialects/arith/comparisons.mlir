// RUN: xdsl-opt %s --print-op-generic | tileiras-opt | filecheck %s --match-full-lines

// CHECK:      %i, %vi, %ti, %vf, %x, %vx = "test.op"() : () -> (i32, vector<4xi32>, tensor<8xi32>, vector<4xf32>, index, vector<4xindex>)
%i, %vi, %ti, %vf, %x, %vx = "test.op"() : () -> (i32, vector<4xi32>, tensor<8xi32>, vector<4xf32>, index, vector<4xindex>)

// A comparison yields a bit for each element.

// CHECK-NEXT: %0 = arith.cmpi slt, %i, %i : i32
%0 = arith.cmpi slt, %i, %i : i32
// CHECK-NEXT: %1 = arith.cmpi uge, %vi, %vi : vector<4xi32>
%1 = arith.cmpi uge, %vi, %vi : vector<4xi32>
// CHECK-NEXT: %2 = arith.cmpi eq, %ti, %ti : tensor<8xi32>
%2 = arith.cmpi eq, %ti, %ti : tensor<8xi32>
// CHECK-NEXT: %3 = arith.cmpf olt, %vf, %vf fastmath<nnan> : vector<4xf32>
%3 = arith.cmpf olt, %vf, %vf fastmath<nnan> : vector<4xf32>
// CHECK-NEXT: "test.op"(%0, %1, %2, %3) : (i1, vector<4xi1>, tensor<8xi1>, vector<4xi1>) -> ()
"test.op"(%0, %1, %2, %3) : (i1, vector<4xi1>, tensor<8xi1>, vector<4xi1>) -> ()

// Integers in fewer bits, and indices.

// CHECK-NEXT: %4 = arith.trunci %vi : vector<4xi32> to vector<4xi8>
%4 = arith.trunci %vi : vector<4xi32> to vector<4xi8>
// CHECK-NEXT: %5 = arith.index_cast %vx : vector<4xindex> to vector<4xi32>
%5 = arith.index_cast %vx : vector<4xindex> to vector<4xi32>
// CHECK-NEXT: %6 = arith.index_castui %x {my.tag} : index to i32
%6 = arith.index_castui %x {my.tag} : index to i32
// CHECK-NEXT: %7 = arith.index_castui %i : i32 to index
%7 = arith.index_castui %i : i32 to index
