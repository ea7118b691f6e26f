// RUN: tileiras-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

%slot, %flags, %number = "test.op"() : () -> (!llvm.ptr<1>, !llvm.ptr<1>, f32)
// CHECK: must be a tensor of static shape of numbers or pointers, but got 'f32'
"nv_tileas.workspace_store"(%slot, %flags, %number) : (!llvm.ptr<1>, !llvm.ptr<1>, f32) -> ()

// -----

%slot, %shared = "test.op"() : () -> (!llvm.ptr<1>, !llvm.ptr<3>)
// CHECK: Expected attribute !llvm.ptr<1> but got !llvm.ptr<3>
%tile = "nv_tileas.workspace_load"(%slot, %shared) : (!llvm.ptr<1>, !llvm.ptr<3>) -> tensor<8x8xf32>
