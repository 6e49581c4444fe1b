TFLite's Resize knows nothing but the sizes of its result: what ONNX says beyond them is a product with its weights along each axis, unless it changes nothing.
$ cat >net <<'END'
+ # VALUES ATTRIBUTES: scales if they have a point, else sizes
+ case $1 in
+ *.*) type='tensor<2xf32>' in=%v types=$type ;;
+ *) type='tensor<2xi64>' in='%none, %v' types="none, $type" ;;
+ esac
+ cat >net.mlir <<MODEL
+ func.func @main(%x: tensor<1x5x5x2xf32>) -> tensor<*xf32> {
+   %none = "onnx.NoValue"() : () -> none
+   %v = "onnx.Constant"() {value = dense<[$1]> : $type} : () -> $type
+   %y = "onnx.Resize"(%x, %none, $in) {axes = [1, 2], mode = "linear"$2} : (tensor<1x5x5x2xf32>, none, $types) -> tensor<*xf32>
+   return %y : tensor<*xf32>
+ }
+ MODEL
+ model-convert net.mlir -o net.tflite && model-diff net.mlir net.tflite --random 1 --threshold 100 > said && grep output said
+ END
$ sh net '2, 2'
>     equal   1.000000            0     0.372551  y (output)
$ sh net '2, 2' ', antialias = 1 : si64'
> [...]   1.000000  [...]     0.198813  y (output)
$ sh net '9, 7' ', antialias = 1 : si64, exclude_outside = 1 : si64'
> [...]   1.000000  [...]     0.994326  y (output)
$ sh net '2.0, 0.4'
>     equal   1.000000            0     0.695194  y (output)
$ sh net '2.5, 2.0'
> [...]   1.000000  [...]     0.943534  y (output)
$ sh net '1.1, 2.0'
> [...]   1.000000  [...]     0.943534  y (output)
$ sh net '1, 2' ', coordinate_transformation_mode = "pytorch_half_pixel"'
>     equal   1.000000            0     0.695194  y (output)
$ sh net '2, 3' ', coordinate_transformation_mode = "pytorch_half_pixel"'
>     equal   1.000000            0     0.546113  y (output)
$ sh net '2, 4' ', keep_aspect_ratio_policy = "not_larger"'
>     equal   1.000000            0     0.372551  y (output)
$ sh net '7, 9' ', keep_aspect_ratio_policy = "not_larger"'
>     equal   1.000000            0     0.994326  y (output)
Of axes that are too long to be compared place after place, what the attributes say decides, at once.
$ sh net '1000000000, 1' ', antialias = 1 : si64'
! model-convert: node "Resize_0" (Resize): antialias = 1: its operator knows only the sizes of the result
? 4
$ sh net '100000000.0, 2.0'
! model-convert: node "Resize_0" (Resize): scales that are not those of the sizes: its operator knows only the sizes of the result
? 4
