A filter without weights, or with none but the least of floats, has the scale by which its bias is exact.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x1x2x2xf32>) -> tensor<1x4x2x2xf32> {
+   %w = "onnx.Constant"() {value = dense<[[[[100.0]]], [[[0.0]]], [[[1.0e-40]]], [[[-0.5]]]]> : tensor<4x1x1x1xf32>} : () -> tensor<4x1x1x1xf32>
+   %b = "onnx.Constant"() {value = dense<[0.5, 5.0, -0.7, 0.25]> : tensor<4xf32>} : () -> tensor<4xf32>
+   %c = "onnx.Conv"(%x, %w, %b) {onnx_node_name = "conv"} : (tensor<1x1x2x2xf32>, tensor<4x1x1x1xf32>, tensor<4xf32>) -> tensor<1x4x2x2xf32>
+   %lo = "onnx.Constant"() {value = dense<-6.0> : tensor<f32>} : () -> tensor<f32>
+   %hi = "onnx.Constant"() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
+   %y = "onnx.Clip"(%c, %lo, %hi) {onnx_node_name = "clip"} : (tensor<1x4x2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x4x2x2xf32>
+   return %y : tensor<1x4x2x2xf32>
+ }
+ END
$ python3 -c "import struct; open('x.bin', 'wb').write(struct.pack('<4f', -1, 0.25, 0.5, 1))"
$ minmax-collect net.mlir --input 'x=x.bin:f32[1,1,2,2]' -o r.json
$ for type in i8 u8-asym w8a16; do for to in onnx tflite circle; do quantize net.mlir --ranges r.json --type $type -q -o q.$to && run q.$to --input 'x=x.bin:f32[1,1,2,2]' -q -o out && od -An -tf4 -w16 -j16 -N32 out/Result_0/y.raw | awk -v what="$type $to" '{printf "%s: %.2f %.2f\n", what, $1, $4}'; done; done
> i8 onnx: 4.99 4.99
> i8 onnx: -0.71 -0.71
> i8 tflite: 4.99 4.99
> i8 tflite: -0.71 -0.71
> i8 circle: 4.99 4.99
> i8 circle: -0.71 -0.71
> u8-asym onnx: 4.99 4.99
> u8-asym onnx: -0.71 -0.71
> u8-asym tflite: 4.99 4.99
> u8-asym tflite: -0.71 -0.71
> u8-asym circle: 4.99 4.99
> u8-asym circle: -0.71 -0.71
> w8a16 onnx: 5.00 5.00
> w8a16 onnx: -0.70 -0.70
> w8a16 tflite: 5.00 5.00
> w8a16 tflite: -0.70 -0.70
> w8a16 circle: 5.00 5.00
> w8a16 circle: -0.70 -0.70
