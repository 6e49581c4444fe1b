A Clip whose minimum is above its maximum gives the maximum everywhere, as onnxruntime has it: alone, behind a product, on codes, in TFLite's operators and in C.
$ cat >net.sh <<'END'
+ cat <<NET
+ func.func @net(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
+   %lo = "onnx.Constant"() {value = dense<$1> : tensor<f32>} : () -> tensor<f32>
+   %hi = "onnx.Constant"() {value = dense<$2> : tensor<f32>} : () -> tensor<f32>
+   %w = "onnx.Constant"() {value = dense<[[[[1.0]], [[-0.5]]], [[[0.25]], [[2.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
+   %a = "onnx.Clip"(%x, %lo, %hi) {onnx_node_name = "alone"} : (tensor<1x2x4x4xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x4x4xf32>
+   %c = "onnx.Conv"(%x, %w) {onnx_node_name = "conv"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
+   %b = "onnx.Clip"(%c, %lo, %hi) {onnx_node_name = "behind"} : (tensor<1x2x4x4xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x4x4xf32>
+   return %a, %b : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
+ }
+ NET
+ END
$ cat >same.py <<'END'
+ import array, glob, sys
+ for folder in sys.argv[2:]:
+     for path in sorted(glob.glob(folder + '/Result_0/*.raw')):
+         numbers = set(array.array('f', open(path, 'rb').read()))
+         if len(numbers) != 1 or abs(numbers.pop() - float(sys.argv[1])) > 0.01: print(path, 'is not all', sys.argv[1])
+ END
$ bash net.sh 1.0 -1.0 >net.mlir; run net.mlir --random 1 -o fast && run net.mlir --random 1 --reference -o reference && python3 same.py -1 fast reference
$ minmax-collect net.mlir --random 1 --rows 4 -o r.json 2>/dev/null; for type in i8 u8i8 w8a16; do quantize net.mlir --ranges r.json --type $type -o $type.onnx && run $type.onnx --random 1 -o $type && quantize net.mlir --ranges r.json --type $type -o $type.tflite && run $type.tflite --random 1 -o $type.lite; done; python3 same.py -1 i8 u8i8 w8a16 i8.lite u8i8.lite w8a16.lite
! quantize: coverage: 3 of 3 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 3 of 3 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 3 of 3 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 3 of 3 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 3 of 3 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! run: 1 operator on codes computes on real numbers: Clip ("alone": profile onnx has no integer kernel for it)
! quantize: coverage: 3 of 3 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ model-convert net.mlir -o net.tflite && run net.tflite --random 1 -o lite && python3 same.py -1 lite
$ cat >main.c <<'END'
+ #include <stdio.h>
+ #include "c/net.h"
+ int main(void) {
+     static NUMBER x[32], a[32], b[32];
+     for (int i = 0; i < 32; ++i) x[i] = (NUMBER)(7 * i - 100);
+     net_run(x, a, b);
+     for (int i = 0; i < 32; ++i)
+         if (a[i] != WANTED || b[i] != WANTED) return printf("%d: %d %d\n", i, (int)a[i], (int)b[i]);
+     return 0;
+ }
+ END
$ compiled() { codegen $1 -q -p c -o c && cc -DNUMBER=$2 -DWANTED=$3 -I. main.c c/net.c -lm -o main && ./main; }; mkdir codes; compiled net.mlir float -1; for suffix in onnx tflite; do mv i8.$suffix codes/net.$suffix; compiled codes/net.$suffix int8_t -128; done

Bounds that are not numbers, or of which nothing is left, are no matter of a library, either.
$ for bounds in "0x7fc00000 1.0" "0.0 0x7fc00000" "0x7f800000 2.0" "0xff800000 0xff800000"; do bash net.sh $bounds >net.mlir; run net.mlir --random 1 -o fast && run net.mlir --random 1 --reference -o reference && model-diff fast reference | sed 1d | cut -c1-11; done
>     equal  
>     equal  
>     equal  
>     equal  
>     equal  
>     equal  
>     equal  
>     equal  

What a library of kernels cannot make runs by the reference: a window in the padding alone.
$ cat >pool.mlir <<'END'
+ func.func @net(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x10x10xf32> {
+   %y = "onnx.AveragePool"(%x) {count_include_pad = 1 : si64, kernel_shape = [1, 1], pads = [3, 3, 3, 3], strides = [1, 1]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x10x10xf32>
+   return %y : tensor<1x2x10x10xf32>
+ }
+ END
$ run pool.mlir --random 1 -o pool && run pool.mlir --random 1 --reference -o wanted && model-diff pool wanted
>   SQNR dB     cosine    max error    max |ref|  value
>     equal   1.000000            0     0.994811  y (output)
