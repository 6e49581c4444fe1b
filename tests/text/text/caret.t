An error of the text form shows the line and the place in it.
$ cat >net.mlir <<'END'
+ func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
+   %y = "onnx.Relu"(%x) {onnx_node_name = "relu"} : (tensor<2xf32>) -> tensor<2xf32>
+   return %y : tensor<2xf32>
+ }
+ END
$ sed 's/{onnx_node_name = "relu"}/{onnx_node_name 3}/' net.mlir | model-info
! model-info: <stdin>: 2:40: got "3", need ","
!     %y = "onnx.Relu"(%x) {onnx_node_name 3} : (tensor<2xf32>) -> tensor<2xf32>
!                                          ^
? 3
Of a long line, what stands around.
$ sed "s/\"relu\"}/\"relu\", long = \"$(printf 'é%.0s' $(seq 100))\", more = ?}/" net.mlir | model-info
! model-info: <stdin>: 2:268: got "?", need an attribute value
!   ...ééééééééééééééééééééééééé", more = ?} : (tensor<2xf32>) -> tensor<2xf32>
!                                         ^
? 3
$ sed 's/return/\treturn %z,/' net.mlir | model-info
! model-info: <stdin>: 3:20: 1 types for 2 values
!     \treturn %z, %y : tensor<2xf32>
!                       ^
? 3
At the end there is no line to show.
$ head -3 net.mlir | model-info
! model-info: <stdin>: 4:1: func.func @net, opened at 1:1, lacks its closing brace
? 3
