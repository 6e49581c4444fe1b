Names that are nearly right: the input of a command line is a usage error, an operator is one that quern cannot run; both get the nearest.
$ cat >net.mlir <<'END'
+ func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
+   %y = "onnx.Relu"(%x) {onnx_node_name = "relu"} : (tensor<2xf32>) -> tensor<2xf32>
+   return %y : tensor<2xf32>
+ }
+ END
$ head -c 8 /dev/zero >z.raw
$ run net.mlir --input xx=z.raw -o out
! run: the model has no input "xx" (did you mean "x"?)
! hint: its inputs: x (float32[2])
? 2
$ run net.mlir --input xx:=z.raw -o out
! run: the model has no input "xx" (did you mean "x"?)
! hint: its inputs: x (float32[2])
? 2
$ echo xx:=z.raw >list; run net.mlir --input-list list -o out
! run: list: line 1: the model has no input "xx" (did you mean "x"?)
! hint: its inputs: x (float32[2])
? 3
$ sed s/Relu/Relo/ net.mlir >relo.mlir; run relo.mlir --random 1 -o out
! run: node "relu" (Relo): there is no implementation of this operator (did you mean "Relu"?)
? 4
$ run relo.mlir --random 1 -o out --backend ref
! run: node "relu" (Relo): ref does not run it: there is no implementation of operator Relo (did you mean "Relu"?)
! hint: another back end can stand behind it: --backend "ref;cpu"
? 4
$ sed s/Relu/FastGelu/ net.mlir >gelu.mlir; run gelu.mlir --random 1 -o out
! run: node "relu" (FastGelu): there is no implementation of this operator (did you mean "com.microsoft.FastGelu"?)
? 4
$ sed s/onnx.Relu/com.microsoft.FastGello/ net.mlir >gelu.mlir; run gelu.mlir --random 1 -o out
! run: node "relu" (com.microsoft.FastGello): there is no implementation of this operator (did you mean "com.microsoft.FastGelu"?)
? 4
$ sed s/onnx.Relu/com.example.Warp/ net.mlir >warp.mlir; run warp.mlir --random 1 -o out
! run: node "relu" (com.example.Warp): there is no implementation of this operator
? 4
