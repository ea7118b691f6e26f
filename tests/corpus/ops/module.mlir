// What stands at module level: entries, their arguments and hints, globals and the producer.

global @floats <f32: [1.0, 2.0]> : tile<2xf32>
global @aligned alignment = 64 <i8: 7> : tile<16xi8>
global @huge alignment = 9223372036854775807 <i1: [true, false, true, false]> : tile<4xi1>

entry @first() {
  %floats = get_global @floats : tile<ptr<f32>>
  return
}

entry @second(%a: tile<i1>, %b: tile<i8>, %c: tile<i16>, %d: tile<i32>, %e: tile<i64>, %f: tile<f16>, %g: tile<bf16>, %h: tile<f32>, %i: tile<tf32>, %j: tile<f64>, %k: tile<f8E4M3FN>, %l: tile<f8E5M2>, %m: tile<ptr<f64>>, %n: tile<ptr<i1>>) {
  %aligned = get_global @aligned : tile<ptr<i8>>
  %again = get_global @aligned : tile<ptr<i8>>
  return
}

entry @"a name with blanks, \22quotes\22 and ü"() {
  return
}

// -----
// Hints of every kind of value that bytecode has.

entry @hinted() optimization_hints=<default = {num_cta_in_cga = 1, occupancy = 2}, sm_100 = {num_worker_warps_per_cta = 8}> {
  return
}

entry @values() optimization_hints=<
  numbers = {a_bool = true, an_i16 = -2 : i16, an_i32 = -3 : i32, an_i64 = -4 : i64, an_i8 = -1 : i8, another = false},
  others = {a_string = "text \22\0A", a_type = f32, no_text = ""},
  predicates = {bounded = #cuda_tile.bounded<0, ?>, divisor = #cuda_tile.div_by<16, every 4 along 0>, same = #cuda_tile.same_elements<[1, -2]>},
  nested = {array = [1 : i32, [-2 : i16, "three"], {five = [], four = 4 : i32}, [], 1.500000e+00 : f32, true], dictionary = {"a b" = 1 : i32, inner = {innermost = [false]}}, no_array = [], no_dictionary = {}},
  nothing = {}
> {
  return
}

entry @no_hints() optimization_hints=<> {
  return
}

// -----
// Versions without a producer drop it, as NVIDIA's writer does.

cuda_tile.module @kernels attributes {producer = "tests 1.0 \22quoted\22"} {
  entry @k() {
    return
  }
}

// -----
// A module with nothing but a global.

global @alone <f64: 0x7FF0000000000000> : tile<1xf64>

// -----
// before 13.3: global `hidden` uses non-public symbol visibility, which cannot be encoded in bytecode version {version} (requires bytecode 13.3+)

global private @hidden <f32: [1.0, 2.0]> : tile<2xf32>

entry @k() {
  %0 = get_global @hidden : tile<ptr<f32>>
  return
}

// -----
// before 13.3: constant global `fixed` cannot be encoded in bytecode version {version} (the `constant` attribute requires bytecode 13.3+)

global constant @fixed alignment = 16 <f32: [1.0, 2.0]> : tile<2xf32>

// -----
// before 13.3: global `both` uses non-public symbol visibility, which cannot be encoded in bytecode version {version} (requires bytecode 13.3+)

global private constant @both <f32: [1.0, 2.0]> : tile<2xf32>

// -----
// before 13.2: 'cuda_tile.global' op type 'Float8E8M0FNU' requires bytecode version 13.2+, targeting {version}

global @scales <f8E8M0FNU: [1.0, 2.0]> : tile<2xf8E8M0FNU>

// -----
// before 13.3: 'cuda_tile.entry' op type 'Int4' requires bytecode version 13.3+, targeting {version}

entry @nibble(%a: tile<i4>) {
  return
}
