// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines
// RUN: tileiras-opt %s --parsing-diagnostics --split-input-file --allow-unregistered-dialect | filecheck %s --match-full-lines
// RUN: xdsl-opt %s --parsing-diagnostics --split-input-file | filecheck %s --match-full-lines

// A malformed layout is an error that names the parameter, also where unknown dialects are allowed.

// REQ: B-42
// CHECK: malformed #cute.layout parameter '16@': expected N@dim
func.func private @no_dim() attributes {l = #cute.layout<(1@0, 16@)>}

// -----

// REQ: B-42
// CHECK: malformed #cute.layout parameter 'x@1': expected N@dim
func.func private @no_number() attributes {l = #cute.layout<(1@0, x@1)>}

// -----

// REQ: B-42
// CHECK: malformed #cute.shape parameter '1': expected N@dim
func.func private @no_at() attributes {l = #cute.shape<(1)>}

// -----

// REQ: B-42
// CHECK: malformed #cute.stride parameter '-1@0': expected N@dim
func.func private @negative() attributes {l = #cute.stride<(-1@0)>}

// -----

// REQ: B-42
// CHECK: malformed #cute.layout parameter '1.5@0': expected N@dim
func.func private @fraction() attributes {l = #cute.layout<(1.5@0)>}

// -----

// REQ: B-42
// CHECK: malformed #cute.layout parameter '1@0 2@1': expected N@dim
func.func private @no_comma() attributes {l = #cute.layout<(1@0 2@1)>}

// -----

// REQ: B-42
// CHECK: malformed #cute.layout parameter ',': expected N@dim
func.func private @leading_comma() attributes {l = #cute.layout<(, 1@0)>}

// -----

// REQ: B-42
// CHECK: malformed #cute.layout parameter ')': expected N@dim
func.func private @trailing_comma() attributes {l = #cute.layout<(1@0,)>}

// -----

// REQ: B-42
// CHECK: malformed #cute.layout parameter '1@0': expected a parenthesised list
func.func private @no_tuple() attributes {l = #cute.layout<1@0>}

// -----

// REQ: B-42
// CHECK: malformed #cute.layout parameter ',': expected N@dim
func.func private @two_tuples() attributes {l = #cute.layout<(1@0), (2@1)>}

// -----

// REQ: B-42
// CHECK: malformed #cute.layout parameter '': expected one parenthesised list
func.func private @nothing() attributes {l = #cute.layout<>}

// -----

// CHECK: expected '<' after #cute.layout
func.func private @no_parameters() attributes {l = #cute.layout}

// -----

// Superscripts and digits of other scripts are no digits.

// CHECK: malformed #cute.layout parameter '٣@0': expected N@dim
func.func private @arabic() attributes {l = #cute.layout<(٣@0)>}

// -----

// There are no cuTe types.

// REQ: B-41
// CHECK: type expected
func.func private @attribute_as_type() -> #cute.layout<(1@0)>
