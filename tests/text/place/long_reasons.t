What stays on the CPU is a line a node with -v, of at most 160 characters; the whole reason is said by cause, and by --explain.

$ cat > net.mlir <<'END'
+ func.func @main(%x: tensor<1x4x6x6xf32>, %y: tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
+   %r = "onnx.Add"(%x, %y) {onnx_node_name = "a_sum_with_a_name_that_goes_on_for_longer_than_forty_characters"} : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
+   return %r : tensor<1x4x6x6xf32>
+ }
+ END
$ place net.mlir --target ethos-u55-128 --as float -v -o out.qn 2>&1 | grep 'node "' > lines
$ cat lines
>   node "a_sum_with_a_name_th...characters (63 bytes)" (onnx.Add): ethos-u cannot run it: storage of input 0 is float32, nee...t if it is float) (112 bytes)
$ awk 'length > 160' lines
