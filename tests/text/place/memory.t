Memory is a constraint: what a device's memory does not hold is split, refused, or, where it is asked for, an error.

$ cat > target.json <<'END_TARGET'
+ {"kind": "target", "version": 1, "name": "small", "extends": "cpu", "basis": "estimate: a data sheet",
+  "memories": [{"name": "sram", "bytes": 384}],
+  "devices": [{"name": "npu", "memory": "sram", "weights": "sram", "ops": [{"ops": ["Add", "Relu"]}],
+               "costs": [{"op": "*", "precision": "*", "bytes_per_second": 1e12}]}],
+  "links": [{"from": "cpu", "to": "npu", "seconds": 1e-6}, {"from": "npu", "to": "cpu", "seconds": 1e-6}]}
+ END_TARGET
$ cat > net.mlir <<'END_NET'
+ func.func @net(%x: tensor<16xf32>) -> tensor<16xf32> {
+   %w = "onnx.Constant"() {value = dense<1.0> : tensor<16xf32>} : () -> tensor<16xf32>
+   %v = "onnx.Constant"() {value = dense<2.0> : tensor<16xf32>} : () -> tensor<16xf32>
+   %t = "onnx.Constant"() {value = dense<4.0> : tensor<16xf32>} : () -> tensor<16xf32>
+   %s = "onnx.Constant"() {value = dense<5.0> : tensor<16xf32>} : () -> tensor<16xf32>
+   %r = "onnx.Constant"() {value = dense<6.0> : tensor<16xf32>} : () -> tensor<16xf32>
+   %0 = "onnx.Add"(%x, %w) {onnx_node_name = "a"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
+   %1 = "onnx.Add"(%0, %v) {onnx_node_name = "b"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
+   %2 = "onnx.Add"(%1, %t) {onnx_node_name = "c"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
+   %3 = "onnx.Add"(%2, %s) {onnx_node_name = "d"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
+   %4 = "onnx.Add"(%3, %r) {onnx_node_name = "e"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
+   onnx.Return %4 : tensor<16xf32>
+ }
+ END_NET

Placed by a heuristic or by hand, one partition becomes two, which is said; every node stays where it is.

$ place net.mlir --target target.json --as float --heuristic QualifyingOps --report report.txt -o placed.qn; grep -A8 ^partition report.txt
> partition   device       nodes   in  out       arena        peak     weights  first to last node
> 0           npu              4    1    1       128 B       128 B       256 B  a to d
> 1           npu              1    1    1       128 B       128 B        64 B  e
> partitions 0 to 1 on npu are one that is split for memory: needs 448 B of 384 B of sram (arena 128 B, weights 320 B), most at "a"
> values that wait on cpu between these parts take 2.00 us of a run
>
> node  operator                device              time      on cpu  why
> a     onnx.Add                npu           below 1 ns      248 ns  QualifyingOps
> b     onnx.Add                npu           below 1 ns      248 ns  QualifyingOps
> c     onnx.Add                npu           below 1 ns      248 ns  QualifyingOps
> d     onnx.Add                npu           below 1 ns      248 ns  QualifyingOps
> e     onnx.Add                npu           below 1 ns      248 ns  QualifyingOps
! place: partitions 0 to 1 on npu are one that is split for memory: needs 448 B of 384 B of sram (arena 128 B, weights 320 B), most at "a"
$ place placed.qn --target target.json --explain d
! place: partitions 0 to 1 on npu are one that is split for memory: needs 448 B of 384 B of sram (arena 128 B, weights 320 B), most at "a"
! place: node "d" (onnx.Add) runs on npu: asked for by the model
!   its partition is split for memory: needs 448 B of 384 B of sram (arena 128 B, weights 320 B), most at "a"; 2 parts
!   cpu             248 ns, moving it there alone: +2.25 us
!   npu         below 1 ns, transfers in 0 ns, out 0 ns
!   times are an estimate: a data sheet
$ run placed.qn --target target.json --random 1 --format npz -o a.npz -q; run net.mlir --random 1 --format npz -o b.npz -q; cmp a.npz b.npz && echo equal
> equal

A node that does not fit by itself is refused; asked for, it is an error with what it needs.

$ sed -i 's/384/190/' target.json; place net.mlir --target target.json --as float --heuristic QualifyingOps --report - -q
> target      small (estimate: a data sheet)
> placed by   QualifyingOps: 1.24 us a run, 0 ns of it transfers and changes of encoding; the least there is, by costs that are an estimate
> others      FasterOps                1.24 us
>             FasterOpsWSU             1.24 us
>             MuchFasterOpsWSU         1.24 us
>             cpu alone                1.24 us
>             min-cut                  1.24 us
>
> device         nodes  partitions       compute largest arena       weights
> cpu                5           1       1.24 us         256 B         320 B
> npu                0           0          0 ns           0 B           0 B
>
> why nodes are on cpu
>   1.24 us (100.0 % of a run, 100.0 % of MACs) npu: needs 192 B of 190 B of sram (arena 128 B, weights 64 B)
>     5 nodes (onnx.Add; a, b, c, d and 1 more), would take 1 ns there
>
> partition   device       nodes   in  out       arena        peak     weights  first to last node
> 0           cpu              5    1    1       256 B       256 B       320 B  a to e
>
> node  operator                device              time      on cpu  why
> a     onnx.Add                cpu               248 ns              no other device runs it
> b     onnx.Add                cpu               248 ns              no other device runs it
> c     onnx.Add                cpu               248 ns              no other device runs it
> d     onnx.Add                cpu               248 ns              no other device runs it
> e     onnx.Add                cpu               248 ns              no other device runs it
$ cat > p.json <<'END_FILE'
+ {"device_placement": [{"device": "npu", "node_type": "onnx.Add", "onnx_node_name": "c"}]}
+ END_FILE
$ place net.mlir --target target.json --as float --load-placement p.json -o no.qn
! place: node "c" (Add) does not fit npu (asked for by p.json: device_placement[0]): needs 192 B of 190 B of sram (arena 128 B, weights 64 B)
! hint: this is the least memory with which it runs there
? 1
$ ls *.qn
> placed.qn

A memory that is a cache limits nothing.

$ sed -i 's/190/190, "cache": true/' target.json; place net.mlir --target target.json --as float --load-placement p.json -o yes.qn

On the host the caller's inputs and results lie beside all else for the whole run, as they do for generated C: its arena with them is what place
counts, or less, but where it keeps real numbers beside codes (transformer) or where apart from inputs its values lie less tightly (sequence).

$ cat > below <<'END_TOOL'
+ #!/bin/bash
+ # MODEL: its name, if place counts less than generated C has
+ number() { grep -o "\"$1\": *[0-9]*" "$2" | tr -dc '0-9\n' | sort -n | tail -1; }
+ codegen "$1" -p c --report c.json -o net.c -q && place "$1" --target cpu --report p.json --save-placement s.json -q
+ [ "$(number arena p.json)" -ge "$(number total c.json)" ] || basename "$1"
+ END_TOOL
$ chmod +x below; for net in $TEST_MODELS/exports/keras/*.i8.tflite; do ./below $net; done
> sequence.i8.tflite
> transformer.i8.tflite
