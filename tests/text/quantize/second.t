What is written of a quantized model that was read is what was read: scales that are equal stay apart, and what writing adds has the names that reading finds.
$ cat >net.mlir <<END
+ func.func @net(%x: tensor<1x2x7x7xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4xf32>) {
+   %w = "onnx.Constant"() {value = dense<[[[[0.5]], [[-0.25]]], [[[0.125]], [[1.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
+   %b = "onnx.Constant"() {value = dense<0.0> : tensor<2xf32>} : () -> tensor<2xf32>
+   %last = "onnx.Constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
+   %c = "onnx.Conv"(%x, %w, %b) {pads = [1, 0, 0, 1]} : (tensor<1x2x7x7xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x8x8xf32>
+   %r = "onnx.Relu"(%c) : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
+   %p = "onnx.MaxPool"(%r) {kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]} : (tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
+   %y = "onnx.Conv"(%p, %w, %b) : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
+   %z = "onnx.Gather"(%p, %last) {axis = 2} : (tensor<1x2x4x4xf32>, tensor<i64>) -> tensor<1x2x4xf32>
+   return %y, %z : tensor<1x2x4x4xf32>, tensor<1x2x4xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 4 -q -o r.json && quantize net.mlir --ranges r.json --type i8 -q -o net.qn
$ for suffix in onnx tflite circle; do model-convert net.qn -q -o first.$suffix && model-convert first.$suffix -q -o second.$suffix && cmp first.$suffix second.$suffix; done
$ model-convert net.qn --form qoperator -q -o first.onnx && model-convert first.onnx -q -o second.onnx && cmp first.onnx second.onnx
