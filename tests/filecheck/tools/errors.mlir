// Failures are one line with the place, nothing on standard output, and exit code 1.

// RUN: not tileiras-opt %s 2>&1 | filecheck %s --check-prefix=VERIFY
// RUN: not tileiras-opt %s --no-such-option 2>&1 | filecheck %s --check-prefix=USAGE
// RUN: not tileiras-opt %s -p no-such-pass 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not tileiras-opt no/such/file.mlir 2>&1 | filecheck %s --check-prefix=FILE

// VERIFY: {{^.*}}errors.mlir:{{[0-9]+}}:8: error: 'arith.addi' op result 'result' at position 0 does not verify: attribute i32 expected from variable 'T', but got i64{{$}}
// VERIFY-NOT: {{.}}

// USAGE: tileiras-opt: error: unrecognized arguments: --no-such-option
// USAGE-NOT: {{.}}

// PASS: tileiras-opt: error: unknown pass 'no-such-pass'
// PASS-NOT: {{.}}

// FILE: no/such/file.mlir: error: unable to read input file 'no/such/file.mlir': No such file or directory
// FILE-NOT: {{.}}

func.func @f(%a: i32) {
  %b = "arith.addi"(%a, %a) : (i32, i32) -> i64
  func.return
}
