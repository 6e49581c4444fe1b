Working memory of a quantized net that ends like a segmentation: its codes, not their numbers.

$ cat > segment.mlir <<'END'
+ func.func @segment(%x: tensor<1x5x8x8xf32>) -> tensor<1x64x64xi64> {
+   %n = "onnx.NoValue"() : () -> none
+   %s = "onnx.Constant"() {value = dense<[1, 5, 64, 64]> : tensor<4xi64>} : () -> tensor<4xi64>
+   %a = "onnx.Relu"(%x) : (tensor<1x5x8x8xf32>) -> tensor<1x5x8x8xf32>
+   %b = "onnx.Resize"(%a, %n, %n, %s) {mode = "linear"} : (tensor<1x5x8x8xf32>, none, none, tensor<4xi64>) -> tensor<1x5x64x64xf32>
+   %y = "onnx.ArgMax"(%b) {axis = 1 : si64, keepdims = 0 : si64} : (tensor<1x5x64x64xf32>) -> tensor<1x64x64xi64>
+   return %y : tensor<1x64x64xi64>
+ }
+ END
$ minmax-collect segment.mlir --random 1 --rows 2 -q -o ranges.json && quantize segment.mlir --ranges ranges.json --type i8 -q -o segment.qn && quantize segment.mlir --ranges ranges.json --type i8 -q -o segment.tflite

The largest value has 5 x 64 x 64 = 20480 codes; what is resized has 320, a line of numbers 256 bytes. A number of each code would be 81920 more.

$ for m in segment.qn segment.tflite; do codegen $m -p c -o $m.c -q && grep -h 'ARENA_BYTES [0-9]' $m.c/segment.h; done
> #define SEGMENT_ARENA_BYTES 21056
> #define SEGMENT_ARENA_BYTES 20800
