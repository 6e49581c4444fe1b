A product and a summand of rank 2, one number a unit, are one FULLY_CONNECTED whose bias has a scale for each unit.
$ cat >net.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> (tensor<1x3xf32>) {
+   %w = "onnx.Constant"() {value = dense<[[1.0, 0.5, -1.0], [0.25, -2.0, 1.0], [0.5, 0.75, 1.5], [-1.0, 1.0, 0.125]]> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
+   %b = "onnx.Constant"() {value = dense<[[1.0, 0.5, -1.0]]> : tensor<1x3xf32>} : () -> tensor<1x3xf32>
+   %a = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
+   %y = "onnx.Add"(%a, %b) {onnx_node_name = "summand"} : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
+   return %y : tensor<1x3xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 9 -o r.json && quantize net.mlir --ranges r.json --type uint8 -o q.circle && model-info q.circle | grep -A9 operators | sed -n 1,2p
> operators   Gemm                                 1
> parameters  15 (24 bytes)
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (60 of 60 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ model-diff net.mlir q.circle --random 2 --threshold 20 | tail -1
> only in the first: a
One that is computed is the bias, too: made a row before it is added.
$ cat >computed.mlir <<'END'
+ func.func @net(%x: tensor<2x4xf32>, %b: tensor<1x3xf32>) -> (tensor<2x3xf32>) {
+   %w = "onnx.Constant"() {value = dense<[[1.0, 0.5, -1.0], [0.25, -2.0, 1.0], [0.5, 0.75, 1.5], [-1.0, 1.0, 0.125]]> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
+   %y = "onnx.Gemm"(%x, %w, %b) {onnx_node_name = "product"} : (tensor<2x4xf32>, tensor<4x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
+   return %y : tensor<2x3xf32>
+ }
+ END
$ model-convert computed.mlir -o computed.tflite && model-diff computed.mlir computed.tflite --random 2 --threshold 100 | grep output
>     equal   1.000000            0      1.39383  y (output)
