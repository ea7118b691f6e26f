// What cannot be written or read is one line, no output and exit code 1.

// RUN: not tileiras-opt %s -t "tileir-bytecode{version=13.1}" -o %t.refused 2>&1 | filecheck %s --check-prefix=OLD
// RUN: not tileiras-opt %s -t "tileir-bytecode{version=13.5}" -o %t.refused 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tileiras-opt %s --split-input-file -t tileir-bytecode -o %t.refused 2>&1 | filecheck %s --check-prefix=SPLIT
// RUN: tileiras-opt %s -t tileir-bytecode -o %t.tileirbc && head -c 60 %t.tileirbc > %t.cut && not tileiras-opt %t.cut -o %t.refused 2>&1 | filecheck %s --check-prefix=CUT
// RUN: not ls %t.refused

// OLD:     {{^.*}}refuse.mlir: error: 'cuda_tile.atan2' op requires bytecode version 13.2+, targeting 13.1{{$}}
// OLD-NOT: {{.}}

// UNKNOWN:     {{^.*}}refuse.mlir: error: unsupported Tile version 13.5, supported are 13.1, 13.2, 13.3, 13.4{{$}}
// UNKNOWN-NOT: {{.}}

// SPLIT:     tileiras-opt: error: binary output holds one module, --split-input-file makes several{{$}}
// SPLIT-NOT: {{.}}

// CUT:     {{^.*}}.cut: error: header section at byte 0x{{[0-9a-f]+}}: {{.*}} bytes do not fit into the remaining {{[0-9]+}}{{$}}
// CUT-NOT: {{.}}

entry @k(%y: tile<f32>, %x: tile<f32>) {
  %angle = atan2 %y, %x : tile<f32>
  return
}
