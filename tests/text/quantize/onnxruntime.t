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
