// RUN: tileiras-opt %s --print-op-generic --split-input-file | tileiras-opt --split-input-file --print-local-scope | %verbatim %s

!v4xi32 = vector<4xi32>
!v4xf32 = vector<4xf32>
!ptr = !llvm.ptr<1>
!ptr3 = !llvm.ptr<3>
%c, %vc, %i32, %i64, %v4i32, %v4i64 = "test.op"() : () -> (i1, vector<4xi1>, i32, i64, !v4xi32, vector<4xi64>)
%f32, %v4f32 = "test.op"() : () -> (f32, !v4xf32)
%p0, %p1, %p3, %vp1 = "test.op"() : () -> (!llvm.ptr, !ptr, !ptr3, vector<4x!llvm.ptr<1>>)

// Accesses
%r0 = llvm.load %p1 : !ptr -> f32
%r1 = llvm.load volatile %p1 atomic syncscope("device") acquire {alignment = 4 : i64} : !ptr -> i32
%r2 = llvm.load %p1 invariant {alignment = 16 : i64, nontemporal} : !ptr -> !v4xf32
llvm.store %f32, %p3 : f32, !ptr3
llvm.store volatile %i32, %p3 atomic syncscope("block") release {alignment = 4 : i64} : i32, !ptr3
%r3 = llvm.atomicrmw add %p1, %i32 syncscope("device") acq_rel : !ptr, i32
%r4 = llvm.atomicrmw volatile fadd %p1, %f32 monotonic {alignment = 4 : i64} : !ptr, f32
%r5 = llvm.cmpxchg %p1, %i32, %i32 syncscope("device") acq_rel monotonic : !ptr, i32
%r6 = llvm.cmpxchg weak volatile %p0, %i64, %i64 seq_cst acquire {alignment = 8 : i64} : !llvm.ptr, i64
llvm.fence syncscope("block") release
llvm.fence seq_cst

// Pointers
%r10 = llvm.getelementptr inbounds %p3[%i32] : (!ptr3, i32) -> !ptr3, f32
%r11 = llvm.getelementptr %p1[%v4i64] : (!ptr, vector<4xi64>) -> vector<4x!llvm.ptr<1>>, i8
%r12 = llvm.getelementptr %vp1[%v4i64, 1] : (vector<4x!llvm.ptr<1>>, vector<4xi64>) -> vector<4x!llvm.ptr<1>>, !llvm.struct<(i32, f32)>
%r13 = llvm.inttoptr %i64 : i64 to !ptr3
%r14 = llvm.ptrtoint %vp1 : vector<4x!llvm.ptr<1>> to vector<4xi64>
%r15 = llvm.addrspacecast %p3 : !ptr3 to !llvm.ptr

