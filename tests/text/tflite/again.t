TFLite files of TensorFlow's converter, read and written: what reading takes apart is put together again.
$ cat >parts.mlir <<'END'
+ func.func @net(%x: tensor<1x4x6x8xf32>) -> (tensor<1x8x12x2xf32>, tensor<1x4x6x8xf32>, tensor<1x2x4x6x8xf32>) {
+   %apart = "onnx.Constant"() {value = dense<[-1, 4, 6, 2, 2, 2]> : tensor<6xi64>} : () -> tensor<6xi64>
+   %shape = "onnx.Constant"() {value = dense<[-1, 8, 12, 2]> : tensor<4xi64>} : () -> tensor<4xi64>
+   %beta = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
+   %one = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %a = "onnx.Reshape"(%x, %apart) : (tensor<1x4x6x8xf32>, tensor<6xi64>) -> tensor<1x4x6x2x2x2xf32>
+   %b = "onnx.Transpose"(%a) {perm = [0, 1, 3, 2, 4, 5]} : (tensor<1x4x6x2x2x2xf32>) -> tensor<1x4x2x6x2x2xf32>
+   %depth = "onnx.Reshape"(%b, %shape) : (tensor<1x4x2x6x2x2xf32>, tensor<4xi64>) -> tensor<1x8x12x2xf32>
+   %scaled = "onnx.Mul"(%x, %beta) : (tensor<1x4x6x8xf32>, tensor<f32>) -> tensor<1x4x6x8xf32>
+   %soft = "onnx.Softmax"(%scaled) {axis = -1 : si64} : (tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
+   %u = "onnx.Unsqueeze"(%soft, %one) : (tensor<1x4x6x8xf32>, tensor<1xi64>) -> tensor<1x1x4x6x8xf32>
+   %v = "onnx.Unsqueeze"(%x, %one) : (tensor<1x4x6x8xf32>, tensor<1xi64>) -> tensor<1x1x4x6x8xf32>
+   %pack = "onnx.Concat"(%u, %v) {axis = 1 : si64} : (tensor<1x1x4x6x8xf32>, tensor<1x1x4x6x8xf32>) -> tensor<1x2x4x6x8xf32>
+   return %depth, %soft, %pack : tensor<1x8x12x2xf32>, tensor<1x4x6x8xf32>, tensor<1x2x4x6x8xf32>
+ }
+ END
$ model-convert parts.mlir -o parts.tflite && model-convert parts.tflite -o again.tflite && cmp parts.tflite again.tflite && model-diff parts.mlir again.tflite --random 1 --threshold 100 | tail -1
> only in the second: depth/Reshape, depth/Transpose, soft/Mul, pack/Unsqueeze, pack/Unsqueeze_1
