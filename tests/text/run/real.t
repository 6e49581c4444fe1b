Operators of an integer run that read and make codes but compute on real numbers are named; --strict refuses them.

$ cp "$NETS/softmax.mlir" net.mlir && minmax-collect net.mlir --random 1 --rows 4 -o r.json && quantize net.mlir --type w8a16 --ranges r.json --full-integer -f tflite -o q.tflite
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
! quantize: coverage: 2 of 2 operators, 100.0 % of the multiply-accumulates are quantized
$ run q.tflite --random 1 --mode int --strict --explain | sed -n 2,3p
> s (Softmax): profile; codes: its data and result are not in 8-bit codes with one scale each; codes: is computed on codes
> y (Sigmoid): profile
$ run q.tflite --random 1 --mode int --arithmetic onnx --explain | sed -n 2p
> s (Softmax): codes softmax; codes: has other arithmetic than Softmax of TensorFlow Lite; on real numbers: profile onnx takes only operands and the result in one of int8 and uint8, with all 256 codes and one float32 scale each, no dilations; of int8 a Softmax between values that both have one reader, or both more
! run: 2 operators on codes compute on real numbers: Softmax ("s": profile onnx takes only operands and the result in one of int8 and uint8, with all 256 codes and one float32 scale each, no dilations; of int8 a Softmax between values that both have one reader, or both more), Sigmoid ("y": profile onnx takes only operands and the result in one of int8 and uint8, with all 256 codes and one float32 scale each, no dilations; of int8 a Softmax between values that both have one reader, or both more)
$ run q.tflite --random 1 --mode int --arithmetic onnx --strict
! run: 2 operators on codes compute on real numbers
!   Softmax ("s": profile onnx takes only operands and the result in one of int8 and uint8, with all 256 codes and one float32 scale each, no dilations; of int8 a Softmax between values that both have one reader, or both more)
!   Sigmoid ("y": profile onnx takes only operands and the result in one of int8 and uint8, with all 256 codes and one float32 scale each, no dilations; of int8 a Softmax between values that both have one reader, or both more)
? 1

A body computes on the codes that it captures; a loop computes nothing itself.

$ cat > loop.mlir <<'END'
+ func.func @loop(%n: tensor<i64>, %x: tensor<1x2xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.01> : tensor<f32>, zero = dense<3> : tensor<i8>}]}) -> tensor<1x2xf32> {
+   %none = "onnx.NoValue"() : () -> none
+   %w = "onnx.Constant"() {quern.encoding = [{storage = i8, qmin = -127, qmax = 127, scale = dense<0.005> : tensor<f32>, zero = dense<0> : tensor<i8>}], value = dense<[[100, -50], [25, 120]]> : tensor<2x2xi8>} : () -> tensor<2x2xf32>
+   %y = "onnx.Loop"(%n, %none, %x) ({
+   ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<1x2xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.01> : tensor<f32>, zero = dense<3> : tensor<i8>}]}):
+     %m = "onnx.MatMul"(%v, %w) {onnx_node_name = "cell", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.01> : tensor<f32>, zero = dense<3> : tensor<i8>}]} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
+     onnx.Yield %c, %m : tensor<i1>, tensor<1x2xf32>
+   }) {onnx_node_name = "loop", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.01> : tensor<f32>, zero = dense<3> : tensor<i8>}]} : (tensor<i64>, none, tensor<1x2xf32>) -> tensor<1x2xf32>
+   return %y : tensor<1x2xf32>
+ }
+ END
$ run loop.mlir --random 1 --mode int --strict --explain | sed -n 2,3p
> loop (Loop): reference
> loop/body/cell (MatMul): codes matmul