// Values
%r20 = llvm.fptosi %v4f32 : !v4xf32 to !v4xi32
%r21 = llvm.fptoui %f32 : f32 to i32
%r22 = llvm.uitofp %i32 : i32 to f32
%r23 = llvm.extractelement %v4f32[%i32 : i32] : !v4xf32
%r24 = llvm.select %vc, %v4f32, %v4f32 : vector<4xi1>, !v4xf32
%r25 = llvm.select %c, %v4f32, %v4f32 : i1, !v4xf32
%r26 = llvm.icmp "slt" %v4i32, %v4i32 : !v4xi32
%r27 = llvm.icmp "eq" %p1, %p1 : !ptr
%r28 = llvm.fcmp "olt" %v4f32, %v4f32 {fastmathFlags = #llvm.fastmath<nnan>} : !v4xf32
%r29 = llvm.freeze %i32 : i32
%r30 = llvm.mlir.poison : !v4xf32

// Intrinsics
%r40 = llvm.intr.abs(%i32) {is_int_min_poison = false} : (i32) -> i32
%r41 = llvm.intr.ctlz(%i32) {is_zero_poison = false} : (i32) -> i32
%r42 = llvm.intr.cttz(%v4i32) {is_zero_poison = true} : (!v4xi32) -> !v4xi32
%r43 = llvm.intr.powi(%f32, %i32) : (f32, i32) -> f32
llvm.intr.assume %c : i1
llvm.intr.trap
%r44 = llvm.intr.trunc(%v4f32) : (!v4xf32) -> !v4xf32
%r45 = llvm.intr.round(%f32) : (f32) -> f32
%r46 = llvm.intr.roundeven(%f32) : (f32) -> f32
%r47 = llvm.intr.rint(%f32) : (f32) -> f32
%r48 = llvm.intr.nearbyint(%f32) : (f32) -> f32
%r49 = llvm.intr.tan(%f32) : (f32) -> f32
%r50 = llvm.intr.tanh(%f32) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
%r51 = llvm.intr.log10(%f32) : (f32) -> f32
%r52 = llvm.intr.minimum(%f32, %f32) : (f32, f32) -> f32
%r53 = llvm.intr.maximum(%v4f32, %v4f32) : (!v4xf32, !v4xf32) -> !v4xf32
%r54 = llvm.intr.smin(%i32, %i32) : (i32, i32) -> i32
%r55 = llvm.intr.smax(%i32, %i32) : (i32, i32) -> i32
%r56 = llvm.intr.umin(%i32, %i32) : (i32, i32) -> i32
%r57 = llvm.intr.umax(%v4i32, %v4i32) : (!v4xi32, !v4xi32) -> !v4xi32
%r58 = llvm.intr.ctpop(%i32) : (i32) -> i32
%r59 = llvm.intr.bswap(%i32) : (i32) -> i32
%r60 = llvm.intr.bitreverse(%i32) : (i32) -> i32
%r61 = llvm.intr.fshl(%i32, %i32, %i32) : (i32, i32, i32) -> i32
%r62 = llvm.intr.fshr(%i32, %i32, %i32) : (i32, i32, i32) -> i32
%r63 = llvm.intr.vector.reduce.add(%v4i32) : (!v4xi32) -> i32
%r64 = llvm.intr.vector.reduce.mul(%v4i32) : (!v4xi32) -> i32
%r65 = llvm.intr.vector.reduce.and(%v4i32) : (!v4xi32) -> i32
%r66 = llvm.intr.vector.reduce.or(%v4i32) : (!v4xi32) -> i32
%r67 = llvm.intr.vector.reduce.xor(%v4i32) : (!v4xi32) -> i32
%r68 = llvm.intr.vector.reduce.smin(%v4i32) : (!v4xi32) -> i32
%r69 = llvm.intr.vector.reduce.smax(%v4i32) : (!v4xi32) -> i32
%r70 = llvm.intr.vector.reduce.umin(%v4i32) : (!v4xi32) -> i32
%r71 = llvm.intr.vector.reduce.umax(%v4i32) : (!v4xi32) -> i32
%r72 = llvm.intr.vector.reduce.fmin(%v4f32) : (!v4xf32) -> f32
%r73 = llvm.intr.vector.reduce.fmax(%v4f32) : (!v4xf32) -> f32
%r74 = llvm.intr.vector.reduce.fminimum(%v4f32) : (!v4xf32) -> f32
%r75 = llvm.intr.vector.reduce.fmaximum(%v4f32) : (!v4xf32) -> f32

func.func @switch(%x: i32, %y: f32) {
  // PRINTS: "llvm.switch"(%x, %y, %y) [^bb1, ^bb2, ^bb3] <{case_values = dense<[1, 5]> : vector<2xi32>, case_operand_segments = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, f32, f32) -> ()
  "llvm.switch"(%x, %y, %y)[^bb0, ^bb1, ^bb2] <{case_values = dense<[1, 5]> : vector<2xi32>, case_operand_segments = array<i32: 1, 0>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, f32, f32) -> ()
// PRINTS: ^bb1(%a: f32):
^bb0(%a: f32):
  func.return
// PRINTS: ^bb2(%b: f32):
^bb1(%b: f32):
  func.return
// PRINTS: ^bb3:
^bb2:
  func.return
}

// Functions, and conversions that saturate
%sf, %sd, %sv = "test.op"() : () -> (f32, f64, !v4xf32)
%s0 = llvm.intr.fptosi.sat(%sv) : (!v4xf32) -> !v4xi32
%s1 = llvm.intr.fptoui.sat(%sd) : (f64) -> i64
%s2 = llvm.intr.sinh(%sf) : (f32) -> f32
%s3 = llvm.intr.cosh(%sf) : (f32) -> f32
%s4 = llvm.intr.atan2(%sf, %sf) : (f32, f32) -> f32
