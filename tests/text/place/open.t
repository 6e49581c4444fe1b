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
