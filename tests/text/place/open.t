Open dims are taken as 1, which is told; --shape says otherwise. The model that is written keeps them.

$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
+   %0 = "onnx.Relu"(%x) {onnx_node_name = "r"} : (tensor<?x4xf32>) -> tensor<?x4xf32>
+   onnx.Return %0 : tensor<?x4xf32>
+ }
+ END
$ place net.mlir --target htp --as i8 --heuristic QualifyingOps -f text -o - | grep -v lineage
>   func.func @net(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>) {
>     %0 = "onnx.Relu"(%x) {device = "htp", onnx_node_name = "r"} : (tensor<?x4xf32>) -> tensor<?x4xf32>
>     onnx.Return %0 : tensor<?x4xf32>
>   }
> }
! place: input "x" is float32[?,4]: taken with a batch of 1 (--shape sets others)
! place: no value is encoded: devices are asked as if the model were quantized to u8i8; --as sets another type
$ place net.mlir --target htp --as i8 --heuristic QualifyingOps --shape x=8,4 --save-placement - | grep '"device"'
>       "device": "htp",
! place: no value is encoded: devices are asked as if the model were quantized to u8i8; --as sets another type
$ place net.mlir --target htp --shape y=8,4 -o out.qn
! place: net.mlir: --shape: no input "y" (did you mean "x"?)
! hint: its inputs: x
? 2

Lines of an open number and length: a window that fits into no length of 1 leaves them open, and a Reshape that could not say it is not needed.

$ cat > lines.mlir <<'END_NET'
+ func.func @net(%x: tensor<?x3x?xf32>) -> tensor<?x4x?xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<4x3x5xf32>} : () -> tensor<4x3x5xf32>
+   %0 = "onnx.Conv"(%x, %w) {onnx_node_name = "conv"} : (tensor<?x3x?xf32>, tensor<4x3x5xf32>) -> tensor<?x4x?xf32>
+   onnx.Return %0 : tensor<?x4x?xf32>
+ }
+ END_NET
$ for target in ethos-u65-512 onert-cpu; do place lines.mlir --target $target --report - -q | grep -A3 ^device; done
> device         nodes  partitions       compute largest arena       weights
> cpu                5           1      40.28 us         704 B          92 B
> ethos-u            0           0          0 ns           0 B           0 B
>
> device         nodes  partitions       compute largest arena       weights
> cpu                4           2       2.49 us        2.0 KB          16 B
> onert              1           1       2.14 us         896 B         256 B
>
$ place lines.mlir --target ethos-u65-512 --shape x=1,3,20 --report - -q | grep -A3 ^device
> device         nodes  partitions       compute largest arena       weights
> cpu                0           0          0 ns           0 B           0 B
> ethos-u            5           1      10.05 us         192 B         132 B
>
$ model-convert lines.mlir -o lines.tflite && model-convert lines.tflite -f text | grep -o 'onnx.[A-Z][a-z]*"'
> onnx.Constant"
> onnx.Constant"
> onnx.Constant"
> onnx.Transpose"
> onnx.Unsqueeze"
> onnx.Conv"
> onnx.Squeeze"
> onnx.Transpose"
