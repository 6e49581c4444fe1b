A TFLite file has what LiteRT has kernels for, whatever way the model came. Of int16 codes there is none for Elu: the plan leaves it float for a TFLite file, and the
writer puts it on real numbers where it comes with codes.
$ cp "$NETS/elu.mlir" elu.mlir
$ minmax-collect elu.mlir --random 1 --rows 4 -q -o r.json
$ quantize elu.mlir --ranges r.json --type w8a16 -v -o direct.tflite
! quantize: 1 of 1 operators stay float: 0.0 % of the multiply-accumulates are quantized
!   elu (Elu): litert has no kernel for operator Elu on int16
$ quantize elu.mlir --ranges r.json --type w8a16 --strict -o strict.tflite
! quantize: 1 of 1 operators stay float: 0.0 % of the multiply-accumulates are quantized
!   elu (Elu): litert has no kernel for operator Elu on int16
? 1
$ quantize elu.mlir --ranges r.json --type w8a16 -o elu.qn && model-convert elu.qn -o elu.tflite
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
! model-convert: 1 operator is written between DEQUANTIZE and QUANTIZE, as there is no kernel for the codes: operator "y" (ELU): form is int16
$ quantize elu.mlir --ranges r.json --type i8 -o elu8.qn && model-convert elu8.qn -o elu8.tflite && model-info elu8.tflite | grep 'Elu\|Recode'
> operators   Elu                                  1
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized

Biases beside int16 codes are int64, by each way.
$ cp "$NETS/gemm_relu.mlir" net.mlir; cp "$NETS/gemm_relu.json" g.json
$ quantize net.mlir --ranges g.json --type w8a16 -o a.tflite; quantize net.mlir --ranges g.json --type w8a16 -o net.qn; quantize net.mlir --ranges g.json --type w8a16 -o net.onnx
+ model-convert net.qn -o b.tflite; model-convert net.onnx -o c.tflite
+ for file in a b c; do model-info $file.tflite | grep -c int64; done
> 2
> 2
> 2
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Weights alone in codes: the file has them, and the product is of real numbers.
$ quantize net.mlir --type wo-i8-sym -o w.tflite && model-convert w.tflite -f text -o - | grep -o '"onnx.Gemm\|"quern.Recode\|weight_only'
> "onnx.Gemm
> weight_only
! quantize: coverage: 1 of 2 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 66.7 % of the multiply-accumulates are quantized

Codes become 32-bit codes by QUANTIZE: of int16 in LiteRT, of int8 in TensorFlow Lite Micro alone, of uint8 nowhere (nor uint8 of int16). 32-bit codes become shorter ones in both.
$ cat >recode <<'END'
+ cat >recode.mlir <<GRAPH
+ module attributes {quern.metadata = {profile = "tflite", tflite.version = "3"}} {
+   func.func @net(%x: tensor<1x4xf32> {quern.encoding = [{storage = $1, qmin = $2, qmax = $3, scale = dense<0.05> : tensor<f32>}]}) -> tensor<1x4xf32> {
+     %y = "quern.Recode"(%x) {onnx_node_name = "y", quern.encoding = [{storage = $4, qmin = $5, qmax = $6, scale = dense<0.03> : tensor<f32>}]} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+     return %y : tensor<1x4xf32>
+   }
+ }
+ GRAPH
+ model-convert recode.mlir -o recode.tflite && model-info recode.tflite | grep -o 'Recode  *1'
+ END
$ i8="i8 -128 127" i16="i16 -32768 32767" i32="i32 -2147483648 2147483647"; for pair in "$i16 $i32" "$i32 $i16" "$i32 $i8" "$i8 $i32" "ui8 0 255 $i32"; do sh recode $pair; done
> Recode                         1
> Recode                         1
> Recode                         1
> Recode                         1
! model-convert: 1 operator is written as codes, for which another runtime has a kernel and LiteRT has none: operator "y" (QUANTIZE): TensorFlow Lite Micro
! model-convert: operator "y" (QUANTIZE): LiteRT has no such kernel: form is uint8 -> int32, need float32 -> int16, float32 -> int8, float32 -> uint8, int16, int16 -> int32, int16 -> int8, int32 -> int16, int32 -> int8, int8, int8 -> int16, int8 -> uint8, uint8, uint8 -> int16 or uint8 -> int8
? 4

