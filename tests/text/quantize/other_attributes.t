Attributes of others are kept, also by a name that ours have: what a part says of its Softmax is not theirs.

$ cat > own.mlir <<'END'
+ func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
+   %n = "com.example.Mine"(%x) {onnx_node_name = "mine", between_types = 3 : si64, quern.version = 1 : si64} : (tensor<4xf32>) -> tensor<4xf32>
+   return %n : tensor<4xf32>
+ }
+ END
$ model-convert own.mlir -q -o own.onnx && model-convert own.onnx -q -f text -o - | grep -o 'between_types = [0-9]*'
> between_types = 3
