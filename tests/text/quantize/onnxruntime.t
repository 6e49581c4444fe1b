onnxruntime's optimizer makes QLinearAveragePool, which knows no dilations, of an AveragePool between codes, and refuses the graph then: a Sum of one operand keeps the two apart. Means that count their padding and round up are others there.
$ cat >pool.sh <<'END'
+ cat >pool.mlir <<NET
+ func.func @net(%x: tensor<1x2x7x7xf32>) -> tensor<1x2x$2x$2xf32> {
+   %a = "onnx.Relu"(%x) : (tensor<1x2x7x7xf32>) -> tensor<1x2x7x7xf32>
+   %y = "onnx.AveragePool"(%a) {kernel_shape = [2, 2], $1} : (tensor<1x2x7x7xf32>) -> tensor<1x2x$2x$2xf32>
+   return %y : tensor<1x2x$2x$2xf32>
+ }
+ NET
+ minmax-collect pool.mlir --random 1 --rows 4 -q -o r.json
+ for form in qdq qoperator; do quantize pool.mlir --ranges r.json --type u8i8 --form $form -q -o pool.onnx && echo $form $(model-info pool.onnx | grep -o 'QLinearAveragePool\|AveragePool\|Sum'); done
+ model-convert pool.onnx -q -o again.onnx && cmp pool.onnx again.onnx
+ END
$ bash pool.sh 'dilations = [2, 2]' 5
> qdq AveragePool Sum
> qoperator AveragePool Sum
$ bash pool.sh 'dilations = [1, 1]' 6
> qdq AveragePool
> qoperator QLinearAveragePool
$ bash pool.sh 'strides = [2, 2], ceil_mode = 1, pads = [1, 1, 1, 1], count_include_pad = 1' 4
> qdq AveragePool Sum
> qoperator AveragePool Sum
$ bash pool.sh 'strides = [2, 2], ceil_mode = 1' 4
> qdq AveragePool
> qoperator QLinearAveragePool

auto_pad beside dilations is refused there, or forgotten: pads are said where shapes are fixed, and it is said where they are not.
$ cat >same.mlir <<END
+ func.func @net(%x: tensor<1x2x7x8xf32>) -> tensor<1x2x4x4xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<2x2x3x3xf32>} : () -> tensor<2x2x3x3xf32>
+   %c = "onnx.Conv"(%x, %w) {auto_pad = "SAME_UPPER", dilations = [2, 2], onnx_node_name = "conv"} : (tensor<1x2x7x8xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x7x8xf32>
+   %y = "onnx.MaxPool"(%c) {auto_pad = "SAME_UPPER", kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x2x7x8xf32>) -> tensor<1x2x4x4xf32>
+   return %y : tensor<1x2x4x4xf32>
+ }
+ END
$ model-convert same.mlir -o same.onnx && model-convert same.onnx --passes none -f text -o - | grep -o 'auto_pad[^,}]*\|pads = [^]]*\]'
> pads = [2, 2, 2, 2]
> pads = [0, 0, 1, 0]
$ model-convert same.onnx -o same.tflite && model-convert same.tflite -o back.onnx && model-convert back.onnx --passes none -f text -o - | grep -o 'auto_pad[^,}]*\|pads = [^]]*\]'
> pads = [2, 2, 2, 2]
> pads = [0, 0, 1, 0]
$ sed 's/x7x8xf32/x?x8xf32/g; s/1x2x4x4/1x2x?x4/g' same.mlir >open.mlir && model-convert open.mlir -o open.onnx
! model-convert: written as asked, which onnxruntime has no kernel for: node "conv" (Conv): auto_pad beside dilations, of a shape that is not fixed

Its products of codes have one scale for the weights, or of one matrix one for each column: of several matrices scales of columns keep the product off codes.
$ cat >stack.mlir <<END
+ func.func @net(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x6xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<3x5x6xf32>} : () -> tensor<3x5x6xf32>
+   %y = "onnx.MatMul"(%x, %w) : (tensor<2x3x4x5xf32>, tensor<3x5x6xf32>) -> tensor<2x3x4x6xf32>
+   return %y : tensor<2x3x4x6xf32>
+ }
+ END
$ minmax-collect stack.mlir --random 1 --rows 4 -q -o r.json
+ for form in qdq qoperator; do for scales in per-channel per-tensor; do quantize stack.mlir --ranges r.json --type i8 --form $form --$scales -q -o stack.onnx && echo $form $scales $(model-info stack.onnx | grep -o 'QLinearMatMul\|MatMul \|Sum') && model-convert stack.onnx -q -o again.onnx && cmp stack.onnx again.onnx; done; done
> qdq per-channel MatMul Sum
> qdq per-tensor MatMul
> qoperator per-channel MatMul Sum
> qoperator per-tensor QLinearMatMul

