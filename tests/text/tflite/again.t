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

What comes of nodes that are alike is merged the first time, not when the file is converted again: constants of a HardSigmoid, parts of an operator that the format lacks.
$ cat >alike.mlir <<'END'
+ func.func @net(%x: tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32> {
+   %g = "onnx.HardSigmoid"(%x) {alpha = 0.16666667 : f32, beta = 0.5 : f32} : (tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
+   %a = "onnx.Mul"(%x, %g) : (tensor<1x4x6x8xf32>, tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
+   %h = "onnx.HardSigmoid"(%a) {alpha = 0.16666667 : f32, beta = 0.5 : f32} : (tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
+   %b = "onnx.Mul"(%a, %h) : (tensor<1x4x6x8xf32>, tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
+   %y = "onnx.Celu"(%b) {alpha = 2.0 : f32} : (tensor<1x4x6x8xf32>) -> tensor<1x4x6x8xf32>
+   return %y : tensor<1x4x6x8xf32>
+ }
+ END
$ for suffix in tflite circle; do model-convert alike.mlir -o a.$suffix && model-convert a.$suffix -o b.$suffix && cmp a.$suffix b.$suffix; done; model-info a.tflite | sed -n '/^operators/,/^parameters/p'
> operators   Add                                  3
>             Clip                                 2
>             Elu                                  1
>             Min                                  1
>             Mul                                  6
>             Relu                                 1
> parameters  8 (32 bytes)
! model-convert: 2 operators are written as asked, which onert has no kernel for: operator "g" (RELU_0_TO_1): on float32; operator "h" (RELU_0_TO_1): on float32
! model-convert: 2 operators are written as asked, which onert has no kernel for: operator "g" (RELU_0_TO_1): on float32; operator "h" (RELU_0_TO_1): on float32
$ minmax-collect -q alike.mlir --random 1 --rows 20 -o r.json; for type in i8 u8-asym w8a16; do quantize -q alike.mlir --ranges r.json --type $type -o a.tflite && model-convert -q a.tflite -o b.tflite && cmp a.tflite b.tflite; done
