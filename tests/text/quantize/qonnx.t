Quant as QONNX and Brevitas write it: 8 bits of data, 4 of weights without the least code and with a scale for each channel, 3 of the result,
which has no sign.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x1x2x2xf32>) -> tensor<1x2x2x2xf32> {
+   %xs = "onnx.Constant"() {value = dense<0.02> : tensor<f32>} : () -> tensor<f32>
+   %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
+   %eight = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
+   %four = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
+   %three = "onnx.Constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
+   %ws = "onnx.Constant"() {value = dense<[[[[0.25]]], [[[0.5]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
+   %w = "onnx.Constant"() {value = dense<[[[[1.3]]], [[[-9.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
+   %ys = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
+   %xq = "qonnx.custom_op.general.Quant"(%x, %xs, %z, %eight) {narrow = 0 : si64, signed = 1 : si64, rounding_mode = "ROUND", onnx_node_name = "xq"} : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<1x1x2x2xf32>
+   %wq = "qonnx.custom_op.general.Quant"(%w, %ws, %z, %four) {narrow = 1 : si64, signed = 1 : si64, rounding_mode = "ROUND", onnx_node_name = "wq"} : (tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x1xf32>
+   %c = "onnx.Conv"(%xq, %wq) {onnx_node_name = "conv"} : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x2x2xf32>
+   %r = "onnx.Relu"(%c) {onnx_node_name = "relu"} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
+   %y = "qonnx.custom_op.general.Quant"(%r, %ys, %z, %three) {narrow = 0 : si64, signed = 0 : si64, rounding_mode = "ROUND", onnx_node_name = "yq"} : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<1x2x2x2xf32>
+   return %y : tensor<1x2x2x2xf32>
+ }
+ END
$ model-convert net.mlir --passes none -o net.onnx && model-info net.onnx | grep 'nodes\|encodings\|int'
> nodes       8
>             int4                                 4
>             int8                                 1
>             uint4                                1
> encodings   int4 per channel                     1
>             int8                                 1
>             uint4                                1
$ model-convert net.onnx -o net.qn && model-info net.qn --text | grep -o '"onnx.C[a-z]*".*storage = .*' | sed 's/{.*storage/storage/' | cut -c1-150
> "onnx.Constant"() storage = i4, qmin = -7, qmax = 7, axis = 0, scale = dense<[0.25, 0.5]> : tensor<2xf32>, zero = dense<0> : tensor<2xi4>}], value = d
> "onnx.Clip"(%c, %"y/low", %"y/high") storage = ui4, qmin = 0, qmax = 15, scale = dense<0.5> : tensor<f32>, zero = dense<0> : tensor<ui4>}]} : (tensor<

A run computes on the codes. The weights are 1.25 and -3.5: of 1.04, 52 steps, it is 1.3 and thereby 3 steps of 0.5, of -1.5 5.25, which is
more than 7 steps are; what is below 0 is none.
$ printf '\xb8\x1e\x85\x3f\x00\x00\xc0\xbf\x5c\x8f\x22\x40\x9a\x99\x99\x3e' > x.bin && run net.onnx --input x=x.bin -o got -q && od -An -t f4 -w16 got/*/*
>              1.5               0               3             0.5
>                0             3.5               0               0
$ run net.onnx --random 1 --explain -q | grep -c codes
> 3
$ model-convert net.onnx -o q.onnx && model-diff net.qn q.onnx --random 10 | grep 'output)'
>     equal   1.000000            0            2  y (output)

The domain of Brevitas, names of the modes in small letters, and IntQuant, the newer name, are the same.
$ sed 's/qonnx.custom_op.general.Quant/onnx.brevitas.IntQuant/; s/"ROUND"/"half_even"/' net.mlir > other.mlir && model-convert other.mlir --passes none -o other.onnx && model-convert other.onnx -o other.qn && model-diff net.qn other.qn --random 3 | grep 'output)'
>     equal   1.000000            0          3.5  y (output)

What no encoding says is kept, and refused by a run with the reason.
$ for s in 's/"ROUND", onnx_node_name = "yq"/"FLOOR", onnx_node_name = "yq"/' 's/dense<3.0>/dense<17.0>/' 's/dense<3.0>/dense<33.0>/' 's/dense<3.0>/dense<2.5>/' 's/dense<0.5> : tensor<f32>/dense<-0.5> : tensor<f32>/' 's/Quant"(%r, %ys, %z, %three)/Quant"(%r, %ys, %xs, %three)/' 's/Quant"(%r, %ys,/Quant"(%r, %t,/; s/^.*Relu.*$/&\n  %t = "onnx.ReduceMax"(%c) {keepdims = 0 : si64} : (tensor<1x2x2x2xf32>) -> tensor<f32>/' 's/Quant"(%r/BipolarQuant"(%r/' 's/Quant"(%r/Trunc"(%r/'; do sed "$s" net.mlir > bad.mlir; model-convert bad.mlir --passes none -o bad.onnx && run bad.onnx --random 1; echo $?; done
> 4
> 4
> 4
> 4
> 4
> 4
> 4
> 4
> 4
! run: node "yq" (qonnx.custom_op.general.Quant): rounding_mode is "FLOOR", and encodings round to the nearest (ROUND, HALF_EVEN)
! run: node "yq" (qonnx.custom_op.general.Quant): it has more than 16 bits, which only constants with a sign and without a zero point have
! run: node "yq" (qonnx.custom_op.general.Quant): its bit width is not one whole number from 2 to 32
! run: node "yq" (qonnx.custom_op.general.Quant): its bit width is not one whole number from 2 to 32
! run: node "yq" (qonnx.custom_op.general.Quant): a scale is not above 0
! run: node "yq" (qonnx.custom_op.general.Quant): a zero point is not one of the codes 0 to 7
! run: node "yq" (qonnx.custom_op.general.Quant): its scale is not a constant
! run: node "yq" (qonnx.custom_op.general.BipolarQuant): of this domain Quant and IntQuant alone are read, which become encodings
! run: node "yq" (qonnx.custom_op.general.Trunc): of this domain Quant and IntQuant alone are read, which become encodings

QCDQ, as Brevitas exports for other tools: the codes are clipped between QuantizeLinear and DequantizeLinear, of weights as they are stored.
$ cat > qcdq.mlir <<'END'
+ func.func @net(%x: tensor<1x1x2x2xf32>) -> tensor<1x2x2x2xf32> {
+   %xs = "onnx.Constant"() {value = dense<0.02> : tensor<f32>} : () -> tensor<f32>
+   %z = "onnx.Constant"() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
+   %n127 = "onnx.Constant"() {value = dense<-127> : tensor<i8>} : () -> tensor<i8>
+   %p127 = "onnx.Constant"() {value = dense<127> : tensor<i8>} : () -> tensor<i8>
+   %n7 = "onnx.Constant"() {value = dense<-7> : tensor<i8>} : () -> tensor<i8>
+   %p7 = "onnx.Constant"() {value = dense<7> : tensor<i8>} : () -> tensor<i8>
+   %u0 = "onnx.Constant"() {value = dense<0> : tensor<ui8>} : () -> tensor<ui8>
+   %u7 = "onnx.Constant"() {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
+   %ws = "onnx.Constant"() {value = dense<[0.25, 0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %wz = "onnx.Constant"() {value = dense<[0, 0]> : tensor<2xi8>} : () -> tensor<2xi8>
+   %w = "onnx.Constant"() {value = dense<[[[[5]]], [[[-18]]]]> : tensor<2x1x1x1xi8>} : () -> tensor<2x1x1x1xi8>
+   %ys = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
+   %x0 = "onnx.QuantizeLinear"(%x, %xs, %z) : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xi8>
+   %x1 = "onnx.Clip"(%x0, %n127, %p127) : (tensor<1x1x2x2xi8>, tensor<i8>, tensor<i8>) -> tensor<1x1x2x2xi8>
+   %x2 = "onnx.DequantizeLinear"(%x1, %xs, %z) : (tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xf32>
+   %w1 = "onnx.Clip"(%w, %n7, %p7) : (tensor<2x1x1x1xi8>, tensor<i8>, tensor<i8>) -> tensor<2x1x1x1xi8>
+   %w2 = "onnx.DequantizeLinear"(%w1, %ws, %wz) {axis = 0 : si64} : (tensor<2x1x1x1xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<2x1x1x1xf32>
+   %c = "onnx.Conv"(%x2, %w2) {onnx_node_name = "conv"} : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x2x2xf32>
+   %r = "onnx.Relu"(%c) {onnx_node_name = "relu"} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
+   %y0 = "onnx.QuantizeLinear"(%r, %ys, %u0) : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x2x2xui8>
+   %y1 = "onnx.Clip"(%y0, %u0, %u7) : (tensor<1x2x2x2xui8>, tensor<ui8>, tensor<ui8>) -> tensor<1x2x2x2xui8>
+   %y = "onnx.DequantizeLinear"(%y1, %ys, %u0) : (tensor<1x2x2x2xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x2x2xf32>
+   return %y : tensor<1x2x2x2xf32>
+ }
+ END
$ model-convert qcdq.mlir -o qcdq.qn && model-info qcdq.qn --text | grep -o '"onnx.C[a-z]*".*storage = .*' | sed 's/{.*storage/storage/' | cut -c1-150
> "onnx.Constant"() storage = i8, qmin = -127, qmax = 127, axis = 0, scale = dense<[0.25, 0.5]> : tensor<2xf32>, zero = dense<0> : tensor<2xi8>}], value
> "onnx.Clip"(%x, %"x1/low", %"x1/high") storage = i8, qmin = -128, qmax = 127, scale = dense<0.02> : tensor<f32>, zero = dense<0> : tensor<i8>}]} : (te
> "onnx.Clip"(%c, %"y1/low", %"y1/high") storage = ui8, qmin = 0, qmax = 255, scale = dense<0.5> : tensor<f32>, zero = dense<0> : tensor<ui8>}]} : (tens
$ run qcdq.mlir --input x=x.bin -o qcdq -q && cmp got/*/* qcdq/*/* && run qcdq.mlir --random 1 --explain -q | sed -n 2,4p
> x1/Clip (Clip): reference; onednn: works on codes; simd: works on codes
> conv (Conv): codes conv
> y1/Clip (Clip): codes conv
$ model-diff net.qn qcdq.qn --random 20 | grep 'output)'
>     equal   1.000000            0            1  y (output)
$ model-convert qcdq.mlir -q -o qcdq.tflite && model-diff qcdq.qn qcdq.tflite --random 20 | grep 'output)'
>     equal   1.000000            0            1  y (output)
$ sed 's/dense<3.0>/dense<17.0>/' net.mlir > wide.mlir && model-convert wide.mlir --passes none -o wide.onnx && model-convert wide.onnx -o wide.tflite
! model-convert: node "yq" (Quant): tflite has no such operator: it has more than 16 bits, which only constants with a sign and without a zero point have
? 4

Quantizing gives a file with ONNX's own operators in place of Quant, not the one that came.
$ quantize net.onnx --type i8 -o i8.onnx && grep -c 'qonnx.custom_op' net.onnx; grep -c 'qonnx.custom_op' i8.onnx
> 4
> 0
! quantize: --type i8 found nothing to quantize: the model is quantized already, and its encodings stay as they are
! quantize: coverage: 2 of 2 operators, 50.0 % of the weights (8 of 16 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
? 1