Of weights of 2 bits whose rows fill no whole bytes, or that are transposed, it makes MatMulNBits with other weights: a Sum keeps them apart.
$ cat >narrow.sh <<'END'
+ cat >narrow.mlir <<NET
+ func.func @net(%x: tensor<2x64xf32>) -> tensor<2x$1xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<64x$1xf32>} : () -> tensor<64x$1xf32>
+   %y = "onnx.MatMul"(%x, %w) : (tensor<2x64xf32>, tensor<64x$1xf32>) -> tensor<2x$1xf32>
+   return %y : tensor<2x$1xf32>
+ }
+ NET
+ quantize narrow.mlir --type $2 -q -o narrow.onnx && echo $1 $2 $(model-info narrow.onnx | grep -o 'MatMul \|Sum')
+ model-convert narrow.onnx -q -o again.onnx && cmp narrow.onnx again.onnx
+ END
$ for columns in 6 8; do for type in wo-i2 wo-u2 wo-i4; do bash narrow.sh $columns $type; done; done
> 6 wo-i2 MatMul Sum
> 6 wo-u2 MatMul Sum
> 6 wo-i4 MatMul
> 8 wo-i2 MatMul
> 8 wo-u2 MatMul
> 8 wo-i4 MatMul

The sum of a convolution with a filter in codes and something else takes its result away, also where that is an output: an Identity makes the output.
$ cat >both.mlir <<END
+ func.func @net(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<2x2x3x3xf32>} : () -> tensor<2x2x3x3xf32>
+   %c = "onnx.Conv"(%x, %w) {onnx_node_name = "conv", pads = [1, 1, 1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x4x4xf32>
+   %y = "onnx.Add"(%c, %x) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
+   return %y, %c : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
+ }
+ END
$ quantize both.mlir --type wo-i8 -o both.onnx && model-info both.onnx | grep -c Identity; model-convert both.mlir -o plain.onnx && model-info plain.onnx | grep -c Identity; model-convert both.onnx -o again.onnx && cmp both.onnx again.onnx
> 1
> 0
! quantize: coverage: 1 of 2 operators, 100.0 % of the weights (144 of 144 bytes as float32) and 94.7 % of the multiply-accumulates are quantized

Recurrent layers with the batch first are written with the steps first, between Transposes.
$ cat >batch.mlir <<END
+ func.func @net(%x: tensor<2x5x3xf32>) -> (tensor<2x5x1x2xf32>, tensor<2x1x2xf32>) {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<1x6x3xf32>} : () -> tensor<1x6x3xf32>
+   %r = "onnx.Constant"() {value = dense<-0.25> : tensor<1x6x2xf32>} : () -> tensor<1x6x2xf32>
+   %none = "onnx.NoValue"() : () -> none
+   %h = "onnx.Constant"() {value = dense<[[[0.5, -0.5]], [[1.0, 0.25]]]> : tensor<2x1x2xf32>} : () -> tensor<2x1x2xf32>
+   %y, %l = "onnx.GRU"(%x, %w, %r, %none, %none, %h) {hidden_size = 2 : si64, layout = 1 : si64} : (tensor<2x5x3xf32>, tensor<1x6x3xf32>, tensor<1x6x2xf32>, none, none, tensor<2x1x2xf32>) -> (tensor<2x5x1x2xf32>, tensor<2x1x2xf32>)
+   return %y, %l : tensor<2x5x1x2xf32>, tensor<2x1x2xf32>
+ }
+ END
$ model-convert batch.mlir -o batch.onnx && model-convert batch.onnx --passes none -f text -o - | grep -c 'layout = 1'; model-diff batch.mlir batch.onnx --random 1 --outputs-only | tail -2
> 0
>     equal   1.000000            0     0.676816  y (output)
>     equal   1.000000            0     0.138364  l (output)

Corners that are aligned by the exact size of a scale are said: there the size is rounded first.
$ cat >corners.mlir <<END
+ func.func @net(%x: tensor<1x2x4x10xf32>) -> tensor<1x2x4x17xf32> {
+   %none = "onnx.NoValue"() : () -> none
+   %s = "onnx.Constant"() {value = dense<[1.0, 1.0, 1.0, 1.75]> : tensor<4xf32>} : () -> tensor<4xf32>
+   %y = "onnx.Resize"(%x, %none, %s) {coordinate_transformation_mode = "align_corners", mode = "linear", onnx_node_name = "resize"} : (tensor<1x2x4x10xf32>, none, tensor<4xf32>) -> tensor<1x2x4x17xf32>
+   return %y : tensor<1x2x4x17xf32>
+ }
+ END
$ model-convert corners.mlir -o corners.onnx; sed 's/1.75/1.5/; s/x17x/x15x/g' corners.mlir >whole.mlir && model-convert whole.mlir -o whole.onnx
! model-convert: written as asked, which onnxruntime has no kernel for: node "resize" (Resize): align_corners by scales, of a size that is rounded first there

