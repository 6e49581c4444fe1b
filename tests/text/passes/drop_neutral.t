Arithmetic with 0 and 1 gives its operand back, unless it widens it; torch sums from 0 and multiplies by 1 where it says nothing else.
$ cat > sums.mlir <<'END'
+ func.func @sums(%x: tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>) {
+   %zero = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
+   %zeros = "onnx.Constant"() {value = dense<0.0> : tensor<3xf32>} : () -> tensor<3xf32>
+   %one = "onnx.Constant"() {value = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
+   %a = "onnx.Add"(%zero, %x) {onnx_node_name = "a"} : (tensor<f32>, tensor<2x1xf32>) -> tensor<2x1xf32>
+   %b = "onnx.Div"(%a, %one) {onnx_node_name = "b"} : (tensor<2x1xf32>, tensor<1xf32>) -> tensor<2x1xf32>
+   %wide = "onnx.Add"(%b, %zeros) {onnx_node_name = "wide"} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
+   %negative = "onnx.Sub"(%zero, %b) {onnx_node_name = "negative"} : (tensor<f32>, tensor<2x1xf32>) -> tensor<2x1xf32>
+   return %wide, %negative : tensor<2x3xf32>, tensor<2x1xf32>
+ }
+ END
$ model-convert sums.mlir --passes drop_neutral -f text | grep -o 'onnx_node_name = "[a-z]*"'
> onnx_node_name = "wide"
> onnx_node_name = "negative"
A Concat leaves out what has no element.
$ cat > joined.mlir <<'END'
+ func.func @joined(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>) {
+   %end = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %axis = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %rest = "onnx.Slice"(%x, %end, %end, %axis) {onnx_node_name = "rest"} : (tensor<2x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x0xf32>
+   %turned = "onnx.Neg"(%x) {onnx_node_name = "turned"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
+   %both = "onnx.Concat"(%turned, %rest) {axis = -1 : si64, onnx_node_name = "both"} : (tensor<2x4xf32>, tensor<2x0xf32>) -> tensor<2x4xf32>
+   return %both : tensor<2x4xf32>
+ }
+ END
$ model-convert joined.mlir --passes drop_neutral,drop_identity,drop_dead -f text | grep -o 'onnx_node_name = "[a-z]*"'
> onnx_node_name = "turned"
A Reshape before another that gives all dims does nothing; one that is read otherwise, or whose dims the next one takes, stays.
$ cat > reshapes.mlir <<'END'
+ func.func @reshapes(%x: tensor<2x6xf32>) -> (tensor<4x3xf32>, tensor<3x4xf32>, tensor<6x2xf32>) {
+   %flat = "onnx.Constant"() {value = dense<[12]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %four = "onnx.Constant"() {value = dense<[4, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
+   %three = "onnx.Constant"() {value = dense<[3, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
+   %kept = "onnx.Constant"() {value = dense<[0, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
+   %six = "onnx.Constant"() {value = dense<[6, 2, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
+   %gone = "onnx.Reshape"(%x, %flat) {onnx_node_name = "gone"} : (tensor<2x6xf32>, tensor<1xi64>) -> tensor<12xf32>
+   %first = "onnx.Reshape"(%gone, %four) {onnx_node_name = "first"} : (tensor<12xf32>, tensor<2xi64>) -> tensor<4x3xf32>
+   %second = "onnx.Reshape"(%gone, %three) {onnx_node_name = "second"} : (tensor<12xf32>, tensor<2xi64>) -> tensor<3x4xf32>
+   %read = "onnx.Reshape"(%x, %six) {onnx_node_name = "read"} : (tensor<2x6xf32>, tensor<3xi64>) -> tensor<6x2x1xf32>
+   %third = "onnx.Reshape"(%read, %kept) {onnx_node_name = "third"} : (tensor<6x2x1xf32>, tensor<2xi64>) -> tensor<6x2xf32>
+   return %first, %second, %third : tensor<4x3xf32>, tensor<3x4xf32>, tensor<6x2xf32>
+ }
+ END
$ model-convert reshapes.mlir --passes drop_neutral -f text | grep -o 'onnx_node_name = "[a-z]*"'
> onnx_node_name = "first"
> onnx_node_name = "second"
> onnx_node_name = "read"
> onnx_node_name = "third"
A Gather of all that an axis has, in order, is a Reshape at most; in another order it stays.
$ cat > gathers.mlir <<'END'
+ func.func @gathers(%x: tensor<1x3x2xf32>) -> (tensor<3x2xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) {
+   %first = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
+   %all = "onnx.Constant"() {value = dense<[0, -2, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
+   %turned = "onnx.Constant"() {value = dense<[2, 1, 0]> : tensor<3xi64>} : () -> tensor<3xi64>
+   %a = "onnx.Gather"(%x, %first) {axis = 0 : si64, onnx_node_name = "a"} : (tensor<1x3x2xf32>, tensor<i64>) -> tensor<3x2xf32>
+   %b = "onnx.Gather"(%x, %all) {axis = 1 : si64, onnx_node_name = "b"} : (tensor<1x3x2xf32>, tensor<3xi64>) -> tensor<1x3x2xf32>
+   %c = "onnx.Neg"(%b) {onnx_node_name = "c"} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
+   %d = "onnx.Gather"(%x, %turned) {axis = -2 : si64, onnx_node_name = "d"} : (tensor<1x3x2xf32>, tensor<3xi64>) -> tensor<1x3x2xf32>
+   return %a, %c, %d : tensor<3x2xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>
+ }
+ END
$ model-convert gathers.mlir --passes drop_neutral,drop_identity,drop_dead -f text | tee less.mlir | grep -o 'onnx[.][GNR][a-z]*' | grep -v Return | xargs
> onnx.Reshape onnx.Neg onnx.Gather
$ model-diff gathers.mlir less.mlir --random 2 | grep -c ' equal'
> 4
