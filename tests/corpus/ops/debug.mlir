// Debug information: every kind of scope and location, and ops without one.

entry @plain(%a: tile<i1>) {
  return
}

entry @k(%a: tile<i1>, %b: tile<f32>) {
  %0 = if %a -> (tile<f32>) {
    %1 = negf %b : tile<f32> loc(#in_block)
    yield %1 : tile<f32> loc(unknown)
  } else {
    %1 = absf %b : tile<f32> loc(#in_inner_block)
    yield %1 : tile<f32> loc(#called)
  } loc(#in_k)
  %2 = ceil %0 : tile<f32> loc(#called_twice)
  %3 = floor %2 : tile<f32> loc(#huge)
  %4 = sin %3 : tile<f32> loc(#no_column)
  return loc("elsewhere.py":1:2)
} loc(#k_itself)

entry @other() {
  return loc(#in_other)
} loc(#other_itself)

entry @only_the_function() {
  return
} loc(#function)

#file = #cuda_tile.di_file<"a.py" in "/t">
#helpers = #cuda_tile.di_file<"" in "">
#unit = #cuda_tile.di_compile_unit<file = #file>
#helper_unit = #cuda_tile.di_compile_unit<file = #helpers>
#k = #cuda_tile.di_subprogram<file = #file, line = 3, name = "k", linkageName = "k", compileUnit = #unit, scopeLine = 4>
#helper = #cuda_tile.di_subprogram<file = #helpers, line = 1, name = "helper", linkageName = "helper_0", compileUnit = #helper_unit>
#other = #cuda_tile.di_subprogram<file = #file, line = 30, name = "other kernel", linkageName = "other", compileUnit = #unit, scopeLine = 30>
#function_scope = #cuda_tile.di_subprogram<file = #file, line = 40, name = "f", linkageName = "only_the_function", compileUnit = #unit, scopeLine = 40>
#block = #cuda_tile.di_lexical_block<scope = #k, file = #file, line = 5, column = 6>
#inner_block = #cuda_tile.di_lexical_block<scope = #block, file = #helpers, line = 7>
#k_itself = #cuda_tile.di_loc<loc("/t/a.py":3:1) in #k>
#in_k = #cuda_tile.di_loc<loc("/t/a.py":4:1) in #k>
#in_block = #cuda_tile.di_loc<loc("/t/a.py":5:9) in #block>
#in_inner_block = #cuda_tile.di_loc<loc("/t/a.py":7:9) in #inner_block>
#in_helper = #cuda_tile.di_loc<loc("-":8:9) in #helper>
#called = loc(callsite(#in_helper at #in_k))
#called_twice = loc(callsite(#in_helper at #called))
#huge = #cuda_tile.di_loc<loc("/t/a.py":2147483647:4095) in #k>
#no_column = #cuda_tile.di_loc<loc("/t/a.py":0:0) in #k>
#in_other = #cuda_tile.di_loc<loc("/t/a.py":31:1) in #other>
#other_itself = #cuda_tile.di_loc<loc("/t/a.py":30:1) in #other>
#function = #cuda_tile.di_loc<loc("/t/a.py":40:1) in #function_scope>
