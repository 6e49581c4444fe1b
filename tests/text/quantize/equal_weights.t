Weights that are equal stay two in the product and in what is converted from it: with exact sums onnxruntime loads no weights of 8 bits that two operators read. Other constants are written once.

$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
+   %v = "onnx.Constant"() {value = dense<0.5> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
+   %a = "onnx.MatMul"(%x, %w) {onnx_node_name = "a"} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
+   %b = "onnx.MatMul"(%a, %v) {onnx_node_name = "b"} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
+   onnx.Return %b : tensor<4x8xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 2 -q -o r.json
$ quantize net.mlir --ranges r.json --type i8 -q -o q.onnx && model-convert q.onnx -q -o again.onnx && cmp q.onnx again.onnx; grep -a -o '[vw]_quantized' again.onnx | sort -u
> v_quantized
> w_quantized
