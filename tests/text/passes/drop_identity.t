A Slice over a whole axis does nothing if it steps forwards; backwards it turns the axis around and stays.
$ cat > slices.mlir <<'END'
+ func.func @slices(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
+   %first = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %last = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %far = "onnx.Constant"() {value = dense<[9]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %before = "onnx.Constant"() {value = dense<[-9]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %same = "onnx.Slice"(%x, %first, %far, %first) {onnx_node_name = "same"} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3xf32>
+   %turned = "onnx.Slice"(%same, %last, %before, %first, %last) {onnx_node_name = "turned"} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3xf32>
+   return %turned : tensor<2x3xf32>
+ }
+ END
$ model-convert slices.mlir --passes drop_identity -f text | grep -o 'onnx_node_name = "[a-z]*"'
> onnx_node_name = "turned"
