// A program on its way to this processor, each stage as text that tools read, and failures in one line.

// RUN: tileiras-xdsl %s --target=cpu --emit=tileaa -o - | tileiras-opt | filecheck %s --check-prefix=TILEAA
// RUN: tileiras-xdsl %s --target=cpu --emit=cpu -o - | tileiras-opt | filecheck %s --check-prefix=CPU
// RUN: tileiras-xdsl %s --target=cpu --emit=llvm -o - | filecheck %s --check-prefix=LLVM
// RUN: tileiras-xdsl %s --target=cpu --emit=asm -o - | filecheck %s --check-prefix=ASM
// RUN: tileiras-xdsl --target=cpu --print-pipeline | filecheck %s --check-prefix=PIPELINE
// RUN: not tileiras-xdsl %s --target=cpu --emit=ptx 2>&1 | filecheck %s --check-prefix=FORM
// RUN: not tileiras-xdsl %s --target=cpu -O2 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not tileiras-xdsl %s --target=mips 2>&1 | filecheck %s --check-prefix=TARGET

// TILEAA:      gpu.func @double(%{{.*}}: !llvm.ptr<1>) kernel
// TILEAA:        nv_tileaa.tiled_load
// TILEAA-NEXT:   nv_tileaa.addf
// TILEAA-NEXT:   nv_tileaa.tiled_store

// CPU:         llvm.func @double(
// CPU:           scf.for
// CPU:             llvm.fadd {{.*}} : vector<16xf32>
// CPU-NOT:     nv_tileaa

// LLVM:        define void @double(ptr
// LLVM:          fadd <16 x float>

// ASM:         double:

// PIPELINE:    convert-cuda-tile-to-tileaa{compute-capability=cpu},canonicalize-tileaa,
// PIPELINE:    cpu-lower-tiles{vector-bits={{[0-9]+}} rows={{[0-9]+}} byte-dots={{[a-z]+}}}

// FORM:        {{^}}error: --emit=ptx is not for a CPU (expected one of tileaa, cpu, llvm, asm, object)
// FORM-NOT:    {{.}}

// OPTION:      {{^}}error: --opt-level is not for a CPU
// OPTION-NOT:  {{.}}

// TARGET:      {{^}}error: {{.*}}mips

cuda_tile.module @m {
  entry @double(%p: tile<ptr<f32>>) {
    %v = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %t = make_partition_view %v : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %c = constant <i32: 0> : tile<i32>
    %x, %t0 = load_view_tko weak %t[%c] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %y = addf %x, %x : tile<64xf32>
    %t1 = store_view_tko weak %y, %t[%c] token=%t0 : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
