Constants are computed, but not if the result would be much larger than what it is made of.
$ cat > range.mlir <<'END'
+ func.func @range(%x: tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>) {
+   %zero = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
+   %step = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
+   %few = "onnx.Constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
+   %many = "onnx.Constant"() {value = dense<1e+14> : tensor<f32>} : () -> tensor<f32>
+   %a = "onnx.Range"(%zero, %few, %step) {onnx_node_name = "short"} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
+   %b = "onnx.Range"(%zero, %many, %step) {onnx_node_name = "long"} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
+   %y = "onnx.Add"(%a, %x) {onnx_node_name = "y"} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
+   %z = "onnx.Add"(%b, %x) {onnx_node_name = "z"} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
+   return %y, %z : tensor<?xf32>, tensor<?xf32>
+ }
+ END
$ model-convert range.mlir --passes fold_constants -f text | grep -o 'onnx_node_name = "[a-z]*"\|%a = .*'
> %a = "onnx.Constant"() {value = dense<[0.0, 1.0, 2.0]> : tensor<3xf32>} : () -> tensor<3xf32>
> onnx_node_name = "long"
> onnx_node_name = "y"
> onnx_node_name = "z"
