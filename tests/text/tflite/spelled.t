Operators without an integer kernel in TFLite are spelled out in those that have one before they are quantized: nothing stays float.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> {
+   %axes = "onnx.Constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
+   %m = "onnx.ReduceMean"(%x, %axes) {keepdims = 1 : si64, onnx_node_name = "m"} : (tensor<1x4x4x4xf32>, tensor<2xi64>) -> tensor<1x4x1x1xf32>
+   %g = "onnx.HardSigmoid"(%m) {alpha = 0.16666667 : f32, beta = 0.5 : f32, onnx_node_name = "g"} : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
+   %s = "onnx.Mul"(%x, %g) {onnx_node_name = "s"} : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x4x4xf32>
+   %h = "onnx.HardSwish"(%s) {onnx_node_name = "h"} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
+   %y = "onnx.Swish"(%h) {onnx_node_name = "y"} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
+   return %y : tensor<1x4x4x4xf32>
+ }
+ END
$ minmax-collect -q net.mlir --random 1 --rows 40 -o r.json; quantize net.mlir --ranges r.json --strict -o q.tflite && model-info q.tflite | sed -n '/operators/,/parameters/p'
> operators   Add                                  1
>             Clip                                 1
>             HardSwish                            1
>             Mul                                  3
>             ReduceMean                           1
>             Sigmoid                              1
> parameters  6 (26 bytes)
! quantize: coverage: 8 of 8 operators, 50.0 % of the weights (8 of 16 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ model-diff net.mlir q.tflite --random 2 --rows 5 --outputs-only --second-mode int --threshold 30 | tail -1
>     41.37   0.999964   0.00203312     0.180024  y (output)
$ quantize net.mlir --ranges r.json --strict --type w8a16 -o q16.tflite && model-diff net.mlir q16.tflite --random 2 --rows 5 --outputs-only --second-mode int --threshold 60 | tail -1
>     81.98   1.000000  2.00942e-05     0.180024  y (output)
! quantize: coverage: 11 of 11 operators, 50.0 % of the weights (16 of 32 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Of a normalization, whole or spelled out, the parts are measured, too: on codes it is computed part by part.
$ cat > norm.mlir <<'END'
+ func.func @norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
+   %scale = "onnx.Constant"() {value = dense<[1.0, 0.5, 2.0, 1.5, -1.0, 1.0, 0.75, 1.25]> : tensor<8xf32>} : () -> tensor<8xf32>
+   %bias = "onnx.Constant"() {value = dense<[0.0, 0.5, -1.0, 0.25, 0.0, 1.0, -0.75, 0.125]> : tensor<8xf32>} : () -> tensor<8xf32>
+   %y = "onnx.LayerNormalization"(%x, %scale, %bias) {axis = -1 : si64, onnx_node_name = "y"} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
+   return %y : tensor<4x8xf32>
+ }
+ END
$ minmax-collect -q norm.mlir --random 1 --rows 40 --no-histogram | grep -o '^"[a-z/]*":{"count' | tr -d '":{\n' | sed 's/count/ /g'; echo
> x y y/centred y/inverse y/mean y/normal y/raised y/root y/scaled y/squares y/variance[...]
$ minmax-collect -q norm.mlir --random 1 --rows 40 -o rn.json; quantize norm.mlir --ranges rn.json --full-integer --strict -o n.tflite && model-diff norm.mlir n.tflite --random 2 --rows 5 --outputs-only --second-mode int --threshold 25 >diff.txt
! quantize: coverage: 8 of 10 operators, 100.0 % of the weights (68 of 68 bytes as float32) and 96.6 % of the multiply-accumulates are quantized

Gelu and LayerNormalization that a model spells out itself, also as TensorFlow does, are joined first; what no convolution takes in of a BatchNormalization, negative
numbers, squares and quotients by constants are said in kernels for codes.
$ for net in transformer mixer; do minmax-collect -q $TEST_MODELS/exports/keras/$net.float.tflite --random 1 --rows 4 -o rk.json; quantize $TEST_MODELS/exports/keras/$net.float.tflite --ranges rk.json --strict -q -o k.tflite; done
$ cat > parts.mlir <<'END'
+ func.func @parts(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> {
+   %scale = "onnx.Constant"() {value = dense<[1.0, 0.5, 2.0, 1.5]> : tensor<4xf32>} : () -> tensor<4xf32>
+   %shift = "onnx.Constant"() {value = dense<[0.0, 0.5, -1.0, 0.25]> : tensor<4xf32>} : () -> tensor<4xf32>
+   %variance = "onnx.Constant"() {value = dense<[1.0, 2.0, 0.5, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
+   %two = "onnx.Constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
+   %r = "onnx.Relu"(%x) {onnx_node_name = "r"} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
+   %b = "onnx.BatchNormalization"(%r, %scale, %shift, %shift, %variance) {onnx_node_name = "b"} : (tensor<1x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
+   %n = "onnx.Neg"(%b) {onnx_node_name = "n"} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
+   %p = "onnx.Pow"(%n, %two) {onnx_node_name = "p"} : (tensor<1x4x4x4xf32>, tensor<f32>) -> tensor<1x4x4x4xf32>
+   %y = "onnx.Div"(%p, %two) {onnx_node_name = "y"} : (tensor<1x4x4x4xf32>, tensor<f32>) -> tensor<1x4x4x4xf32>
+   return %y : tensor<1x4x4x4xf32>
+ }
+ END
$ minmax-collect -q parts.mlir --random 1 --rows 40 -o rp.json; quantize parts.mlir --ranges rp.json --strict -o p.tflite && model-info p.tflite | sed -n '/operators/,/parameters/p'
> operators   Conv                                 1
>             Mul                                  3
>             Relu                                 1
>             Transpose                            2
> parameters  10 (22 bytes)
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (40 of 40 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Where the parts of a normalization would lose too much together, it stays float, and the reason is said.
$ cat > uneven.mlir <<'END'
+ func.func @uneven(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
+   %rows = "onnx.Constant"() {value = dense<[[0.01], [0.1], [1.0], [10.0]]> : tensor<4x1xf32>} : () -> tensor<4x1xf32>
+   %scale = "onnx.Constant"() {value = dense<1.0> : tensor<8xf32>} : () -> tensor<8xf32>
+   %u = "onnx.Mul"(%x, %rows) {onnx_node_name = "u"} : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
+   %y = "onnx.LayerNormalization"(%u, %scale) {axis = -1 : si64, onnx_node_name = "y"} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
+   return %y : tensor<4x8xf32>
+ }
+ END
$ minmax-collect -q uneven.mlir --random 1 --rows 40 -o ru.json; quantize uneven.mlir --ranges ru.json -v -o u.tflite
! quantize: 2 of 2 operators stay float: 0.0 % of the weights (0 of 48 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   u (Mul): only operators that stay float read its result
!   y (LayerNormalization): on codes its parts would keep only -inf dB together, "raised" least

BatchNormalization in training mode has no such factors: it takes those of its batch, which the format has no operator for. It was written as if it had the stated ones.
$ cat >bn.mlir <<'END'
+ func.func @net(%x: tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32> {
+   %s = "onnx.Constant"() {value = dense<[1.0, 2.0, 0.5]> : tensor<3xf32>} : () -> tensor<3xf32>
+   %b = "onnx.Constant"() {value = dense<[0.0, 1.0, -1.0]> : tensor<3xf32>} : () -> tensor<3xf32>
+   %y = "onnx.BatchNormalization"(%x, %s, %b, %b, %s) {onnx_node_name = "bn", training_mode = 1 : si64} : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
+   return %y : tensor<2x3x4x4xf32>
+ }
+ END
$ model-convert bn.mlir -o bn.tflite
! model-convert: node "bn" (BatchNormalization): it is in training mode
? 4
$ minmax-collect bn.mlir --random 1 --rows 2 -q -o bn.json && quantize bn.mlir --ranges bn.json --type i8 -o bn.tflite
! quantize: coverage: 1 of 1 operators, 0.0 % of the weights (0 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: node "bn" (BatchNormalization): it is in training mode
? 4

Padding that counts in a mean, as PyTorch's AvgPool2d has it, is an operator of its own; where there is none, `count_include_pad` says nothing.
$ cat > mean.mlir <<'END'
+ func.func @mean(%x: tensor<1x2x5x5xf32>) -> tensor<1x2x2x2xf32> {
+   %m = "onnx.AveragePool"(%x) {count_include_pad = 1 : si64, kernel_shape = [3, 3], onnx_node_name = "m", pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
+   %y = "onnx.AveragePool"(%m) {count_include_pad = 1 : si64, kernel_shape = [2, 2], onnx_node_name = "y", pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x2x5x5xf32>) -> tensor<1x2x2x2xf32>
+   return %y : tensor<1x2x2x2xf32>
+ }
+ END
$ minmax-collect -q mean.mlir --random 1 --rows 40 -o rm.json; quantize mean.mlir --ranges rm.json --strict -o m.tflite && model-info m.tflite | sed -n '/operators/,/parameters/p'
> operators   AveragePool                          2
>             Pad                                  1
>             Transpose                            2
> parameters  8 (64 bytes)
! quantize: coverage: 3 of 3 operators, 100.0 % of the multiply-accumulates are quantized
$ model-diff mean.mlir m.tflite --random 2 --rows 5 --outputs-only --second-mode int --threshold 30 | tail -1
>     35.18   0.999879   0.00563103     0.356652  y (output)
