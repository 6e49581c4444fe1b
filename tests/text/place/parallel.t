Devices that work at the same time: reports say besides the sum what a run takes so, by list scheduling.

$ cat > pair.json <<'END'
+ {"kind": "target", "version": 1, "name": "pair", "basis": "estimate: by hand", "parallel": true,
+  "devices": [{"name": "cpu", "costs": [{"op": "Add", "seconds": 2e-6}, {"seconds": 1e-4}]},
+              {"name": "a", "ops": [{"ops": ["Exp"]}], "costs": [{"seconds": 4e-6}]},
+              {"name": "b", "ops": [{"ops": ["Neg"]}], "costs": [{"seconds": 3e-6}]}],
+  "links": [{"from": "cpu", "to": "a", "seconds": 1e-6}, {"from": "a", "to": "cpu", "seconds": 1e-6},
+            {"from": "cpu", "to": "b", "seconds": 1e-6}, {"from": "b", "to": "cpu", "seconds": 1e-6}]}
+ END

A diamond, in us. x goes to a and to b from 0 to 1, over a link each; Exp is on a from 1 to 5, Neg on b from 1 to 4;
their results are on cpu at 6 and at 5, where Add runs from 6 to 8. The sum is 4 + 3 + 2 and 4 transfers of 1: 13. A
device is busy for 4 of it at most, so each of 9 batches more takes 4: 8 + 36.

$ cat > diamond.mlir <<'END'
+ func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
+   %0 = "onnx.Exp"(%x) {onnx_node_name = "exp"} : (tensor<4xf32>) -> tensor<4xf32>
+   %1 = "onnx.Neg"(%x) {onnx_node_name = "neg"} : (tensor<4xf32>) -> tensor<4xf32>
+   %2 = "onnx.Add"(%0, %1) {onnx_node_name = "add"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
+   onnx.Return %2 : tensor<4xf32>
+ }
+ END
$ place diamond.mlir --target ./pair.json --batches 10 -q --report - | sed -n 2,4p
> placed by   min-cut: 13.00 us a run, 4.00 us of it transfers and changes of encoding; the least there is, by costs that are an estimate
> makespan    8.00 us a run, devices at the same time; the busiest is a: 4.00 us
> 10 batches  44.00 us: 8.00 us and 4.00 us for each more
$ place diamond.mlir --target ./pair.json --batches 10 -q --report r.json; python3 - <<'END'
+ import json
+ r = json.load(open('r.json'))
+ us = lambda s: round(1e6 * s, 6)
+ s = r['schedule']
+ print(us(r['seconds']), us(s['makespan']), s['busiest'], us(s['busiest_seconds']), r['batches']['count'], us(r['batches']['seconds']))
+ for part, span in zip(r['partitions'], s['partitions']): print(part['device'], part['nodes'], us(span['start']), us(span['end']))
+ END
> 13.0 8.0 a 4.0 10 44.0
> a ['exp'] 1.0 5.0
> b ['neg'] 1.0 4.0
> cpu ['add'] 6.0 8.0

A device does one partition at a time, a link one transfer. x is on a at 1, y at 2; the first Exp runs from 1 to 5, the
second from 5 to 9, and is back at 10, where Add begins: 12, of 4 + 4 + 2 and 4 transfers, 14. Each batch more takes 8.

$ cat > two.mlir <<'END'
+ func.func @net(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
+   %0 = "onnx.Exp"(%x) {onnx_node_name = "first"} : (tensor<4xf32>) -> tensor<4xf32>
+   %1 = "onnx.Exp"(%y) {onnx_node_name = "second"} : (tensor<4xf32>) -> tensor<4xf32>
+   %2 = "onnx.Add"(%0, %1) {onnx_node_name = "add"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
+   onnx.Return %2 : tensor<4xf32>
+ }
+ END
$ place two.mlir --target ./pair.json --batches 3 -q --report - | sed -n 2,4p
> placed by   min-cut: 14.00 us a run, 4.00 us of it transfers and changes of encoding; the least there is, by costs that are an estimate
> makespan    12.00 us a run, devices at the same time; the busiest is a: 8.00 us
> 3 batches   28.00 us: 12.00 us and 8.00 us for each more

A chain has nothing at the same time: 1 to a, Exp 4, 1 + 1 to b by the way of cpu, Neg 3, 1 back: 11 both. With 6 for the
link to a, 16, that is the busiest: 5 batches are 16 + 4 * 6.

$ cat > chain.mlir <<'END'
+ func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
+   %0 = "onnx.Exp"(%x) {onnx_node_name = "exp"} : (tensor<4xf32>) -> tensor<4xf32>
+   %1 = "onnx.Neg"(%0) {onnx_node_name = "neg"} : (tensor<4xf32>) -> tensor<4xf32>
+   onnx.Return %1 : tensor<4xf32>
+ }
+ END
$ place chain.mlir --target ./pair.json -q --report - | sed -n 2,3p
> placed by   min-cut: 11.00 us a run, 4.00 us of it transfers and changes of encoding; the least there is, by costs that are an estimate
> makespan    11.00 us a run, devices at the same time; the busiest is a: 4.00 us
$ sed 's/"to": "a", "seconds": 1e-6/"to": "a", "seconds": 6e-6/' pair.json > slow.json; place chain.mlir --target ./slow.json --batches 5 -q --report - | sed -n 2,4p
> placed by   min-cut: 16.00 us a run, 9.00 us of it transfers and changes of encoding; the least there is, by costs that are an estimate
> makespan    16.00 us a run, devices at the same time; the busiest is cpu to a: 6.00 us
> 5 batches   40.00 us: 16.00 us and 6.00 us for each more
$ place chain.mlir --target ./slow.json --batches 5 -q --report r.html; grep -o '<div><b>[^<]*</b>[^<]*\(makespan\|batches\)[^<]*' r.html
> <div><b>16.00 µs</b>makespan; the busiest, cpu to a, 6.00 µs
> <div><b>40.00 µs</b>for 5 batches

