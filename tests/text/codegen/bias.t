The int64 biases of i16-sym are int64 in C: here 3e10 steps.
$ cat >net.mlir <<'END'
+ func.func @net(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>) {
+   %w = "onnx.Constant"() {value = dense<[[0.001, 0.002], [0.0005, -0.001]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
+   %b = "onnx.Constant"() {value = dense<[1000.0, -2000.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %y = "onnx.Gemm"(%x, %w, %b) : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
+   return %y : tensor<1x2xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 9 -q -o r.json && quantize net.mlir --ranges r.json --type i16-sym -q -o net.qn && codegen net.qn -p c -q -o c
$ grep -c 'const int64_t[* ].*bias' c/net.c
> 2
