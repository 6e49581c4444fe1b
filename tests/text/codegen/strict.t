Clang finds nothing in generated C either: what compares codes with themselves to find what is not a number is written for real ones alone.
$ cat >net.mlir <<'END'
+ func.func @net(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>) {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
+   %c = "onnx.Conv"(%x, %w) : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
+   %y = "onnx.MaxPool"(%c) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32>
+   return %y : tensor<1x1x2x2xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 9 -q -o r.json && quantize net.mlir --ranges r.json --type i8 --full-integer -q -o net.qn && codegen net.qn -p c -q -o codes && codegen net.mlir -p c -q -o real
$ grep -c 'item != item' codes/net.c real/net.c
> codes/net.c:0
> real/net.c:1
