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

Nor does attention grow: no shape is computed twice, no Transpose of dims of 1 is a RESHAPE beside another, what is alike is written once, and products keep the dims of their data.

$ cat > heads.mlir <<'END'
+ func.func @heads(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
+   %y = "onnx.Attention"(%q, %k, %v) {is_causal = 1 : si64, onnx_node_name = "attention"} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
+   onnx.Return %y : tensor<1x2x4x8xf32>
+ }
+ END
$ cat > scores.mlir <<'END'
+ func.func @scores(%x: tensor<1x6x1x8xf32>, %y: tensor<1x6x1x8xf32>) -> tensor<1x1x6x6xf32> {
+   %z = "onnx.Einsum"(%x, %y) {equation = "aecd,abcd->acbe", onnx_node_name = "scores"} : (tensor<1x6x1x8xf32>, tensor<1x6x1x8xf32>) -> tensor<1x1x6x6xf32>
+   onnx.Return %z : tensor<1x1x6x6xf32>
+ }
+ END
$ cat > pair.mlir <<'END'
+ func.func @pair(%x: tensor<1x4x8xf32>) -> (tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32>) {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
+   %u = "onnx.Constant"() {value = dense<0.25> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
+   %dims = "onnx.Constant"() {value = dense<[1, 4, 2, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
+   %again = "onnx.Constant"() {value = dense<[1, 4, 2, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
+   %a = "onnx.MatMul"(%x, %w) {onnx_node_name = "a"} : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
+   %b = "onnx.MatMul"(%x, %u) {onnx_node_name = "b"} : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
+   %y = "onnx.Reshape"(%a, %dims) {onnx_node_name = "y"} : (tensor<1x4x8xf32>, tensor<4xi64>) -> tensor<1x4x2x4xf32>
+   %z = "onnx.Reshape"(%b, %again) {onnx_node_name = "z"} : (tensor<1x4x8xf32>, tensor<4xi64>) -> tensor<1x4x2x4xf32>
+   onnx.Return %y, %z : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32>
+ }
+ END
$ cat > again.sh <<'END'
+ minmax-collect $1.mlir --random 1 --rows 2 -q -o $1.json
+ for type in i8 wo-i8; do for to in onnx tflite circle; do
+     quantize $1.mlir --ranges $1.json --type $type -q -o p.$to && model-convert p.$to -q -o first.$to && model-convert first.$to -q -o second.$to
+     cmp p.$to first.$to; cmp first.$to second.$to
+ done; done
+ END
$ for net in heads scores pair; do sh again.sh $net; done
