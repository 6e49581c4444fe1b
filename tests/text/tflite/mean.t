What a last window reaches beyond the data and their padding (ceil_mode) is no part of a mean, also where padding is (count_include_pad).
$ cat >net <<'END'
+ # KERNEL PADS STRIDE RESULT: of a picture of 7 by 4
+ cat >net.mlir <<MODEL
+ func.func @main(%x: tensor<1x2x7x4xf32>) -> tensor<1x2x$4xf32> {
+   %y = "onnx.AveragePool"(%x) {ceil_mode = 1 : si64, count_include_pad = 1 : si64, kernel_shape = [$1], pads = [$2], strides = [$3]} : (tensor<1x2x7x4xf32>) -> tensor<1x2x$4xf32>
+   return %y : tensor<1x2x$4xf32>
+ }
+ MODEL
+ model-convert net.mlir -o net.tflite && model-diff net.mlir net.tflite --random 1 --threshold 100 >/dev/null && echo same
+ END
$ sh net '2, 2' '0, 0, 0, 0' '2, 2' 4x2
> same
$ sh net '3, 2' '1, 0, 1, 0' '2, 2' 4x2
> same
$ sh net '2, 2' '1, 1, 0, 0' '3, 3' 3x2
> same
$ sh net '3, 3' '0, 0, 0, 0' '3, 3' 3x2
> same
$ sh net '3, 3' '1, 1, 0, 0' '3, 3' 3x2
> same
