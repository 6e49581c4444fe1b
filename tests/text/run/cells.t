The clip of an LSTM bounds the sums of its gates; its cell goes on as it is, as onnxruntime has it. Four steps of one unit, all gates at 0.5.
$ cat >clip.mlir <<END
+ func.func @net(%x: tensor<4x1x1xf32>) -> tensor<4x1x1x1xf32> {
+   %w = "onnx.Constant"() {value = dense<1.0> : tensor<1x4x1xf32>} : () -> tensor<1x4x1xf32>
+   %r = "onnx.Constant"() {value = dense<0.0> : tensor<1x4x1xf32>} : () -> tensor<1x4x1xf32>
+   %y = "onnx.LSTM"(%x, %w, %r) {clip = 0.5 : f32, hidden_size = 1 : si64} : (tensor<4x1x1xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>) -> tensor<4x1x1x1xf32>
+   return %y : tensor<4x1x1x1xf32>
+ }
+ END
$ printf '%s\n' 10,10,10,10 >x.csv; run clip.mlir --input x=x.csv -q -o out; od -An -v -tf4 out/Result_0/y.raw
>       0.17426974       0.2710987      0.32450038      0.35480243
