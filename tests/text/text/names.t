Names of operators and of their domains are words, in whatever format they come.
$ cat >quoted.mlir <<'END'
+ func.func @net(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>) {
+   %y = "a\22b.Twist"(%x) {quern.domain = "a\22b", quern.version = 1 : si64} : (tensor<1x2xf32>) -> tensor<1x2xf32>
+   return %y : tensor<1x2xf32>
+ }
+ END
$ model-convert quoted.mlir -o quoted.onnx
! model-convert: quoted.mlir: 2:8: the operation's name holds control characters or quotes
!     %y = "a\22b.Twist"(%x) {quern.domain = "a\22b", quern.version = 1...
!          ^
? 3