Newer forms of operators that it has lost: where the opset must be a new one, older operators stand for them, or a notice names them.
$ cat >lost.sh <<'END'
+ cat >lost.mlir <<NET
+ func.func @net(%x: tensor<1x6x8x8xf32>) -> tensor<$2xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<6x6x1x1xf32>} : () -> tensor<6x6x1x1xf32>
+   %r = "onnx.Constant"() {value = dense<[[0.0, 0.0, 4.0, 4.0]]> : tensor<1x4xf32>} : () -> tensor<1x4xf32>
+   %i = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
+   %a = "onnx.Conv"(%x, %w) : (tensor<1x6x8x8xf32>, tensor<6x6x1x1xf32>) -> tensor<1x6x8x8xf32>
+   %y = "onnx.$1"(%a$3) {onnx_node_name = "last"$4} : (tensor<1x6x8x8xf32>$5) -> tensor<$2xf32>
+   return %y : tensor<$2xf32>
+ }
+ NET
+ quantize lost.mlir --type wo-i2 -o lost.onnx && echo $(model-info lost.onnx | grep -o 'Swish\|Sigmoid\|Mul \|GlobalLpPool\|Reduce[A-Z][A-Za-z0-9]*\|Abs\|Pow\|RoiAlign') && model-diff lost.onnx lost.mlir --random 1 --outputs-only | tail -1
+ END
$ bash lost.sh Swish 1x6x8x8 '' '' ''
> Mul Sigmoid
>  [...]  1.000000  [...]  y (output)
! quantize: coverage: 1 of 2 operators, 100.0 % of the weights (144 of 144 bytes as float32) and 85.7 % of the multiply-accumulates are quantized
$ bash lost.sh GlobalLpPool 1x6x1x1 '' ', p = 2 : si64' ''
> ReduceL2
>  [...]  1.000000  [...]  y (output)
! quantize: coverage: 1 of 2 operators, 100.0 % of the weights (144 of 144 bytes as float32) and 85.7 % of the multiply-accumulates are quantized
$ bash lost.sh GlobalLpPool 1x6x1x1 '' ', p = 3 : si64' ''
> Abs Pow ReduceSum
>  [...]  1.000000  [...]  y (output)
! quantize: coverage: 1 of 2 operators, 100.0 % of the weights (144 of 144 bytes as float32) and 85.7 % of the multiply-accumulates are quantized
$ bash lost.sh RoiAlign 1x6x2x2 ', %r, %i' ', output_height = 2 : si64, output_width = 2 : si64' ', tensor<1x4xf32>, tensor<1xi64>'
> RoiAlign
>     equal   1.000000            0     0.620829  y (output)
! quantize: coverage: 1 of 2 operators, 90.0 % of the weights (144 of 160 bytes as float32) and 99.0 % of the multiply-accumulates are quantized
! quantize: written as asked, which onnxruntime has no kernel for: node "last" (RoiAlign): it has none from opset 22 on
$ quantize lost.mlir --type wo-i8 -o lost.onnx
! quantize: coverage: 1 of 2 operators, 90.0 % of the weights (144 of 160 bytes as float32) and 99.0 % of the multiply-accumulates are quantized

From opset 21 on onnxruntime refuses int8 elements that are moved before they are real, also by the Reshape that it makes of a product of three dims with a bias: such pairs are com.microsoft's, and stay so.
$ cat >moved.mlir <<'END'
+ func.func @net(%x: tensor<2x3x4xf32>) -> tensor<2x3x2xf32> {
+   %w = "onnx.Constant"() {value = dense<[[1.0, -0.5], [0.25, 0.75], [-1.0, 0.5], [0.5, 1.0]]> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
+   %b = "onnx.Constant"() {value = dense<[0.5, -0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %m = "onnx.MatMul"(%x, %w) : (tensor<2x3x4xf32>, tensor<4x2xf32>) -> tensor<2x3x2xf32>
+   %y = "onnx.Add"(%m, %b) : (tensor<2x3x2xf32>, tensor<2xf32>) -> tensor<2x3x2xf32>
+   return %y : tensor<2x3x2xf32>
+ }
+ END
$ minmax-collect moved.mlir --random 1 --rows 4 -q -o r.json; for opset in 20 21; do quantize moved.mlir --ranges r.json --opset $opset -o q$opset.onnx; grep -c com.microsoft q$opset.onnx; done; model-convert q21.onnx --opset 21 -o again.onnx; cmp q21.onnx again.onnx && echo same
> 0
> 3
> same
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (40 of 40 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (40 of 40 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
