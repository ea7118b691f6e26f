// RUN: tileiras-opt %s --verify-diagnostics | filecheck %s

// Only functions have a debug scope; xDSL's own parser does not read such locations.

#file = #cuda_tile.di_file<"a.py" in "/t">
#unit = #cuda_tile.di_compile_unit<file = #file>
#k = #cuda_tile.di_subprogram<file = #file, line = 3, name = "k", linkageName = "k", compileUnit = #unit>
// CHECK: 'cuda_tile.global' op invalid operation debug info scope: #cuda_tile.di_loc<loc("a.py":1:2) in {{.*}}>. Global variables must not have scope.
cuda_tile.module @m {
  global @g <i8: 5> : tile<4xi8> loc(#cuda_tile.di_loc<loc("a.py":1:2) in #k>)
}
