A file has the arithmetic of its runtime: a net that was read from TFLite has ONNX's in ONNX files and onert's in Circle; quern's own files keep what was read.
$ minmax-collect "$NETS/gemm_relu.mlir" --random 1 --rows 4 -q -o r.json && quantize "$NETS/gemm_relu.mlir" --ranges r.json --type u8-asym -q -o net.tflite
$ for suffix in tflite circle onnx qn; do model-convert net.tflite -q -o other.$suffix && run other.$suffix --random 1 | grep -o 'profile [a-z]*'; done
> profile tflite
> profile one
> profile onnx
> profile tflite
$ model-convert other.circle -q -o there.onnx && run there.onnx --random 1 | grep -o 'profile [a-z]*'; model-convert other.onnx -q -o back.tflite && run back.tflite --random 1 | grep -o 'profile [a-z]*'
> profile onnx
> profile tflite
$ model-convert "$NETS/gemm_relu.mlir" -o float.tflite && minmax-collect float.tflite --random 1 --rows 4 -q -o r.json && quantize float.tflite --ranges r.json --type u8i8 -q -o direct.onnx && run direct.onnx --random 1 | grep -o 'profile [a-z]*'
> profile onnx

Products of real numbers beside weights in codes round their data in TFLite and Circle, also data that are a constant: an LSTM's first state.
$ cat > products.mlir <<'END'
+ module attributes {quern.metadata = {profile = "one"}} {
+   func.func @products(%x: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
+     %c = "onnx.Constant"() {value = dense<[[0.27, -0.09, -0.3, -0.305], [-0.14, -0.505, 0.377, 0.0256]]> : tensor<2x4xf32>} : () -> tensor<2x4xf32>
+     %w = "onnx.Constant"() {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.0061193383> : tensor<f32>}], value = dense<[[9, 5, 107, 101], [14, 4, 36, -2]]> : tensor<2x4xi8>} : () -> tensor<2x4xf32>
+     %constant = "onnx.Gemm"(%c, %w) {transB = 1 : si64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
+     %fed = "onnx.Gemm"(%x, %w) {transB = 1 : si64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
+     return %constant, %fed : tensor<2x2xf32>, tensor<2x2xf32>
+   }
+ }
+ END
$ echo '0.27,-0.09,-0.3,-0.305,-0.14,-0.505,0.377,0.0256' > x.csv; for suffix in circle tflite; do model-convert products.mlir -o p.$suffix; run p.$suffix --input x=x.csv -o $suffix -q; cmp $suffix/Result_0/constant.raw $suffix/Result_0/fed.raw && echo equal; done
> equal
> equal