A value that waits on cpu between two parts of a partition that memory splits goes there and back: 1 to a, nothing for what
is there, 1 + 1, and 1 back, 4; either link is busy for 2 of it, so 2 batches more are 4.

$ cat > small.json <<'END'
+ {"kind": "target", "version": 1, "name": "small", "basis": "estimate: by hand", "parallel": true, "memories": [{"name": "sram", "bytes": 320}],
+  "devices": [{"name": "cpu", "costs": [{"seconds": 1e-3}]},
+              {"name": "a", "memory": "sram", "weights": "sram", "ops": [{"ops": ["Add"]}], "costs": [{"seconds": 0}]}],
+  "links": [{"from": "cpu", "to": "a", "seconds": 1e-6}, {"from": "a", "to": "cpu", "seconds": 1e-6}]}
+ END
$ cat > sums.mlir <<'END'
+ func.func @net(%x: tensor<16xf32>) -> tensor<16xf32> {
+   %u = "onnx.Constant"() {value = dense<1.0> : tensor<16xf32>} : () -> tensor<16xf32>
+   %v = "onnx.Constant"() {value = dense<2.0> : tensor<16xf32>} : () -> tensor<16xf32>
+   %w = "onnx.Constant"() {value = dense<3.0> : tensor<16xf32>} : () -> tensor<16xf32>
+   %t = "onnx.Constant"() {value = dense<4.0> : tensor<16xf32>} : () -> tensor<16xf32>
+   %0 = "onnx.Add"(%x, %u) {onnx_node_name = "a1"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
+   %1 = "onnx.Add"(%0, %v) {onnx_node_name = "a2"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
+   %2 = "onnx.Add"(%1, %w) {onnx_node_name = "a3"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
+   %3 = "onnx.Add"(%2, %t) {onnx_node_name = "a4"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
+   onnx.Return %3 : tensor<16xf32>
+ }
+ END
$ place sums.mlir --target ./small.json --batches 3 -q --report - | sed -n '2,4p;/^partitions/p'
> placed by   min-cut: 4.00 us a run, 4.00 us of it transfers and changes of encoding; at most 100.0 % above the least, by costs that are an estimate
> makespan    4.00 us a run, devices at the same time; the busiest is cpu to a: 2.00 us
> 3 batches   8.00 us: 4.00 us and 2.00 us for each more
> partitions 0 to 1 on a are one that is split for memory: needs 384 B of 320 B of sram (arena 128 B, weights 256 B), most at "a1"

Where the target does not say so, one runs after the other.

$ sed 's/"parallel": true/"parallel": false/' pair.json > turns.json; place diamond.mlir --target ./turns.json --batches 10 -q --report - | sed -n 2,3p
> placed by   min-cut: 13.00 us a run, 4.00 us of it transfers and changes of encoding; the least there is, by costs that are an estimate
> 10 batches  130.00 us: one after the other
$ place diamond.mlir --target ./pair.json --batches 10 -o p.qn
! place: --batches is for --report
? 2
$ place diamond.mlir --target ./pair.json --batches 0 --report -
! place: --batches: got "0", need an integer of at least 1
? 2
$ sed 's/"parallel": true/"parallel": 1/' pair.json > wrong.json; place diamond.mlir --target ./wrong.json -o p.qn
! place: ./wrong.json: parallel: is a number, need true or false
? 3
$ sed 's/"parallel": true/"paralel": true/' pair.json > wrong.json; place diamond.mlir --target ./wrong.json -o p.qn
! place: ./wrong.json: paralel: is not a key of a target (did you mean "parallel"?)
? 3
