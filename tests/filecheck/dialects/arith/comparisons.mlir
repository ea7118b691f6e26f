// RUN: xdsl-opt %s --print-op-generic | tileiras-opt | %verbatim %s

%i, %vi, %ti, %vf, %x, %vx = "test.op"() : () -> (i32, vector<4xi32>, tensor<8xi32>, vector<4xf32>, index, vector<4xindex>)

// A comparison yields a bit for each element.

%0 = arith.cmpi slt, %i, %i : i32
%1 = arith.cmpi uge, %vi, %vi : vector<4xi32>
%2 = arith.cmpi eq, %ti, %ti : tensor<8xi32>
%3 = arith.cmpf olt, %vf, %vf fastmath<nnan> : vector<4xf32>
"test.op"(%0, %1, %2, %3) : (i1, vector<4xi1>, tensor<8xi1>, vector<4xi1>) -> ()

// Integers in fewer bits, and indices.

%4 = arith.trunci %vi : vector<4xi32> to vector<4xi8>
%5 = arith.index_cast %vx : vector<4xindex> to vector<4xi32>
%6 = arith.index_castui %x {my.tag} : index to i32
%7 = arith.index_castui %i : i32 to index
