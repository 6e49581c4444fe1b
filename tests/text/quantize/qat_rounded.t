Fake quantization as PyTorch's exporter spells it, (Clip(Round(x / scale) + zero) - zero) * scale: of data by 1 / scale, of weights by a scale
for each channel and without the least code, of the result with the quotient computed in the graph.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x1x2x2xf32>) -> tensor<1x2x2x2xf32> {
+   %least = "onnx.Constant"() {value = dense<-128.0> : tensor<f32>} : () -> tensor<f32>
+   %most = "onnx.Constant"() {value = dense<127.0> : tensor<f32>} : () -> tensor<f32>
+   %narrow = "onnx.Constant"() {value = dense<-127.0> : tensor<f32>} : () -> tensor<f32>
+   %none = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
+   %all = "onnx.Constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
+   %xi = "onnx.Constant"() {value = dense<50.0> : tensor<f32>} : () -> tensor<f32>
+   %xs = "onnx.Constant"() {value = dense<0.02> : tensor<f32>} : () -> tensor<f32>
+   %xz = "onnx.Constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
+   %ws = "onnx.Constant"() {value = dense<[[[[0.01]]], [[[0.03]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
+   %ys = "onnx.Constant"() {value = dense<[0.05]> : tensor<1xf32>} : () -> tensor<1xf32>
+   %yz = "onnx.Constant"() {value = dense<40.0> : tensor<f32>} : () -> tensor<f32>
+   %w = "onnx.Constant"() {value = dense<[[[[1.004]]], [[[-4.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
+   %x0 = "onnx.Mul"(%xi, %x) : (tensor<f32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
+   %x1 = "onnx.Round"(%x0) : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
+   %x2 = "onnx.Add"(%x1, %xz) : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
+   %x3 = "onnx.Clip"(%x2, %least, %most) : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x1x2x2xf32>
+   %x4 = "onnx.Sub"(%x3, %xz) : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
+   %x5 = "onnx.Mul"(%x4, %xs) : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
+   %w0 = "onnx.Div"(%w, %ws) : (tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>) -> tensor<2x1x1x1xf32>
+   %w1 = "onnx.Round"(%w0) : (tensor<2x1x1x1xf32>) -> tensor<2x1x1x1xf32>
+   %w2 = "onnx.Clip"(%w1, %narrow, %most) : (tensor<2x1x1x1xf32>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x1xf32>
+   %w3 = "onnx.Mul"(%w2, %ws) : (tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>) -> tensor<2x1x1x1xf32>
+   %c = "onnx.Conv"(%x5, %w3) {onnx_node_name = "conv"} : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x2x2xf32>
+   %yi = "onnx.Reciprocal"(%ys) : (tensor<1xf32>) -> tensor<1xf32>
+   %y0 = "onnx.Mul"(%c, %yi) : (tensor<1x2x2x2xf32>, tensor<1xf32>) -> tensor<1x2x2x2xf32>
+   %y1 = "onnx.Round"(%y0) : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
+   %y2 = "onnx.Add"(%y1, %yz) : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
+   %y3 = "onnx.Clip"(%y2, %none, %all) : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x2x2xf32>
+   %y4 = "onnx.Sub"(%y3, %yz) : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
+   %y5 = "onnx.Mul"(%y4, %ys) : (tensor<1x2x2x2xf32>, tensor<1xf32>) -> tensor<1x2x2x2xf32>
+   return %y5 : tensor<1x2x2x2xf32>
+ }
+ END
$ model-convert net.mlir --passes none -o net.onnx && model-info net.onnx --encodings=2.0.0 | grep '"name"'
> {"axis":0,"name":"w3","output_dtype":"int8","y_scale":[0.01,0.03]},
> {"name":"x","output_dtype":"int8","y_scale":0.02,"y_zero_point":3},
> {"name":"y5","output_dtype":"uint8","y_scale":0.05,"y_zero_point":40}

No ranges are needed: nothing stays float, and the weights have the codes that the operators give.
$ quantize net.onnx --type i8 --strict -o q.qn && model-info q.qn | grep '^inputs\|^outputs\|^nodes\|encodings'
> inputs      x  float32[1,1,2,2]  int8 scale 0.02 zero 3
> outputs     y5  float32[1,2,2,2]  uint8 scale 0.05 zero 40
> nodes       1
> encodings   int8                                 1
! quantize: --type i8 found nothing to quantize: the model is quantized already, and its encodings stay as they are
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (8 of 8 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ model-info q.qn --text | grep -o 'storage = i8.*dense<\[\[\[\[.*' | cut -c1-160
> storage = i8, qmin = -127, qmax = 127, axis = 0, scale = dense<[0.01, 0.03]> : tensor<2xf32>, zero = dense<0> : tensor<2xi8>}], value = dense<[[[[100]]], [[[-12
$ quantize net.onnx -q --type i8 -o q.onnx && model-info q.onnx | grep -A2 operators
> operators   Conv                                 1
>             DequantizeLinear                     3
>             QuantizeLinear                       2
$ for f in qn onnx; do quantize net.onnx -q --type i8 --strict -o q.$f && model-diff net.onnx q.$f --random 20 | grep 'output)'; done
>     equal   1.000000            0            2  y5 (output)
>     equal   1.000000            0            2  y5 (output)
$ sed 's/dense<0.0>/dense<-128.0>/; s/dense<255.0>/dense<127.0>/; s/dense<40.0>/dense<-88.0>/' net.mlir > signed.mlir
$ quantize signed.mlir -q --type i8 --strict -o q.tflite && model-diff signed.mlir q.tflite --random 20 | grep 'output)'
>     equal   1.000000            0            2  y5 (output)

Codes of fewer bits than their type has are clipped as numbers, ahead of them.
$ sed 's/dense<-128.0>/dense<-64.0>/; s/dense<127.0>/dense<63.0>/; s/dense<-127.0>/dense<-63.0>/' net.mlir > seven.mlir
$ quantize seven.mlir --type i8 -o q.qn && model-info q.qn --text | grep -o '"onnx.C[a-z]*".*storage = i8.*' | sed 's/{.*storage/storage/'
> "onnx.Constant"() storage = i8, qmin = -127, qmax = 127, axis = 0, scale = dense<[0.01, 0.03]> : tensor<2xf32>, zero = dense<0> : tensor<2xi8>}], value = dense<[[[[63]]], [[[-63]]]]> : tensor<2x1x1x1xi8>} : () -> tensor<2x1x1x1xf32>
> "onnx.Clip"(%x, %"x5/low", %"x5/high") storage = i8, qmin = -128, qmax = 127, scale = dense<0.02> : tensor<f32>, zero = dense<3> : tensor<i8>}]} : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x1x2x2xf32>
! quantize: --type i8 found nothing to quantize: the model is quantized already, and its encodings stay as they are
! quantize: 1 of 2 operators stay float: 50.0 % of the weights (8 of 16 bytes as float32) and 66.7 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ model-diff seven.mlir q.qn --random 20 --threshold 40 | grep 'output)'
>     equal   1.000000            0          1.4  y5 (output)

What does not agree stays as it is: 1 / scale, the zero points before and behind the Clip, a zero point or bound between codes, bounds of
no number of bits, a scale below 0.
$ for s in 's/dense<50.0>/dense<51.0>/' 's/Sub"(%x3, %xz)/Sub"(%x3, %xi)/' 's/dense<3.0>/dense<3.5>/' 's/dense<-128.0>/dense<-127.5>/' 's/dense<-128.0>/dense<-100.0>/' 's/dense<0.02>/dense<-0.02>/' 's/dense<3.0>/dense<-200.0>/'; do sed "$s" net.mlir > other.mlir && model-info other.mlir --encodings=2.0.0 | grep -c '"name":"x"'; done
> 0
> 0
> 0
> 0
> 0
> 0
> 0
? 1
