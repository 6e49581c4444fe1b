A model from quantization-aware training keeps its scales and zero points: QuantizeLinear and DequantizeLinear around activations and
weights, and a BatchNormalization behind the convolution, of which one channel has a negative factor (2 / -4 of a deviation of 1).
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x1x2x2xf32>) -> tensor<1x2x2x2xf32> {
+   %xs = "onnx.Constant"() {value = dense<0.02> : tensor<f32>} : () -> tensor<f32>
+   %xz = "onnx.Constant"() {value = dense<3> : tensor<i8>} : () -> tensor<i8>
+   %ys = "onnx.Constant"() {value = dense<0.05> : tensor<f32>} : () -> tensor<f32>
+   %yz = "onnx.Constant"() {value = dense<-128> : tensor<i8>} : () -> tensor<i8>
+   %wq = "onnx.Constant"() {value = dense<[[[[100]]], [[[-64]]]]> : tensor<2x1x1x1xi8>} : () -> tensor<2x1x1x1xi8>
+   %ws = "onnx.Constant"() {value = dense<0.01> : tensor<f32>} : () -> tensor<f32>
+   %wz = "onnx.Constant"() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
+   %b = "onnx.Constant"() {value = dense<[0.5, -0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %scale = "onnx.Constant"() {value = dense<[2.0, -4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %shift = "onnx.Constant"() {value = dense<[0.1, 0.2]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %mean = "onnx.Constant"() {value = dense<[0.0, 0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %var = "onnx.Constant"() {value = dense<[1.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %xc = "onnx.QuantizeLinear"(%x, %xs, %xz) : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xi8>
+   %xd = "onnx.DequantizeLinear"(%xc, %xs, %xz) : (tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xf32>
+   %w = "onnx.DequantizeLinear"(%wq, %ws, %wz) : (tensor<2x1x1x1xi8>, tensor<f32>, tensor<i8>) -> tensor<2x1x1x1xf32>
+   %c = "onnx.Conv"(%xd, %w, %b) {onnx_node_name = "conv"} : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
+   %n = "onnx.BatchNormalization"(%c, %scale, %shift, %mean, %var) {epsilon = 0.0 : f32, onnx_node_name = "norm"} : (tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
+   %r = "onnx.Relu"(%n) {onnx_node_name = "relu"} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
+   %yc = "onnx.QuantizeLinear"(%r, %ys, %yz) : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xi8>
+   %y = "onnx.DequantizeLinear"(%yc, %ys, %yz) : (tensor<1x2x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xf32>
+   return %y : tensor<1x2x2x2xf32>
+ }
+ END
$ model-convert net.mlir --passes none -o net.onnx

No ranges are needed. The weights stay on their codes, the scales take the factors, and the bias becomes codes of both scales:
(0.5 * 2 + 0.1) / (0.02 * 0.01 * 2) = 2750, ((-0.25 - 0.5) * -4 + 0.2) / (0.02 * 0.01 * 4) = 4000.
$ quantize net.onnx --type i8 --strict -o q.qn && model-info q.qn | grep '^inputs\|^outputs\|encodings'
> inputs      x  float32[1,1,2,2]  int8 scale 0.02 zero 3
> outputs     y  float32[1,2,2,2]  int8 scale 0.05 zero -128
> encodings   int32 per channel                    1
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (16 of 16 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ model-info q.qn --text | grep -o 'value = dense.*' | cut -c1-200
> value = dense<[[[[100]]], [[[64]]]]> : tensor<2x1x1x1xi8>} : () -> tensor<2x1x1x1xf32>
> value = dense<[2750, 4000]> : tensor<2xi32>} : () -> tensor<2xf32>
$ run q.qn --random 3 --explain -q | sed -n 1,3p | tail -2
> conv (Conv): codes conv
> relu (Relu): codes conv
$ model-diff net.onnx q.qn --random 3 --threshold 40 > diff.txt && grep output diff.txt
>     equal   1.000000            0          5.3  y (output)
$ quantize q.qn --type i8 -o twice.qn && cmp q.qn twice.qn
! quantize: --type i8 found nothing to quantize: the model is quantized already, and its file stays as it is
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (16 of 16 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

What has no encoding needs ranges to get one, else it stays float.
$ sed 's/return %y : tensor<1x2x2x2xf32>/%t = "onnx.Tanh"(%y) {onnx_node_name = "tanh"} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>\n  return %t : tensor<1x2x2x2xf32>/' net.mlir > more.mlir
$ quantize more.mlir --type i8 -v -o q.qn
! quantize: 1 of 3 operators stay float: 100.0 % of the weights (16 of 16 bytes as float32) and 66.7 % of the multiply-accumulates are quantized
!   tanh (Tanh): no ranges say what it reads and makes
$ minmax-collect -q more.mlir --random 1 --rows 4 -o r.json && quantize more.mlir --ranges r.json --type i8 --strict -o q.qn && model-info q.qn | grep '^inputs\|^outputs'
> inputs      x  float32[1,1,2,2]  int8 scale 0.02 zero 3
> outputs     t  float32[1,2,2,2]  int8 scale 0.007843138 zero 0
! quantize: coverage: 3 of 3 operators, 100.0 % of the weights (16 of 16 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

So does the activation behind a product that stays float, although its result has an encoding.
$ sed 's/"onnx.Conv"(%xd,/"onnx.Conv"(%x,/' net.mlir > part.mlir && quantize part.mlir --type i8 -v -o q.qn
! quantize: --type i8 found nothing to quantize: the model is quantized already, and its encodings stay as they are
! quantize: 2 of 2 operators stay float: 50.0 % of the weights (8 of 16 bytes as float32) and 50.0 % of the multiply-accumulates are quantized
!   conv (Conv): no ranges say what it reads and makes
!   relu (Relu): no ranges say what it reads and makes

TensorFlow's FAKE_QUANT, as the reader spells it out, of 8 bits from -1 to 1.5 (scale 2.5 / 255, 102 steps below 0), and of weights without the least code.
$ cat > fake.mlir <<'END'
+ func.func @net(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
+   %bottom = "onnx.Constant"() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
+   %top = "onnx.Constant"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
+   %scale = "onnx.Constant"() {value = dense<0.00980392168> : tensor<f32>} : () -> tensor<f32>
+   %inverse = "onnx.Constant"() {value = dense<102.0> : tensor<f32>} : () -> tensor<f32>
+   %half = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
+   %wlow = "onnx.Constant"() {value = dense<-1.27> : tensor<f32>} : () -> tensor<f32>
+   %whigh = "onnx.Constant"() {value = dense<1.27> : tensor<f32>} : () -> tensor<f32>
+   %wscale = "onnx.Constant"() {value = dense<0.01> : tensor<f32>} : () -> tensor<f32>
+   %winverse = "onnx.Constant"() {value = dense<100.0> : tensor<f32>} : () -> tensor<f32>
+   %w = "onnx.Constant"() {value = dense<[[1.0, -2.0], [0.016, 0.3]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
+   %x0 = "onnx.Clip"(%x, %bottom, %top) : (tensor<1x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2xf32>
+   %x1 = "onnx.Sub"(%x0, %bottom) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
+   %x2 = "onnx.Mul"(%x1, %inverse) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
+   %x3 = "onnx.Add"(%x2, %half) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
+   %x4 = "onnx.Floor"(%x3) : (tensor<1x2xf32>) -> tensor<1x2xf32>
+   %x5 = "onnx.Mul"(%x4, %scale) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
+   %x6 = "onnx.Add"(%x5, %bottom) : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
+   %w0 = "onnx.Clip"(%w, %wlow, %whigh) : (tensor<2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<2x2xf32>
+   %w1 = "onnx.Sub"(%w0, %wlow) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
+   %w2 = "onnx.Mul"(%w1, %winverse) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
+   %w3 = "onnx.Add"(%w2, %half) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
+   %w4 = "onnx.Floor"(%w3) : (tensor<2x2xf32>) -> tensor<2x2xf32>
+   %w5 = "onnx.Mul"(%w4, %wscale) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
+   %w6 = "onnx.Add"(%w5, %wlow) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
+   %y = "onnx.MatMul"(%x6, %w6) {onnx_node_name = "product"} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
+   return %y : tensor<1x2xf32>
+ }
+ END
$ minmax-collect -q fake.mlir --random 1 --rows 4 -o r.json && quantize fake.mlir --ranges r.json --type i8 --strict -o q.qn
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (16 of 16 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ model-info q.qn | grep '^inputs\|^outputs'; model-info q.qn --text | grep 'dense'
> inputs      x  float32[1,2]  int8 scale 0.009803922 zero -26
> outputs     y  float32[1,2]  int8 scale 0.0076409075 zero 23
>   func.func @net(%x: tensor<1x2xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.009803922> : tensor<f32>, zero = dense<-26> : tensor<i8>}]}) -> (tensor<1x2xf32>) {
>     %w6 = "onnx.Constant"() {quern.encoding = [{storage = i8, qmin = -127, qmax = 127, scale = dense<0.01> : tensor<f32>, zero = dense<0> : tensor<i8>}], value = dense<[[100, -127], [2, 30]]> : tensor<2x2xi8>} : () -> tensor<2x2xf32>
>     %y = "onnx.MatMul"(%x, %w6) {onnx_node_name = "product", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.0076409075> : tensor<f32>, zero = dense<23> : tensor<i8>}]} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>

Of other bits: 4 of activations from -1 to 2.75 are int4, and so are 3 of weights without the least code. Each file has the grids, or is refused.
$ sed -e 's/dense<1.5>/dense<2.75>/; s/0.00980392168/0.25/; s/102.0/4.0/; s/1\.27>/1.5>/; s/dense<0.01>/dense<0.5>/; s/100.0/2.0/' fake.mlir > four.mlir
$ minmax-collect -q four.mlir --random 3 -o r.json && quantize four.mlir --ranges r.json --type i8 --strict -o q.qn && model-info q.qn --encodings=2.0.0 | grep '"[wx]'
> {"name":"w6","output_dtype":"int4","y_scale":0.5},
> {"name":"x","output_dtype":"int4","y_scale":0.25,"y_zero_point":-4},
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (16 of 16 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ for f in onnx tflite; do quantize four.mlir --ranges r.json --type i8 -o q.$f && model-diff --encodings q.qn q.$f; done; model-diff q.qn q.onnx --random 3 | grep -o '^ *equal.*(output)'
> 3 equal, 0 different, 0 only in the first, 0 only in the second
> only in the first: y
> only in the second: y/real
> 2 equal, 0 different, 1 only in the first, 1 only in the second
>     equal   1.000000            0[...]  y (output)
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (16 of 16 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (16 of 16 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: 1 operator is written between DEQUANTIZE and QUANTIZE, as there is no kernel for the codes: operator "y" (FULLY_CONNECTED): form is int4 -> int8
$ quantize four.mlir --ranges r.json --type i8 -o q.circle
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (16 of 16 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: operator "y" (FULLY_CONNECTED): there is no kernel that makes real numbers of INT4
? 4

12 bits have no type of their own: the Clip stays in front of int16 codes. Weights of 2 bits are int2.
$ sed -e 's/dense<1.5>/dense<0.99951171875>/; s/0.00980392168/0.00048828125/; s/102.0/2048.0/; s/-1\.27>/-1.0>/; s/1\.27>/0.5>/; s/dense<0.01>/dense<0.5>/; s/100.0/2.0/' fake.mlir > twelve.mlir
$ minmax-collect -q twelve.mlir --random 3 -o r.json && quantize twelve.mlir --ranges r.json --type w8a16 --strict -o q.qn && model-info q.qn --text | grep -o '"onnx.[CF][a-z]*".*scale = dense<[0-9.]*' | sed 's/{.*storage/storage/'
> "onnx.Constant"() storage = i2, qmin = -2, qmax = 1, scale = dense<0.5
> "onnx.Clip"(%x, %bottom, %top) storage = i16, qmin = -32768, qmax = 32767, scale = dense<0.00048828125
! quantize: coverage: 2 of 2 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ model-diff twelve.mlir q.qn --random 3 --threshold 80 | grep -c output; quantize twelve.mlir --ranges r.json --type w8a16 -o q.onnx && model-diff q.qn q.onnx --random 3 | grep -o '^ *equal.*(output)'
> 1
>     equal   1.000000            0[...]  y (output)
! quantize: coverage: 2 of 2 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
