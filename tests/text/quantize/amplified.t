A logarithm of the root of a sum of squares of what a convolution made, as of a spectrum: rounding is told where it is amplified.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x1x8xf32>) -> tensor<1x1x4xf32> {
+   %w = "onnx.Constant"() {value = dense<[[[1.0, 0.5]], [[0.25, -0.125]], [[0.5, -1.0]]]> : tensor<3x1x2xf32>} : () -> tensor<3x1x2xf32>
+   %axes = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %one = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
+   %none = "onnx.NoValue"() {value} : () -> none
+   %c = "onnx.Conv"(%x, %w, %none) {onnx_node_name = "bands", strides = [2]} : (tensor<1x1x8xf32>, tensor<3x1x2xf32>, none) -> tensor<1x3x4xf32>
+   %s = "onnx.Mul"(%c, %c) {onnx_node_name = "square"} : (tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
+   %r = "onnx.ReduceSum"(%s, %axes) {keepdims = 1 : si64, onnx_node_name = "sum"} : (tensor<1x3x4xf32>, tensor<1xi64>) -> tensor<1x1x4xf32>
+   %q = "onnx.Sqrt"(%r) {onnx_node_name = "root"} : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
+   %y = "onnx.Log"(%q) {onnx_node_name = "log"} : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
+   return %y : tensor<1x1x4xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 20 -q -o r.json && quantize net.mlir --ranges r.json -o q.onnx
! quantize: node "log" (Log) takes squares or sums of what is rounded to 8 bits before: small ones keep little of them: bands
! quantize: check shows what that costs the outputs; --set-node-name NAME=w8a16, or NAME=none, keeps more
! quantize: 4 of 5 operators stay float: 100.0 % of the weights (24 of 24 bytes as float32) and 42.9 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ quantize net.mlir --ranges r.json --type w8a16 -o q.onnx
! quantize: 4 of 5 operators stay float: 100.0 % of the weights (24 of 24 bytes as float32) and 42.9 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ quantize net.mlir --ranges r.json --set-node-name bands=none -o q.onnx
! quantize: 5 of 5 operators stay float: 0.0 % of the weights (0 of 24 bytes as float32) and 0.0 % of the multiply-accumulates are quantized; see -v or --report for which and why

The logarithm of a sum of exponentials, whose greatest counts.
$ sed -e 's/"onnx.Mul"(%c, %c) {onnx_node_name = "square"} : (tensor<1x3x4xf32>, tensor<1x3x4xf32>)/"onnx.Exp"(%c) {onnx_node_name = "exp"} : (tensor<1x3x4xf32>)/' net.mlir > exp.mlir; minmax-collect exp.mlir --random 1 --rows 20 -q -o r.json && quantize exp.mlir --ranges r.json -o q.onnx
! quantize: 4 of 5 operators stay float: 100.0 % of the weights (24 of 24 bytes as float32) and 42.9 % of the multiply-accumulates are quantized; see -v or --report for which and why

Where numbers are of many sizes, 8 bits would keep little of the logarithm: the convolution keeps only its weights as codes.
$ sed -e 's/%c = "onnx.Conv"(%x/%five = "onnx.Constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>\n  %p = "onnx.Pow"(%x, %five) : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<1x1x8xf32>\n  %c = "onnx.Conv"(%p/' net.mlir > wide.mlir; minmax-collect wide.mlir --random 1 --rows 20 -q -o r.json && quantize wide.mlir --ranges r.json -v -o q.onnx
! quantize: 5 of 6 operators stay float: 85.7 % of the weights (24 of 28 bytes as float32) and 37.5 % of the multiply-accumulates are quantized
!   Pow_0 (Pow): operator Pow is sensitive: quantized only if a rule names it
!   square (Mul): only operators that stay float read its result
!   sum (ReduceSum): operator ReduceSum is sensitive: quantized only if a rule names it
!   root (Sqrt): operator Sqrt is sensitive: quantized only if a rule names it
!   log (Log): operator Log is sensitive: quantized only if a rule names it
! quantize: 1 of 6 operators computes in float on weights that are codes: 85.7 % of the weights and 37.5 % of the multiply-accumulates
!   bands (Conv): computes in float on weights that are codes: Log "log" takes its squares or sums, of which 8 bits would keep only 0.0 dB
$ quantize wide.mlir --ranges r.json --runtime qnn -o qnn.onnx
! quantize: node "log" (Log) takes squares or sums of what is rounded to 8 bits before: small ones keep little of them: bands
! quantize: check shows what that costs the outputs; --set-node-name NAME=w8a16, or NAME=none, keeps more
! quantize: 5 of 6 operators stay float: 85.7 % of the weights (24 of 28 bytes as float32) and 37.5 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ quantize wide.mlir --ranges r.json --set-node-name bands=i8 -o q.onnx
! quantize: node "log" (Log) takes squares or sums of what is rounded to 8 bits before: small ones keep little of them: bands
! quantize: check shows what that costs the outputs; --set-node-name NAME=w8a16, or NAME=none, keeps more
! quantize: 5 of 6 operators stay float: 85.7 % of the weights (24 of 28 bytes as float32) and 37.5 % of the multiply-accumulates are quantized; see -v or --report for which and why
