Stripes of channels alone: data stay whole, weights come in by groups, also where a unit's rows depend on each other: of 4096 bytes of weights
512 lie there at once.

$ cat > target.json <<'END_TARGET'
+ {"kind": "target", "version": 1, "name": "small", "extends": "cpu", "basis": "estimate: a data sheet",
+  "memories": [{"name": "sram", "bytes": 1100, "bytes_per_second": 4e9}, {"name": "dram", "bytes_per_second": 1e9}],
+  "devices": [{"name": "cpu", "memory": "dram"},
+              {"name": "npu", "memory": "sram", "weights": "sram", "stripes": ["channels"], "ops": [{"ops": ["Gemm"]}],
+               "costs": [{"op": "*", "precision": "*", "seconds": 1e-9}]}],
+  "links": [{"from": "cpu", "to": "npu", "bytes_per_second": 2e9}, {"from": "npu", "to": "cpu", "bytes_per_second": 2e9}]}
+ END_TARGET
$ cat > net.mlir <<'END_NET'
+ func.func @net(%x: tensor<32x2xf32>) -> tensor<2x32xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<32x32xf32>} : () -> tensor<32x32xf32>
+   %b = "onnx.Constant"() {value = dense<0.5> : tensor<32xf32>} : () -> tensor<32xf32>
+   %0 = "onnx.Gemm"(%x, %w, %b) {onnx_node_name = "fc", transA = 1 : si64} : (tensor<32x2xf32>, tensor<32x32xf32>, tensor<32xf32>) -> tensor<2x32xf32>
+   onnx.Return %0 : tensor<2x32xf32>
+ }
+ END_NET
$ place net.mlir --target target.json --as float --heuristic QualifyingOps --report report.txt --save-placement - -q | grep '"device":'; grep -A2 ^partition report.txt
>       "device": "npu",
> partition   device       nodes   in  out       arena        peak     weights  first to last node
> 0           npu              1    1    1       512 B       512 B      4.1 KB  fc
>             in 1 stripe of 2 rows, weights in 8 groups of channels; nothing is read again: in one piece it needs 4.6 KB of 1.1 KB of sram (arena 512 B, weights 4.1 KB)

What has no weights does not run so.

$ cat > add.mlir <<'END_NET'
+ func.func @net(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
+   %0 = "onnx.Relu"(%x) {onnx_node_name = "relu"} : (tensor<32x32xf32>) -> tensor<32x32xf32>
+   onnx.Return %0 : tensor<32x32xf32>
+ }
+ END_NET
$ sed -i 's/"Gemm"/"Gemm", "Relu"/' target.json; place add.mlir --target target.json --as float --report - -q | grep -A1 '^why'
> why nodes are on cpu
>   164 ns (100.0 % of a run, 100.0 % of MACs) npu: needs 8.0 KB of 1.1 KB of sram (arena 8.0 KB, weights 0 B); Relu has no weights to bring in by groups
