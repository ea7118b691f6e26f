// RUN: tileiras-opt %s -p canonicalize-tileaa | filecheck %s
// RUN: tileiras-opt %s -p canonicalize | filecheck %s

// REQ: F-01, F-05
func.func @queue(%a: f32, %b: i32, %c: f64) {
  %q:3 = "nv_tileaa.queue.get"() ({
    "nv_tileaa.queue.yield"(%a, %b, %c) : (f32, i32, f64) -> ()
  }) : () -> (f32, i32, f64)
  "test.op"(%q#1) : (i32) -> ()
  func.return
}
// CHECK-LABEL: func.func @queue(
// CHECK-NEXT: %q = "nv_tileaa.queue.get"() ({
// CHECK-NEXT:   nv_tileaa.queue.yield %b : i32
// CHECK-NEXT: }) : () -> i32
// CHECK-NEXT: "test.op"(%q) : (i32) -> ()
// CHECK-NEXT: func.return

// REQ: F-02, I-15
func.func @queue_order(%queue: !nv_tileaa.queue<f32, f32, f32, f32>) {
  %q:4 = "nv_tileaa.queue.get"(%queue) ({
    %v:4 = "test.op"() : () -> (f32, f32, f32, f32)
    "nv_tileaa.queue.yield"(%v#3, %v#2, %v#1, %v#0) {kept} : (f32, f32, f32, f32) -> ()
  }) {consumer_idx = 1 : i32, extra = "x"} : (!nv_tileaa.queue<f32, f32, f32, f32>) -> (f32, f32, f32, f32)
  "test.op"(%q#3, %q#0, %q#2) : (f32, f32, f32) -> ()
  func.return
}
// CHECK-LABEL: func.func @queue_order(
// CHECK-NEXT: %q, %q_1, %q_2 = "nv_tileaa.queue.get"(%queue) <{consumer_idx = 1 : i32}> ({
// CHECK-NEXT:   %v, %v_1, %v_2, %v_3 = "test.op"() : () -> (f32, f32, f32, f32)
// CHECK-NEXT:   nv_tileaa.queue.yield {kept} %v_3, %v_1, %v : f32, f32, f32
// CHECK-NEXT: }) {extra = "x"} : (!nv_tileaa.queue<f32, f32, f32, f32>) -> (f32, f32, f32)
// CHECK-NEXT: "test.op"(%q_2, %q, %q_1) : (f32, f32, f32) -> ()
// CHECK-NEXT: func.return

// REQ: F-03

// REQ: F-04
func.func @queue_none_live(%a: f32, %b: i32) {
  %q:2 = "nv_tileaa.queue.get"() ({
    "nv_tileaa.queue.yield"(%a, %b) : (f32, i32) -> ()
  }) : () -> (f32, i32)
  func.return
}
// CHECK-LABEL: func.func @queue_none_live(
// CHECK-NEXT: "nv_tileaa.queue.get"() ({
// CHECK-NEXT:   nv_tileaa.queue.yield
// CHECK-NEXT: }) : () -> ()
// CHECK-NEXT: func.return

// What the dead sum used goes, and what made the result that goes with it.
// REQ: F-06
func.func @queue_dead_code(%queue: !nv_tileaa.queue<f32, f32>) {
  %q:2 = "nv_tileaa.queue.get"(%queue) ({
    %x = "test.op"() : () -> f32
    %y = nv_tileaa.negf %x : f32
    "nv_tileaa.queue.yield"(%x, %y) : (f32, f32) -> ()
  }) : (!nv_tileaa.queue<f32, f32>) -> (f32, f32)
  %sum = nv_tileaa.addf %q#1, %q#1 : f32
  %p:2 = "nv_tileaa.pragma"() ({
    "nv_tileaa.yield"(%q#0, %sum) : (f32, f32) -> ()
  }) : () -> (f32, f32)
  "test.op"(%p#0) : (f32) -> ()
  func.return
}
// CHECK-LABEL: func.func @queue_dead_code(
// CHECK-NEXT: %q = "nv_tileaa.queue.get"(%queue) ({
// CHECK-NEXT:   %x = "test.op"() : () -> f32
// CHECK-NEXT:   nv_tileaa.queue.yield %x : f32
// CHECK-NEXT: }) : (!nv_tileaa.queue<f32, f32>) -> f32
// CHECK-NEXT: %p = "nv_tileaa.pragma"() ({
// CHECK-NEXT:   nv_tileaa.yield %q : f32
// CHECK-NEXT: }) : () -> f32
// CHECK-NEXT: "test.op"(%p) : (f32) -> ()
// CHECK-NEXT: func.return

// REQ: F-07

// REQ: F-08
func.func @pragma_payload(%a: f32, %b: i32, %c: f64, %d: i8) {
  %p:4 = "nv_tileaa.pragma"(%a) ({
    "nv_tileaa.yield"(%a, %b, %c, %d) : (f32, i32, f64, i8) -> ()
  }) {payload_results = [3 : i32, 1 : i32], unroll = 4 : i32} : (f32) -> (f32, i32, f64, i8)
  "test.op"(%p#2) : (f64) -> ()
  func.return
}
// CHECK-LABEL: func.func @pragma_payload(
// CHECK-NEXT: %p, %p_1, %p_2 = "nv_tileaa.pragma"(%a) <{payload_results = [2 : i32, 0 : i32]}> ({
// CHECK-NEXT:   nv_tileaa.yield %b, %c, %d : i32, f64, i8
// CHECK-NEXT: }) {unroll = 4 : i32} : (f32) -> (i32, f64, i8)
// CHECK-NEXT: "test.op"(%p_1) : (f64) -> ()
// CHECK-NEXT: func.return

func.func @pragma_without_results(%a: f32) {
  %p = "nv_tileaa.pragma"() ({
    "test.op"(%a) : (f32) -> ()
    "nv_tileaa.yield"(%a) : (f32) -> ()
  }) {unroll = 4 : i32} : () -> f32
  func.return
}
// CHECK-LABEL: func.func @pragma_without_results(
// CHECK-NEXT: "nv_tileaa.pragma"() ({
// CHECK-NEXT:   "test.op"(%a) : (f32) -> ()
// CHECK-NEXT:   nv_tileaa.yield
// CHECK-NEXT: }) {unroll = 4 : i32} : () -> ()
// CHECK-NEXT: func.return