Slopes so small that no scale of float32 covers them are zeros: the file was written with a scale of 0, which nothing reads.
$ cat >prelu.mlir <<'END'
+ func.func @net(%x: tensor<1x2x4xf32>) -> (tensor<1x2x4xf32>) {
+   %s = "onnx.Constant"() {value = dense<[[[1.0e-44, 2.0e-44, 1.0e-44, 0.0]]]> : tensor<1x1x4xf32>} : () -> tensor<1x1x4xf32>
+   %y = "onnx.PRelu"(%x, %s) : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x2x4xf32>
+   return %y : tensor<1x2x4xf32>
+ }
+ END
$ minmax-collect prelu.mlir --random 1 --rows 4 -q -o prelu.json && quantize prelu.mlir --ranges prelu.json --type i8 -q -o prelu.tflite
$ model-convert prelu.tflite -f text | grep -o '%s_1 = .*' | grep -o 'scale = dense<[0-9.]*>'
> scale = dense<1.0>

What the table does not list has no kernel but for float32: codes become real numbers around it, and float64 is refused by name.
$ cat >volume.mlir <<END
+ func.func @net(%x: tensor<1x2x4x4x4xf32>) -> tensor<1x2x3x3x3xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<2x2x2x2x2xf32>} : () -> tensor<2x2x2x2x2xf32>
+   %y = "onnx.Conv"(%x, %w) : (tensor<1x2x4x4x4xf32>, tensor<2x2x2x2x2xf32>) -> tensor<1x2x3x3x3xf32>
+   return %y : tensor<1x2x3x3x3xf32>
+ }
+ END
$ minmax-collect volume.mlir --random 1 --rows 4 -q -o r.json && quantize volume.mlir --ranges r.json --type i8 -o volume.tflite
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (128 of 128 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: 1 operator is written between DEQUANTIZE and QUANTIZE, as there is no kernel for the codes: operator "y_nhwc_inner" (CONV_3D): form is int8 int8[c] int32 -> int8
$ quantize volume.mlir --ranges r.json --type i8 --strict -o volume.tflite
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (128 of 128 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: LiteRT has no kernel for what is asked of operator "y_nhwc_inner" (CONV_3D): form is int8 int8[c] int32 -> int8
? 4
$ cat >wide.mlir <<END
+ func.func @net(%x: tensor<2x4xf64>) -> tensor<2x3xf64> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<4x3xf64>} : () -> tensor<4x3xf64>
+   %y = "onnx.MatMul"(%x, %w) : (tensor<2x4xf64>, tensor<4x3xf64>) -> tensor<2x3xf64>
+   return %y : tensor<2x3xf64>
+ }
+ END
$ model-convert wide.mlir -o wide.tflite
! model-convert: operator "y" (FULLY_CONNECTED): LiteRT has no such kernel: form is float64, need float32 int4 -> float32, float32 int4[c] -> float32, float32 int8 -> float32, float32 int8[c] -> float32, int16 int4 -> int16, int16 int4[c] -> int16, int16 int8 -> int16, int16 int8 int32 -> int16, int16 int8 int64 -> int16, int16 int8[c] -> int16, int16 int8[c] int32 -> int16, int16 int8[c] int64 -> int16, int8, int8 int32 -> int8, int8 int4 -> int8, int8 int4[c] -> int8, int8 int8[c] -> int8, int8 int8[c] int32 -> int8, uint8 or uint8 int32 -> uint8
? 4
$ model-convert wide.mlir -o wide.circle
! model-convert: 1 operator is written as asked, which onert has no kernel for: operator "y" (FULLY_CONNECTED): form is float64
$ sed 's/onnx.MatMul"(%x, %w)/onnx.Reshape"(%x, %s)/; s/, tensor<4x3xf64>)/, tensor<3xi64>)/; s/2x3xf64/2x2x2xf64/g; s/%w = .*/%s = "onnx.Constant"() {value = dense<[2, 2, 2]> : tensor<3xi64>} : () -> tensor<3xi64>/' wide.mlir >shaped.mlir && model-convert shaped.mlir -o shaped.tflite
