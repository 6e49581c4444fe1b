Products that their runtimes refused, in words that they take.

Data of two open dims: a product that keeps its dims, which is read again.

$ cat > open.mlir <<'END'
+ func.func @open(%x: tensor<?x?x64xf32>) -> tensor<?x?x8xf32> {
+   %w = "onnx.Constant"() {value = dense<0.01> : tensor<64x8xf32>} : () -> tensor<64x8xf32>
+   %b = "onnx.Constant"() {value = dense<0.5> : tensor<8xf32>} : () -> tensor<8xf32>
+   %0 = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<?x?x64xf32>, tensor<64x8xf32>) -> tensor<?x?x8xf32>
+   %1 = "onnx.Add"(%0, %b) {onnx_node_name = "bias"} : (tensor<?x?x8xf32>, tensor<8xf32>) -> tensor<?x?x8xf32>
+   onnx.Return %1 : tensor<?x?x8xf32>
+ }
+ END
$ quantize open.mlir --type wo-i4 -o open.tflite && run open.tflite --random 1 --shape x=2,3,64 -q -o out && ls out
> Result_0
! quantize: coverage: 1 of 2 operators, 98.5 % of the weights (2048 of 2080 bytes as float32) and 98.5 % of the multiply-accumulates are quantized
$ model-convert open.tflite -q -o open.onnx && model-info open.onnx | grep -A4 operators
> operators   Add                                  1
>             DequantizeLinear                     1
>             MatMul                               1
> parameters  536 (324 bytes)
> weights     float32                             16

Biases of products that quantize their data at run time stay float32 beside narrow floats.

$ sed 's/?x?x/2x3x/g' open.mlir > fixed.mlir; quantize fixed.mlir --type dynamic-i8 --float-bits 16 -q -o narrow.tflite; model-info narrow.tflite | grep -A3 weights
> weights     float16                              8
>             int64                                5
>             int8                               512
> MACs        3120

Integers that onert cannot choose between are said.

$ cat > hot.mlir <<'END'
+ func.func @hot(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
+   %depth = "onnx.Constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
+   %values = "onnx.Constant"() {value = dense<[0.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %0 = "onnx.ArgMax"(%x) {axis = 1 : si64, keepdims = 0 : si64, onnx_node_name = "most"} : (tensor<2x4xf32>) -> tensor<2xi64>
+   %1 = "onnx.OneHot"(%0, %depth, %values) {onnx_node_name = "hot"} : (tensor<2xi64>, tensor<i64>, tensor<2xf32>) -> tensor<2x4xf32>
+   onnx.Return %1 : tensor<2x4xf32>
+ }
+ END
$ model-convert hot.mlir -o hot.circle
! model-convert: 1 operator is written as asked, which onert has no kernel for: operator "1/indices" (SELECT_V2): attribute element is INT64
