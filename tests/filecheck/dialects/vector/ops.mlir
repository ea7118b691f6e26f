// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | %verbatim %s

!v4xf32 = vector<4xf32>
%i, %f32, %p = "test.op"() : () -> (index, f32, !llvm.ptr<1>)
%v, %m, %vp = "test.op"() : () -> (!v4xf32, vector<2x4xf32>, vector<2x!llvm.ptr<1>>)
%0 = vector.from_elements %f32, %f32 : vector<2xf32>
%1 = vector.from_elements %p, %p : vector<2x!llvm.ptr<1>>
%2, %3, %4, %5 = vector.to_elements %v : !v4xf32
%6 = vector.splat %f32 : !v4xf32
%7 = vector.shape_cast %m : vector<2x4xf32> to vector<8xf32>
%8 = vector.extract_strided_slice %v {offsets = [1 : i64], sizes = [2 : i64], strides = [1 : i64]} : !v4xf32 to vector<2xf32>
%9 = vector.insert_strided_slice %8, %v {offsets = [2 : i64], strides = [1 : i64]} : vector<2xf32> into !v4xf32
%10 = vector.extract %v[0] : f32 from !v4xf32
%11 = vector.extract %m[1] : !v4xf32 from vector<2x4xf32>
%12 = vector.extract %vp[1] : !llvm.ptr<1> from vector<2x!llvm.ptr<1>>
%13 = vector.extract %m[1, %i] : f32 from vector<2x4xf32>
%14 = vector.insert %f32, %v[3] : f32 into !v4xf32
%15 = vector.insert %p, %vp[0] : !llvm.ptr<1> into vector<2x!llvm.ptr<1>>
%16 = vector.reduction <add>, %v : !v4xf32 into f32
%17 = vector.reduction <maxnumf>, %v, %f32 : !v4xf32 into f32
