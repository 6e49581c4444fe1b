A scale or bias of one element is that of each element of a normalization's last axis.

$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
+   %one = "onnx.Constant"() {value = dense<2.0> : tensor<1xf32>} : () -> tensor<1xf32>
+   %each = "onnx.Constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
+   %y = "onnx.LayerNormalization"(%x, %one, %one) {axis = -1 : si64} : (tensor<2x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4xf32>
+   %z = "onnx.LayerNormalization"(%x, %each, %each) {axis = -1 : si64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
+   return %y, %z : tensor<2x4xf32>, tensor<2x4xf32>
+ }
+ END
$ run net.mlir --random 3 --backend cpu --verify-backend -q -o out
