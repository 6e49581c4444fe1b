Logarithms of 0 in a table of positions are not an error where only indices follow from them: such numbers are neither measured nor rounded.
$ cat > net.mlir <<'END'
+ func.func @positions(%x: tensor<1x6xi64>) -> tensor<1x6x2xf32> {
+   %two = "onnx.Constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
+   %half = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
+   %table = "onnx.Constant"() {value = dense<[[1.0, -1.0], [0.5, 2.0], [-0.25, 0.75]]> : tensor<3x2xf32>} : () -> tensor<3x2xf32>
+   %w = "onnx.Constant"() {value = dense<[[1.0, 0.5], [-1.0, 0.25]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
+   %f = "onnx.Cast"(%x) {onnx_node_name = "f", to = 1 : si64} : (tensor<1x6xi64>) -> tensor<1x6xf32>
+   %log = "onnx.Log"(%f) {onnx_node_name = "log"} : (tensor<1x6xf32>) -> tensor<1x6xf32>
+   %scaled = "onnx.Mul"(%log, %half) {onnx_node_name = "scaled"} : (tensor<1x6xf32>, tensor<f32>) -> tensor<1x6xf32>
+   %far = "onnx.Cast"(%scaled) {onnx_node_name = "far", to = 7 : si64} : (tensor<1x6xf32>) -> tensor<1x6xi64>
+   %near = "onnx.Less"(%x, %two) {onnx_node_name = "near"} : (tensor<1x6xi64>, tensor<i64>) -> tensor<1x6xi1>
+   %index = "onnx.Where"(%near, %x, %far) {onnx_node_name = "index"} : (tensor<1x6xi1>, tensor<1x6xi64>, tensor<1x6xi64>) -> tensor<1x6xi64>
+   %row = "onnx.Gather"(%table, %index) {axis = 0 : si64, onnx_node_name = "row"} : (tensor<3x2xf32>, tensor<1x6xi64>) -> tensor<1x6x2xf32>
+   %y = "onnx.MatMul"(%row, %w) {onnx_node_name = "y"} : (tensor<1x6x2xf32>, tensor<2x2xf32>) -> tensor<1x6x2xf32>
+   return %y : tensor<1x6x2xf32>
+ }
+ END
$ python3 -c "import struct; open('x.bin', 'wb').write(struct.pack('<6q', 0, 1, 2, 3, 4, 5))"
$ minmax-collect net.mlir --input 'x=x.bin:i64[1,6]' --no-histogram | grep -o '^"[a-z]*":{"count'
> "row":{"count
> "y":{"count
$ minmax-collect net.mlir --input 'x=x.bin:i64[1,6]' -o r.json && quantize net.mlir --ranges r.json -v -o q.onnx
! quantize: 3 of 5 operators stay float: 90.9 % of the weights (40 of 44 bytes as float32) and 66.7 % of the multiply-accumulates are quantized
!   f (Cast): does not map float32 to float32
!   log (Log): operator Log is sensitive: quantized only if a rule names it
!   scaled (Mul): only shapes, indices or integers depend on its results
$ run q.onnx --input 'x=x.bin:i64[1,6]' -o out --format npy && model-diff net.mlir q.onnx --input 'x=x.bin:i64[1,6]' --outputs-only --threshold 25 > diff.txt && echo close
> close
