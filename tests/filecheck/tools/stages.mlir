// RUN: mlc-opt %s -p licm,licm --print-between-passes --time-passes 2>&1 | filecheck %s
// RUN: mlc-opt %s -p licm,licm --print-between-passes --time-passes | filecheck %s --check-prefix=OUT

// Dumps and timings go to stderr: stdout is the result and nothing else.
// CHECK: licm: {{[0-9.]+}} s
// CHECK: IR after licm
// CHECK: licm: {{[0-9.]+}} s
// OUT-NOT: IR after
// OUT: builtin.module {
// OUT-NOT: IR after

func.func @fine() {
  func.return
}
