A branch whose condition is known takes the place of its If; what is inside keeps the names that its ranges have.
$ cat > if.mlir <<'END'
+ func.func @branch(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
+   %a = "onnx.Constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
+   %b = "onnx.Constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
+   %c = "onnx.Equal"(%a, %b) {onnx_node_name = "same"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
+   %y, %z = "onnx.If"(%c) ({
+     %k = "onnx.Constant"() {value = dense<[1.5, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+     %m = "onnx.Mul"(%x, %k) {onnx_node_name = "mul"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
+     %p = "onnx.Relu"(%m) {onnx_node_name = "relu"} : (tensor<2xf32>) -> tensor<2xf32>
+     onnx.Yield %p, %x : tensor<2xf32>, tensor<2xf32>
+   }, {
+     %n = "onnx.Neg"(%x) {onnx_node_name = "n"} : (tensor<2xf32>) -> tensor<2xf32>
+     onnx.Yield %n, %n : tensor<2xf32>, tensor<2xf32>
+   }) {onnx_node_name = "choice"} : (tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>)
+   return %y, %z : tensor<2xf32>, tensor<2xf32>
+ }
+ END
$ model-convert if.mlir -f text --passes fold_constants,inline_branches | grep -o '"onnx.[A-Z].*name = "[a-z/_]*"'
> "onnx.Mul"(%x, %"choice/else_branch/k") {onnx_node_name = "choice/else_branch/mul"
> "onnx.Relu"(%"choice/else_branch/m") {onnx_node_name = "choice/else_branch/relu"
> "onnx.Identity"(%x) {onnx_node_name = "z"
$ model-convert if.mlir -o folded.onnx && model-diff if.mlir folded.onnx --random 1 --outputs-only --threshold 100 | tail -1
>     equal   1.000000            0     0.943534  z (output)

A contradiction in a branch is the branch's own: with this length only the other one runs.
$ cat > lengths.mlir <<'END'
+ func.func @branch(%c: tensor<i1>, %x: tensor<1x?{n}xf32>) -> tensor<1x?xf32> {
+   %k = "onnx.Constant"() {value = dense<[[1.5, -1.0, 0.5]]> : tensor<1x3xf32>} : () -> tensor<1x3xf32>
+   %y = "onnx.If"(%c) ({
+     %m = "onnx.Mul"(%x, %k) {onnx_node_name = "mul"} : (tensor<1x?{n}xf32>, tensor<1x3xf32>) -> tensor<1x?xf32>
+     onnx.Yield %m : tensor<1x?xf32>
+   }, {
+     %n = "onnx.Neg"(%x) {onnx_node_name = "n"} : (tensor<1x?{n}xf32>) -> tensor<1x?{n}xf32>
+     onnx.Yield %n : tensor<1x?{n}xf32>
+   }) {onnx_node_name = "choice"} : (tensor<i1>) -> tensor<1x?xf32>
+   return %y : tensor<1x?xf32>
+ }
+ END
$ model-convert lengths.mlir --shape x=1,5 -o five.onnx && model-info five.onnx | grep outputs
> outputs     y  float32[1,5]
$ printf '\0' > no; printf '\001' > yes; head -c 20 /dev/zero > x.raw; run five.onnx --input c=yes --input x=x.raw -o out && run five.onnx --input c=no --input x=x.raw -o out
! run: sample 0: node "choice" (If): node "choice/else_branch/mul" (Mul): shapes [1,5] and [1,3] do not broadcast
? 3
