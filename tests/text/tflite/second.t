A second conversion gives the same bytes.

A depthwise filter whose codes are computed with in real numbers is turned behind its DEQUANTIZE, and not turned back when it is written again.

$ cat > depthwise.mlir <<'END'
+ func.func @depthwise(%x: tensor<1x4x6x6xf32>) -> tensor<1x4x4x4xf32> {
+   %w = "onnx.Constant"() {value = dense<[[[[0.5, 0.25, -1.0], [0.5, 0.125, 1.0], [0.5, 0.25, -1.0]]], [[[0.5, 0.25, -1.0], [0.5, 0.25, 1.0], [0.5, 0.25, -1.0]]], [[[0.5, 0.5, -1.0], [0.5, 0.25, 1.0], [0.5, 0.25, -1.0]]], [[[0.75, 0.25, -1.0], [0.5, 0.25, 1.0], [0.5, 0.25, -1.0]]]]> : tensor<4x1x3x3xf32>} : () -> tensor<4x1x3x3xf32>
+   %y = "onnx.Conv"(%x, %w) {group = 4 : si64, onnx_node_name = "conv"} : (tensor<1x4x6x6xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x4x4xf32>
+   onnx.Return %y : tensor<1x4x4x4xf32>
+ }
+ END
$ minmax-collect depthwise.mlir --random 1 --rows 2 -q -o r.json
$ quantize depthwise.mlir --ranges r.json --type u8i8 --per-tensor -q -o d.onnx && model-convert d.onnx -q -o one.circle && model-convert one.circle -q -o two.circle && cmp one.circle two.circle
