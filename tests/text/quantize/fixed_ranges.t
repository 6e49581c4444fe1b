Tanh of small numbers: its range of -1 to 1 would leave nothing of them in 8 bits. The measured one counts, and where LiteRT's kernel has no other the operator stays float.
$ cat >net.mlir <<'END'
+ func.func @main(%x: tensor<1x8xf32>) -> tensor<1x4xf32> {
+   %w = "onnx.Constant"() {value = dense<0.001> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
+   %v = "onnx.Constant"() {value = dense<0.5> : tensor<8x4xf32>} : () -> tensor<8x4xf32>
+   %a = "onnx.MatMul"(%x, %w) : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
+   %t = "onnx.Tanh"(%a) : (tensor<1x8xf32>) -> tensor<1x8xf32>
+   %y = "onnx.MatMul"(%t, %v) : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
+   return %y : tensor<1x4xf32>
+ }
+ END
$ minmax-collect -q net.mlir --random 1 --rows 20 -o r.json; quantize net.mlir --ranges r.json -o q.onnx; check net.mlir q.onnx --random 2 --rows 20 --min-sqnr 35 >report; echo $?
> 0
! quantize: coverage: 3 of 3 operators, 100.0 % of the weights (384 of 384 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json -o q.tflite -v; check net.mlir q.tflite --random 2 --rows 20 --min-sqnr 35 >report; echo $?
> 0
! quantize: 1 of 3 operators stay float: 100.0 % of the weights (384 of 384 bytes as float32) and 92.3 % of the multiply-accumulates are quantized
!   Tanh_1 (Tanh): the kernel of TensorFlow Lite's quantization specification stores results in steps of 0.0078125, which leave [...] dB of what varies in them
$ model-info q.tflite | grep -A2 operators; model-convert q.tflite -o again.tflite && cmp q.tflite again.tflite
> operators   Gemm                                 2
>             Tanh                                 1
>             quern.Recode                         2
As asked, on codes.
$ quantize net.mlir --ranges r.json --full-integer -o f.tflite; model-info f.tflite --encodings 2>/dev/null | grep -c 0.0078125
> 1
! quantize: coverage: 3 of 3 operators, 100.0 % of the weights (384 of 384 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Weights in 8 bits beside float activations: onnxruntime makes products of 8 bits of both, which it has an option against. The file says so, and a file made of it says it again.
$ quantize net.mlir --type wo-i8 -o w.onnx; grep -a -o "quern.session_options\|session.qdq_[a-z_]* = 1" w.onnx; model-convert w.onnx -o again.onnx && cmp w.onnx again.onnx
> quern.session_options
> session.qdq_matmulnbits_accuracy_level = 1
! quantize: coverage: 2 of 3 operators, 100.0 % of the weights (384 of 384 bytes as float32) and 92.3 % of the multiply-accumulates are quantized
! quantize: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 2 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 2 products of float activations, which it computes in 8 bits else
$ quantize net.mlir --ranges r.json --type w8a16 -o w.onnx; grep -a -c session_options w.onnx
> 0
! quantize: coverage: 3 of 3 operators, 100.0 % of the weights (384 of 384 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
? 1

Softmax: its range stays, as onnxruntime's operator on codes wraps around beyond the greatest. Where another is asked for, whose codes do not hold 1, a Sum of one operand keeps onnxruntime from joining them.
$ sed 's/onnx.Tanh/onnx.Softmax/' net.mlir >softmax.mlir; minmax-collect -q softmax.mlir --random 1 --rows 4 -o r.json; echo '{"activation_encodings": {"t": [{"bitwidth": 8, "scale": 0.0005, "offset": 0, "is_symmetric": "False"}]}, "param_encodings": {}}' >t.json
$ for more in "" "--overrides t.json"; do quantize -q softmax.mlir --ranges r.json --type u8i8 $more -o q.onnx; model-info q.onnx --encodings 2>/dev/null | grep -o '"t".*'; grep -a -o '[a-z]*_sum' q.onnx | sort -u; model-convert q.onnx -o a.onnx; cmp q.onnx a.onnx; done
> "t","offset":[0],"scale":[0.003921569]},
> "t","offset":[0],"scale":[0.0005]},
> t_sum

Of one element a Softmax is 1, for which onnxruntime's operator on codes gives 0: it stays real there.
$ cat >one.mlir <<'END'
+ func.func @main(%x: tensor<1x8xf32>) -> (tensor<1x8x1xf32>, tensor<1x8xf32>) {
+   %shape = "onnx.Constant"() {value = dense<[1, 8, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
+   %a = "onnx.MatMul"(%x, %w) : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
+   %b = "onnx.Reshape"(%a, %shape) : (tensor<1x8xf32>, tensor<3xi64>) -> tensor<1x8x1xf32>
+   %y = "onnx.Softmax"(%b) {axis = -1 : si64} : (tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
+   %z = "onnx.Softmax"(%a) {axis = -1 : si64} : (tensor<1x8xf32>) -> tensor<1x8xf32>
+   return %y, %z : tensor<1x8x1xf32>, tensor<1x8xf32>
+ }
+ END
$ minmax-collect -q one.mlir --random 1 --rows 20 -o r.json; quantize -q one.mlir --ranges r.json --type u8i8 -o q.onnx; model-info q.onnx | grep -e Softmax -e Sum
>             Softmax                              2
>             Sum                                  1

Products with weights of 2 bits, too.
$ for type in wo-i2 wo-u2; do quantize net.mlir --type $type -o w.onnx 2>&1 | grep -c "session.qdq_matmulnbits_accuracy_level = 1"; done
> 1
> 1

Softmax over many: probabilities near 1/576 are no whole step of 1/256. ONNX has the measured range, and no operator on codes for it; LiteRT's kernel has none, so it stays float.
$ cat > many.mlir <<'END'
+ func.func @many(%x: tensor<1x4x576xf32>) -> tensor<1x4x576xf32> {
+   %k = "onnx.Constant"() {value = dense<0.02> : tensor<f32>} : () -> tensor<f32>
+   %l = "onnx.Mul"(%x, %k) {onnx_node_name = "scale"} : (tensor<1x4x576xf32>, tensor<f32>) -> tensor<1x4x576xf32>
+   %y = "onnx.Softmax"(%l) {axis = -1 : si64, onnx_node_name = "softmax"} : (tensor<1x4x576xf32>) -> tensor<1x4x576xf32>
+   return %y : tensor<1x4x576xf32>
+ }
+ END
$ minmax-collect many.mlir --random 1 --rows 4 -q -o m.json; for form in qdq qoperator; do quantize many.mlir --ranges m.json --form $form -q -o m.onnx; check many.mlir m.onnx --random 2 --rows 4 --top 0 | sed -n 2p; model-info m.onnx | grep -c QLinearSoftmax; done
>   output "y": 58.76 dB; sample 2 has 58.69 dB
> 0
>   output "y": 58.76 dB; sample 2 has 58.69 dB
> 0
? 1
$ quantize many.mlir --ranges m.json -o m.tflite -v
! quantize: 2 of 2 operators stay float: 0.0 % of the weights (0 of 4 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   scale (Mul): only operators that stay float read its result
!   softmax (Softmax): the kernel of TensorFlow Lite's quantization specification stores results in steps of 0.00390625, which leave 0.0 dB of what varies in them
