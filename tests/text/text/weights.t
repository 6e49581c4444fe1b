Weights are in the text as hex, beside it with --external-data, or left out for display; a text for display is not a model.

$ cat > net.mlir <<'END'
+ func.func @main(%x: tensor<2x20xf32>) -> (tensor<2x20xf32>) {
+   %w = "onnx.Constant"() {value = dense<1.5> : tensor<20xf32>} : () -> tensor<20xf32>
+   %y = "onnx.Mul"(%x, %w) {onnx_node_name = "scale"} : (tensor<2x20xf32>, tensor<20xf32>) -> tensor<2x20xf32>
+   onnx.Return %y : tensor<2x20xf32>
+ }
+ END
$ model-convert net.mlir -f text -o - | grep value
>     %w = "onnx.Constant"() {value = dense<"0x0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F0000C03F"> : tensor<20xf32>} : () -> tensor<20xf32>
$ model-convert net.mlir -f text --external-data -o side.mlir && grep value side.mlir && ls
>     %w = "onnx.Constant"() {value = #quern.file<"side.mlir.data", 0, 80> : tensor<20xf32>} : () -> tensor<20xf32>
> net.mlir
> side.mlir
> side.mlir.data
$ model-convert side.mlir -f text -o back.mlir && model-convert net.mlir -f text -o direct.mlir && grep -v lineage back.mlir > a && grep -v lineage direct.mlir > b && cmp a b
$ model-info --text net.mlir > shown.mlir; grep value shown.mlir
>     %w = "onnx.Constant"() {value = dense_resource<__elided__> : tensor<20xf32>} : () -> tensor<20xf32>
$ model-info shown.mlir
! model-info: shown.mlir: 3:37: the numbers of this tensor are not in the text, which was made for display
!       %w = "onnx.Constant"() {value = dense_resource<__elided__> : tensor<20xf32>} : () -> tensor<...
!                                       ^
! hint: write the text with `model-convert -f text`, which keeps them
? 3
$ model-convert net.mlir -f text --external-data -o -
! model-convert: weights beside the text need a file name, not standard output
! hint: give -o FILE
? 2
