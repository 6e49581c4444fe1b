TFLite's L2_NORMALIZATION and TensorFlow's l2_normalize are one operator on codes, which a file of TFLite says outright.
$ cat > length.mlir <<'END'
+ func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
+   %a = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %l = "onnx.Constant"() {value = dense<1.0e-6> : tensor<f32>} : () -> tensor<f32>
+   %s = "onnx.Mul"(%x, %x) {onnx_node_name = "square"} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
+   %m = "onnx.ReduceSum"(%s, %a) {onnx_node_name = "sum"} : (tensor<4x16xf32>, tensor<1xi64>) -> tensor<4x1xf32>
+   %r = "onnx.Sqrt"(%m) {onnx_node_name = "root"} : (tensor<4x1xf32>) -> tensor<4x1xf32>
+   %c = "onnx.Max"(%r, %l) {onnx_node_name = "length"} : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
+   %y = "onnx.Div"(%x, %c) {onnx_node_name = "norm"} : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
+   return %y : tensor<4x16xf32>
+ }
+ END
$ model-convert length.mlir --passes fuse_lpnorm,drop_dead -f text | grep -o 'onnx[.][A-Z][a-z]*[A-Z][A-Za-z]*'
> onnx.LpNormalization
$ sed 's/1.0e-6/1.0e-5/' length.mlir | model-convert - --passes fuse_lpnorm,drop_dead -f text | grep -c LpNormalization
> 0
? 1
$ minmax-collect length.mlir --random 4 -q -o ranges.json && quantize length.mlir --ranges ranges.json --type i8 -o whole.tflite -v && model-info whole.tflite --text | grep -o '%y = .*Div.*f32>}]'
> %y = "onnx.Div"(%x, %"y/Max") {onnx_node_name = "y", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.0078125> : tensor<f32>}]
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
$ run whole.tflite --random 1 --explain | grep -E "ReduceSum|Sqrt|Div" | cut -d";" -f1
> y/ReduceSum (ReduceSum): profile
> y/Sqrt (Sqrt): profile
> y (Div): profile

A rule about a part keeps the parts, and other files say them.
$ quantize length.mlir --ranges ranges.json --type i8 --set-node-name root=none -o parts.tflite -v
! quantize: 5 of 5 operators stay float: 0.0 % of the weights (0 of 4 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   square (Mul): only operators that stay float read its result
!   sum (ReduceSum): litert has no kernel for operator ReduceSum on int8
!   root (Sqrt): the rule of node root sets none
!   length (Max): computes on results of operators that stay float
!   norm (Div): operator Div is sensitive: quantized only if a rule names it
$ quantize length.mlir --ranges ranges.json --type i8 -o parts.onnx -v
! quantize: 5 of 5 operators stay float: 0.0 % of the weights (0 of 4 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   square (Mul): only operators that stay float read its result
!   sum (ReduceSum): operator ReduceSum is sensitive: quantized only if a rule names it
!   root (Sqrt): operator Sqrt is sensitive: quantized only if a rule names it
!   length (Max): computes on results of operators that stay float
!   norm (Div): operator Div is sensitive: quantized only if a rule names it
