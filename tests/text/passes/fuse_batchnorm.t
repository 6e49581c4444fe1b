What Keras writes for batch normalization: Mul and Add of a number for each channel, behind the product.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x3xf32> {
+   %w = "onnx.Constant"() {value = dense<[[[[0.5, -1.0]]], [[[2.0, 0.25]]], [[[-0.75, 1.5]]]]> : tensor<3x1x1x2xf32>} : () -> tensor<3x1x1x2xf32>
+   %b = "onnx.Constant"() {value = dense<[1.0, 2.0, -3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
+   %s = "onnx.Constant"() {value = dense<[2.0, 0.5, -1.0]> : tensor<3xf32>} : () -> tensor<3xf32>
+   %o = "onnx.Constant"() {value = dense<[[[[0.125, 4.0, 1.0]]]]> : tensor<1x1x1x3xf32>} : () -> tensor<1x1x1x3xf32>
+   %c = "onnx.Conv"(%x, %w, %b) {layout = "NHWC", onnx_node_name = "conv"} : (tensor<1x4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<3xf32>) -> tensor<1x4x4x3xf32>
+   %m = "onnx.Mul"(%c, %s) : (tensor<1x4x4x3xf32>, tensor<3xf32>) -> tensor<1x4x4x3xf32>
+   %y = "onnx.Add"(%o, %m) : (tensor<1x1x1x3xf32>, tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
+   return %y : tensor<1x4x4x3xf32>
+ }
+ END
$ model-convert net.mlir --passes fuse_batchnorm -f text | tee fused.mlir | grep -o 'onnx[.][CMAR][a-z]*' | grep -v 'Constant\|Return' | xargs
> onnx.Conv
$ model-diff net.mlir fused.mlir --random 4 | grep -c '^ *1[0-9][0-9][.].* y (output)'
> 1

Numbers along another dim than that of the channels stay, and so does a sum alone.
$ sed 's/dense<.2.0, 0.5, -1.0.> : tensor<3xf32>} : () -> tensor<3xf32>/dense<[[2.0], [0.5], [-1.0], [1.0]]> : tensor<4x1xf32>} : () -> tensor<4x1xf32>/; /onnx.Mul/s/tensor<3xf32>/tensor<4x1xf32>/' net.mlir | model-convert - --passes fuse_batchnorm -f text | grep -o 'onnx[.][CMAR][a-z]*' | grep -v 'Constant\|Return' | xargs
> onnx.Conv onnx.Mul onnx.Add
$ sed 's/"onnx.Mul"(%c, %s) : (tensor<1x4x4x3xf32>, tensor<3xf32>)/"onnx.Relu"(%c) : (tensor<1x4x4x3xf32>)/' net.mlir | model-convert - --passes fuse_batchnorm -f text | grep -o 'onnx[.][CMAR][a-z]*' | grep -v 'Constant\|Return' | xargs
> onnx.Conv onnx.Relu onnx.Add
