A loop without end: the run ends when its time is over, with the exit code of a limit and without a product.

$ cat >loop.mlir <<'END'
+ func.func @main(%x: tensor<1xf32>) -> (tensor<1xf32>) {
+   %n = "onnx.Constant"() {value = dense<9223372036854775807> : tensor<i64>} : () -> tensor<i64>
+   %none = "onnx.NoValue"() : () -> none
+   %y = "onnx.Loop"(%n, %none, %x) ({
+   ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<1xf32>):
+     %w = "onnx.Neg"(%v) {onnx_node_name = "w"} : (tensor<1xf32>) -> tensor<1xf32>
+     onnx.Yield %c, %w : tensor<i1>, tensor<1xf32>
+   }) {onnx_node_name = "loop"} : (tensor<i64>, none, tensor<1xf32>) -> tensor<1xf32>
+   return %y : tensor<1xf32>
+ }
+ END
$ run loop.mlir --random 1 --time-limit 0.5 -o out
! run: takes longer than 0.5 s, its time limit (--time-limit)
? 4
$ minmax-collect loop.mlir --random 1 --time-limit 0.5 -o ranges.json
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
! minmax-collect: takes longer than 0.5 s, its time limit (--time-limit)
? 4
$ find . -name "*.json" -o -name "*.raw"

What is done in time is as it is without a limit.
$ run $NETS/gemm_relu.mlir --random 1 --time-limit 60 -o out && find out -type f
> out/Result_0/[...].raw

$ run loop.mlir --random 1 --time-limit 0
! run: --time-limit: got "0", need seconds, as 60 or 0.5
? 2
$ run loop.mlir --random 1 --time-limit soon
! run: --time-limit: got "soon", need seconds, as 60 or 0.5
? 2
