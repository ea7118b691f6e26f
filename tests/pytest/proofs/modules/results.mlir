func.func @queue(%a: f32, %b: i32, %c: f64) -> i32 {
  %q:3 = "nv_tileaa.queue.get"() ({
    nv_tileaa.queue.yield %a, %b, %c : f32, i32, f64
  }) : () -> (f32, i32, f64)
  func.return %q#1 : i32
}
func.func @pragma(%a: f32, %b: i32, %c: f64) -> f64 {
  %p:3 = "nv_tileaa.pragma"() <{payload_results = [1 : i32]}> ({
    nv_tileaa.yield %a, %b, %c : f32, i32, f64
  }) {unroll = 4 : i32} : () -> (f32, i32, f64)
  func.return %p#2 : f64
}
