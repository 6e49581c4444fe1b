Constants are computed, but not if the result would be much larger than what it is made of.
$ cat > range.mlir <<'END'
+ func.func @range(%x: tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>) {
+   %zero = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
+   %step = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
+   %few = "onnx.Constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
+   %many = "onnx.Constant"() {value = dense<1e+14> : tensor<f32>} : () -> tensor<f32>
+   %a = "onnx.Range"(%zero, %few, %step) {onnx_node_name = "short"} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
+   %b = "onnx.Range"(%zero, %many, %step) {onnx_node_name = "long"} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
+   %y = "onnx.Add"(%a, %x) {onnx_node_name = "y"} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
+   %z = "onnx.Add"(%b, %x) {onnx_node_name = "z"} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
+   return %y, %z : tensor<?xf32>, tensor<?xf32>
+ }
+ END
$ model-convert range.mlir --passes fold_constants -f text | grep -o 'onnx_node_name = "[a-z]*"\|%a = .*'
> %a = "onnx.Constant"() {value = dense<[0.0, 1.0, 2.0]> : tensor<3xf32>} : () -> tensor<3xf32>
> onnx_node_name = "long"
> onnx_node_name = "y"
> onnx_node_name = "z"

What a body computes of constants around it is a constant there, once for both branches; a result of a branch stays its own.
$ cat > branches.mlir <<'END'
+ func.func @branches(%c: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
+   %w = "onnx.Constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
+   %y, %z = "onnx.If"(%c) ({
+     %i = "onnx.Constant"() {value = dense<[2, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
+     %g = "onnx.Gather"(%w, %i) {onnx_node_name = "g"} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
+     %m = "onnx.Mul"(%x, %g) {onnx_node_name = "mul"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
+     %r = "onnx.Neg"(%g) {onnx_node_name = "r"} : (tensor<2xf32>) -> tensor<2xf32>
+     onnx.Yield %m, %r : tensor<2xf32>, tensor<2xf32>
+   }, {
+     %i = "onnx.Constant"() {value = dense<[2, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
+     %h = "onnx.Gather"(%w, %i) {onnx_node_name = "h"} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
+     %a = "onnx.Add"(%x, %h) {onnx_node_name = "add"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
+     onnx.Yield %a, %x : tensor<2xf32>, tensor<2xf32>
+   }) {onnx_node_name = "choice"} : (tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>)
+   return %y, %z : tensor<2xf32>, tensor<2xf32>
+ }
+ END
$ model-convert branches.mlir --passes fold_constants,drop_dead -f text
> module attributes {quern.lineage = "71a600c2aade629894a19ee1dbd12419"} {
>   func.func @branches(%c: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
>     %g = "onnx.Constant"() {value = dense<[3.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
>     %y, %z = "onnx.If"(%c) ({
>       %r = "onnx.Constant"() {value = dense<[-3.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
>       %m = "onnx.Mul"(%x, %g) {onnx_node_name = "mul"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
>       onnx.Yield %m, %r : tensor<2xf32>, tensor<2xf32>
>     }, {
>       %h = "quern.Capture"(%g) : (tensor<2xf32>) -> tensor<2xf32>
>       %a = "onnx.Add"(%x, %h) {onnx_node_name = "add"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
>       onnx.Yield %a, %x : tensor<2xf32>, tensor<2xf32>
>     }) {onnx_node_name = "choice"} : (tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>)
>     onnx.Return %y, %z : tensor<2xf32>, tensor<2xf32>
>   }
> }
$ model-convert branches.mlir --passes fold_constants,drop_dead -o branches.onnx && printf '\0' > no; printf '\001' > yes; printf '\0\0\0\077\0\0\200\277' > x.raw
$ for c in no yes; do run branches.onnx --input c=$c --input x=x.raw -o $c.out && run branches.mlir --input c=$c --input x=x.raw -o $c.want && diff -r $c.out $c.want; done

A dim that is known is a number, whatever the others are.
$ cat > dims.mlir <<'END'
+ func.func @dims(%x: tensor<2x?{n}xf32>) -> (tensor<i64>, tensor<i64>) {
+   %first = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
+   %last = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
+   %s = "onnx.Shape"(%x) {onnx_node_name = "s"} : (tensor<2x?{n}xf32>) -> tensor<2xi64>
+   %a = "onnx.Gather"(%s, %first) {onnx_node_name = "a"} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
+   %b = "onnx.Gather"(%s, %last) {onnx_node_name = "b"} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
+   %c = "onnx.Mul"(%a, %a) {onnx_node_name = "c"} : (tensor<i64>, tensor<i64>) -> tensor<i64>
+   return %c, %b : tensor<i64>, tensor<i64>
+ }
+ END
$ model-convert dims.mlir --passes fold_constants,drop_dead -f text
> module attributes {quern.lineage = "e0dbc59b9091f2ed2ee8c1e1d6b15498"} {
>   func.func @dims(%x: tensor<2x?{n}xf32>) -> (tensor<i64>, tensor<i64>) {
>     %last = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
>     %c = "onnx.Constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
>     %s = "onnx.Shape"(%x) {onnx_node_name = "s"} : (tensor<2x?{n}xf32>) -> tensor<2xi64>
>     %b = "onnx.Gather"(%s, %last) {onnx_node_name = "b"} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
>     onnx.Return %c, %b : tensor<i64>, tensor<i64>
>   }
> }

Neither what would take too much work, which -v says: six constants of 200 numbers each, multiplied by each other, are 200 to the sixth.
$ cat > einsum.mlir <<'END'
+ func.func @einsum(%x: tensor<f32>) -> tensor<f32> {
+   %c = "onnx.Constant"() {value = dense<1.0> : tensor<200xf32>} : () -> tensor<200xf32>
+   %s = "onnx.Einsum"(%c, %c, %c, %c, %c, %c) {equation = "a,b,c,d,e,f->", onnx_node_name = "sum"} : (tensor<200xf32>, tensor<200xf32>, tensor<200xf32>, tensor<200xf32>, tensor<200xf32>, tensor<200xf32>) -> tensor<f32>
+   %y = "onnx.Add"(%s, %x) {onnx_node_name = "y"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
+   return %y : tensor<f32>
+ }
+ END
$ model-convert einsum.mlir --passes fold_constants -v -f text | grep -o 'onnx_node_name = "[a-z]*"'
> onnx_node_name = "sum"
> onnx_node_name = "y"
! model-convert: fold_constants: left to the run: a node whose constants would take too much to compute here, first Einsum "sum"
! model-convert: fold_constants: 0 changes, [...] ms
