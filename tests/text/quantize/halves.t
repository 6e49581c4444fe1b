Nets that compute in float16 or bfloat16 are quantized as if in float32 throughout.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf16>) -> tensor<1x2xf16> {
+   %w = "onnx.Constant"() {value = dense<[[1.27, -0.5], [0.0, 2.54], [0.5, 0.6], [-1.0, -0.9]]> : tensor<4x2xf16>} : () -> tensor<4x2xf16>
+   %b = "onnx.Constant"() {value = dense<[0.5, -0.25]> : tensor<2xf16>} : () -> tensor<2xf16>
+   %m = "onnx.Gemm"(%x, %w, %b) {onnx_node_name = "gemm"} : (tensor<1x4xf16>, tensor<4x2xf16>, tensor<2xf16>) -> tensor<1x2xf16>
+   %y = "onnx.Relu"(%m) {onnx_node_name = "relu"} : (tensor<1x2xf16>) -> tensor<1x2xf16>
+   return %y : tensor<1x2xf16>
+ }
+ END
$ sed 's/f16/bf16/g' net.mlir > brain.mlir; sed 's/f16/f32/g' net.mlir > wide.mlir
$ for net in net brain wide; do minmax-collect -q $net.mlir --random 1 --rows 4 -o $net.json; for type in i8 wo-i8 dynamic-i8 w4a8; do quantize $net.mlir --ranges $net.json --type $type -o $net-$type.onnx; done; quantize $net.mlir --ranges $net.json -q -o $net.tflite; done
! quantize: the model computes in float16: it is quantized as if in float32, which its inputs and outputs are now
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (40 of 40 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: the model computes in float16: it is quantized as if in float32, which its inputs and outputs are now
! quantize: coverage: 1 of 2 operators, 80.0 % of the weights (32 of 40 bytes as float32) and 80.0 % of the multiply-accumulates are quantized
! quantize: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else
! quantize: the model computes in float16: it is quantized as if in float32, which its inputs and outputs are now
! quantize: coverage: 1 of 2 operators, 80.0 % of the weights (32 of 40 bytes as float32) and 80.0 % of the multiply-accumulates are quantized
! quantize: the model computes in float16: it is quantized as if in float32, which its inputs and outputs are now
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (40 of 40 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: the model computes in bfloat16: it is quantized as if in float32, which its inputs and outputs are now
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (40 of 40 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: the model computes in bfloat16: it is quantized as if in float32, which its inputs and outputs are now
! quantize: coverage: 1 of 2 operators, 80.0 % of the weights (32 of 40 bytes as float32) and 80.0 % of the multiply-accumulates are quantized
! quantize: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else
! quantize: the model computes in bfloat16: it is quantized as if in float32, which its inputs and outputs are now
! quantize: coverage: 1 of 2 operators, 80.0 % of the weights (32 of 40 bytes as float32) and 80.0 % of the multiply-accumulates are quantized
! quantize: the model computes in bfloat16: it is quantized as if in float32, which its inputs and outputs are now
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (40 of 40 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (40 of 40 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 1 of 2 operators, 80.0 % of the weights (32 of 40 bytes as float32) and 80.0 % of the multiply-accumulates are quantized
! quantize: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else
! quantize: coverage: 1 of 2 operators, 80.0 % of the weights (32 of 40 bytes as float32) and 80.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (40 of 40 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ for type in i8 wo-i8 dynamic-i8 w4a8; do for net in net wide; do model-info $net-$type.onnx | grep -v '^lineage' > $net.info; done; diff net.info wide.info && echo $type; done
> i8
> wo-i8
> dynamic-i8
> w4a8
$ model-info net.tflite | grep '^inputs\|^outputs'
> inputs      x  float32[1,4]  int8 scale 0.0075616576 zero 2
> outputs     y  float32[1,2]  int8 scale 0.009313726 zero -128

The pass does it alone; types of floats leave the net as it is.
$ model-convert net.mlir --passes to_float32 -o f.qn && model-info f.qn | grep '^inputs\|^outputs\|^weights'
> inputs      x  float32[1,4]
> outputs     y  float32[1,2]
> weights     float32                             10
$ quantize net.mlir --type bf16 -o h.onnx && model-info h.onnx | grep '^inputs\|^outputs'
> inputs      x  float16[1,4]
> outputs     y  float16[1,2]
! quantize: --type bf16 found nothing to quantize
! quantize: coverage: 0 of 2 operators, 0.0 % of the weights (0 of 40 bytes as float32) and 0.0 % of the multiply-accumulates are quantized

Casts around a net, and weights that are stored as float16 behind them.
$ cat > cast.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
+   %w = "onnx.Constant"() {value = dense<[[1.27, -0.5], [0.0, 2.54], [0.5, 0.6], [-1.0, -0.9]]> : tensor<4x2xf16>} : () -> tensor<4x2xf16>
+   %h = "onnx.Cast"(%x) {onnx_node_name = "in", to = 10 : si64} : (tensor<1x4xf32>) -> tensor<1x4xf16>
+   %m = "onnx.MatMul"(%h, %w) {onnx_node_name = "matmul"} : (tensor<1x4xf16>, tensor<4x2xf16>) -> tensor<1x2xf16>
+   %r = "onnx.Relu"(%m) {onnx_node_name = "relu"} : (tensor<1x2xf16>) -> tensor<1x2xf16>
+   %y = "onnx.Cast"(%r) {onnx_node_name = "out", to = 1 : si64} : (tensor<1x2xf16>) -> tensor<1x2xf32>
+   return %y : tensor<1x2xf32>
+ }
+ END
$ minmax-collect -q cast.mlir --random 1 --rows 4 -o cast.json; quantize cast.mlir --ranges cast.json -o cast.qn && model-info cast.qn | grep -v '^lineage'
> graph       net
> inputs      x  float32[1,4]  int8 scale 0.0075624287 zero 2
> outputs     y  float32[1,2]  int8 scale 0.007352941 zero -128
> nodes       2
> operators   MatMul                               1
>             Relu                                 1
> parameters  8 (8 bytes)
> weights     int8                                 8
> MACs        10
> encodings   int8                                 2
>             int8 per channel                     1
! quantize: the model computes in float16: it is quantized as if in float32, which its inputs and outputs are now
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (32 of 32 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ cat > weight.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
+   %h = "onnx.Constant"() {value = dense<[[1.27, -0.5], [0.0, 2.54], [0.5, 0.6], [-1.0, -0.9]]> : tensor<4x2xf16>} : () -> tensor<4x2xf16>
+   %w = "onnx.Cast"(%h) {onnx_node_name = "cast", to = 1 : si64} : (tensor<4x2xf16>) -> tensor<4x2xf32>
+   %y = "onnx.MatMul"(%x, %w) {onnx_node_name = "matmul"} : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
+   return %y : tensor<1x2xf32>
+ }
+ END
$ model-convert weight.mlir --passes none -o weight.onnx && quantize weight.onnx --type wo-i8 -o q.onnx && model-info q.onnx | grep 'DequantizeLinear\|int8'
> operators   DequantizeLinear                     1
>             int8                                10
> encodings   int8 in blocks                       1
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (32 of 32 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else

Float16 weights of a TFLite file are weights: 8 and 4 bits make codes of them, and what stays float stays as short as it came.
$ minmax-collect -q wide.mlir --random 1 --rows 4 -o w.json; model-convert wide.mlir -o wide.tflite; quantize wide.tflite --type f16 -o half.tflite
! quantize: coverage: 1 of 2 operators, 80.0 % of the weights (32 of 40 bytes as float32) and 80.0 % of the multiply-accumulates are quantized
$ for type in i8 w8a16 wo-i8 wo-i4 dynamic-i8; do quantize half.tflite --ranges w.json --force --type $type -o q.tflite && model-info q.tflite | grep -A2 '^weights'; done
> weights     int32                                2
>             int8                                 8
> MACs        10
> weights     int64                                2
>             int8                                 8
> MACs        10
> weights     float32                              2
>             int8                                 8
> MACs        10
> weights     float32                              2
>             int4                                 8
> MACs        10
> weights     float32                              2
>             int8                                 8
> MACs        10
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (40 of 40 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (40 of 40 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 1 of 2 operators, 80.0 % of the weights (32 of 40 bytes as float32) and 80.0 % of the multiply-accumulates are quantized
! quantize: coverage: 1 of 2 operators, 80.0 % of the weights (32 of 40 bytes as float32) and 80.0 % of the multiply-accumulates are quantized
! quantize: coverage: 1 of 2 operators, 80.0 % of the weights (32 of 40 bytes as float32) and 80.0 % of the multiply-accumulates are quantized
$ quantize half.tflite --ranges w.json --force --set-global none -o q.tflite && model-info q.tflite | grep -A2 '^weights'
> weights     float16                              8
>             float32                              2
> MACs        10
! quantize: 2 of 2 operators stay float: 0.0 % of the weights (0 of 40 bytes as float32) and 0.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
