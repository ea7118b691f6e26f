// RUN: tileiras-opt %s -p synthesize-debug-info-scopes --print-debuginfo --split-input-file --print-local-scope | filecheck %s
// REQ: A-67

// Files and lines come from the locations, the compile unit from that of the module. An op
// without a place of its own gets the function's, also one that is not in the text.

cuda_tile.module @kernels {
  global @g <i32: [1]> : tile<1xi32> loc("d/g.py":1:2)
  entry @f(%arg0: tile<i1> loc("d/a.py":10:9)) {
    %0 = constant <i32: 1> : tile<i32> loc(unknown)
    %1 = constant <i32: 2> : tile<i32> loc("name"("d/a.py":11:2))
    %2 = constant <i32: 3> : tile<i32> loc(callsite("lib.py":1:1 at "d/a.py":11:3))
    %3 = constant <i32: 4> : tile<i32> loc(fused[unknown, "d/a.py":11:4, "d/a.py":11:5])
    %4 = constant <i32: 5> : tile<i32> loc(fused["name"("d/a.py":11:6)])
    if %arg0 {
    } loc("d/a.py":11:7)
    return loc("d/a.py":12:4)
  } loc("d/a.py":10:4)
} loc("m.py":1:1)

// CHECK:         cuda_tile.global @g {{.*}} loc("d/g.py":1:2)
// CHECK-NEXT:    cuda_tile.entry @f(%{{.*}}: !cuda_tile.tile<i1> loc("d/a.py":10:9)) {
// CHECK:           cuda_tile.constant <i32: 1> {{.*}} loc(#cuda_tile.di_loc<loc("d/a.py":10:4) in [[F:#cuda_tile.di_subprogram<file = <"a.py" in "d">, line = 10, name = "f", linkageName = "f", compileUnit = <file = <"m.py" in "">>, scopeLine = 10>]]>)
// CHECK-NEXT:      cuda_tile.constant <i32: 2> {{.*}} loc(#cuda_tile.di_loc<loc("d/a.py":11:2) in [[F]]>)
// CHECK-NEXT:      cuda_tile.constant <i32: 3> {{.*}} loc(#cuda_tile.di_loc<loc("d/a.py":11:3) in [[F]]>)
// CHECK-NEXT:      cuda_tile.constant <i32: 4> {{.*}} loc(#cuda_tile.di_loc<loc("d/a.py":11:4) in [[F]]>)
// CHECK-NEXT:      cuda_tile.constant <i32: 5> {{.*}} loc(#cuda_tile.di_loc<loc("d/a.py":10:4) in [[F]]>)
// CHECK:             cuda_tile.yield loc(#cuda_tile.di_loc<loc("d/a.py":11:7) in [[F]]>)
// CHECK-NEXT:      } loc(#cuda_tile.di_loc<loc("d/a.py":11:7) in [[F]]>)
// CHECK-NEXT:      cuda_tile.return loc(#cuda_tile.di_loc<loc("d/a.py":12:4) in [[F]]>)
// CHECK-NEXT:    } loc(#cuda_tile.di_loc<loc("d/a.py":10:4) in [[F]]>)
// CHECK-NEXT:  } loc("m.py":1:1)

// -----

// A function without a place of its own has that of the compile unit.

cuda_tile.module @place_of_the_unit {
  testing$func @f() {
    return loc("a.py":3:4)
  } loc(unknown)
} loc("d/m.py":7:8)

// CHECK:         cuda_tile.return loc(#cuda_tile.di_loc<loc("a.py":3:4) in [[F:#cuda_tile.di_subprogram<file = <"m.py" in "d">, line = 1, name = "f", linkageName = "f", compileUnit = <file = <"m.py" in "d">>, scopeLine = 1>]]>)
// CHECK-NEXT:    } loc(#cuda_tile.di_loc<loc("d/m.py":1:1) in [[F]]>)

// -----

// Nothing is known.

cuda_tile.module @nothing_known {
  entry @f() {
    return loc(unknown)
  } loc("name"(unknown))
} loc(unknown)

// CHECK:         cuda_tile.return loc(#cuda_tile.di_loc<loc("<unknown>":1:1) in [[F:#cuda_tile.di_subprogram<file = <"<unknown>" in "">, line = 1, name = "f", linkageName = "f", compileUnit = <file = <"<unknown>" in "">>, scopeLine = 1>]]>)
// CHECK-NEXT:    } loc(#cuda_tile.di_loc<loc("<unknown>":1:1) in [[F]]>)
// CHECK-NEXT:  } loc(unknown)

// -----

// What has debug information keeps it; every function gets a scope of its own.

#file = #cuda_tile.di_file<"a.py" in "/t">
#subprogram = #cuda_tile.di_subprogram<file = #file, line = 15, name = "f", linkageName = "f", compileUnit = <file = #file>>
#block = #cuda_tile.di_lexical_block<scope = #subprogram, file = #file, line = 16>

cuda_tile.module @some {
  entry @f() {
    %0 = constant <i32: 1> : tile<i32> loc(#cuda_tile.di_loc<loc("/t/a.py":16:2) in #block>)
    return loc("/t/a.py":17:1)
  } loc(fused["x.py":1:1, #cuda_tile.di_loc<loc("/t/a.py":15:1) in #subprogram>])
  entry @g() {
    return loc("/t/a.py":21:1)
  } loc("/t/a.py":20:1)
  entry @h() {
    return loc("/t/b.py":31:1)
  } loc("/t/b.py":30:1)
} loc("/t/a.py":1:1)

// CHECK:         cuda_tile.entry @f()
// CHECK:           cuda_tile.constant <i32: 1> {{.*}} loc(#cuda_tile.di_loc<loc("/t/a.py":16:2) in #cuda_tile.di_lexical_block<scope = [[F:#cuda_tile.di_subprogram<file = <"a.py" in "/t">, line = 15, name = "f", linkageName = "f", compileUnit = <file = <"a.py" in "/t">>>]], file = <"a.py" in "/t">, line = 16>>)
// CHECK-NEXT:      cuda_tile.return loc("/t/a.py":17:1)
// CHECK-NEXT:    } loc(fused["x.py":1:1, #cuda_tile.di_loc<loc("/t/a.py":15:1) in [[F]]>])
// CHECK-NEXT:    cuda_tile.entry @g()
// CHECK:           cuda_tile.return loc(#cuda_tile.di_loc<loc("/t/a.py":21:1) in #cuda_tile.di_subprogram<file = <"a.py" in "/t">, line = 20, name = "g", linkageName = "g", compileUnit = <file = <"a.py" in "/t">>, scopeLine = 20>>)
// CHECK:         cuda_tile.entry @h()
// CHECK:           cuda_tile.return loc(#cuda_tile.di_loc<loc("/t/b.py":31:1) in #cuda_tile.di_subprogram<file = <"b.py" in "/t">, line = 30, name = "h", linkageName = "h", compileUnit = <file = <"a.py" in "/t">>, scopeLine = 30>>)
